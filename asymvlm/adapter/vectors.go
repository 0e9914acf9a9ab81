package adapter

import (
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/export"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/sphere"
)

// VectorsOf returns rows for images and texts whose inner products order them as the adapter's
// Scores do, for search engines that support only inner products; see package export. Methods that
// rank by a cosine have unit rows; those with a von Mises–Fisher density have rows (κμ, F(κ)) for
// texts and (x, 1) for images. Rankings by RankCSD have rows with two more columns. Other methods
// do not rank by an inner product of two rows and return an error, as do rows that Scores rejects.
func VectorsOf(a *Adapter, images, texts embedding.Matrix) (imageRows, textRows embedding.Matrix, err error) {
	if ranksByRows(a) {
		g, err := a.gallery([2]embedding.Matrix{nn.Texts: texts, nn.Images: images})
		return embedding.Matrix(g.sides[nn.Images].Rows), embedding.Matrix(g.sides[nn.Texts].Rows), err
	}
	newNormalizer, linear := linearOf(a)
	if !linear {
		return imageRows, textRows, fmt.Errorf("adapter: %s ranks by no inner product of fixed rows; of the methods with densities asymvlm-vmf does", a.Method())
	}
	natural, err := a.Natural(texts)
	if err != nil {
		return imageRows, textRows, err
	}
	if err := a.check(nn.Images, images); err != nil {
		return imageRows, textRows, err
	}
	if newNormalizer == nil {
		if imageRows, err = images.Normalized(); err == nil {
			textRows, err = natural.Normalized()
		}
		return imageRows, textRows, err
	}
	normalizer, err := newNormalizer(a.Dimension())
	if err != nil {
		return imageRows, textRows, err
	}
	if textRows, err = export.Texts(natural, normalizer); err == nil {
		imageRows, err = export.Images(images)
	}
	return imageRows, textRows, err
}

// linearOf returns the normalizer of a method that ranks by an inner product with unit images, as
// nn.Architecture.Linear does. It is nil for cosines.
func linearOf(a *Adapter) (newNormalizer func(dimension int) (sphere.Normalizer, error), ok bool) {
	if a.learner == nil && a.Method() == CLIP {
		return nil, true
	}
	if m, ok := find(a.Method()).(learned); ok {
		return m.architecture.Linear()
	}
	return nil, false
}
