package adapter

import (
	"fmt"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/export"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/sphere"
)

// VectorsOf returns images and texts as rows whose inner products order them as the Scores of an adapter do, for engines that know inner
// products only; see package export. Methods that rank by a cosine have rows of length 1, those with a von Mises–Fisher density
// (κμ, F(κ)) for texts and (x, 1) for images. Other methods rank by no inner product of an image's row and a text's, and are an
// error, as are the rows that Scores refuses.
func VectorsOf(a *Adapter, images, texts embedding.Matrix) (imageRows, textRows embedding.Matrix, err error) {
	likelihood := likelihoodOf(a)
	if likelihood == "" {
		return imageRows, textRows, fmt.Errorf("adapter: %s ranks by no inner product of fixed rows; of the methods with densities asymvlm-vmf does", a.Method())
	}
	natural, err := a.Natural(texts)
	if err != nil {
		return imageRows, textRows, err
	}
	if err := a.check(nn.Images, images); err != nil {
		return imageRows, textRows, err
	}
	if likelihood == nn.Cosine {
		if imageRows, err = images.Normalized(); err == nil {
			textRows, err = natural.Normalized()
		}
		return imageRows, textRows, err
	}
	var normalizer sphere.Normalizer
	if likelihood == nn.VonMisesFisherExact {
		normalizer, err = sphere.NewVonMisesFisherNormalizer(a.Dimension())
	} else {
		normalizer, err = sphere.NewPaperNormalizer(a.Dimension())
	}
	if err != nil {
		return imageRows, textRows, err
	}
	if textRows, err = export.Texts(natural, normalizer); err == nil {
		imageRows, err = export.Images(images)
	}
	return imageRows, textRows, err
}

// likelihoodOf returns by which likelihood of unit images the method ranks, "" where it is by none that is an inner product.
func likelihoodOf(a *Adapter) string {
	if a.learner == nil && a.Method() == CLIP {
		return nn.Cosine
	}
	m, ok := find(a.Method()).(learned)
	if !ok {
		return ""
	}
	switch m.architecture.Objective {
	case "", nn.Contrastive, nn.Sigmoid, nn.SigmoidLog:
	default:
		return "" // images move, too
	}
	switch own := m.architecture.Likelihood; own {
	case nn.Cosine, nn.VonMisesFisher, nn.VonMisesFisherExact:
		return own
	}
	return ""
}
