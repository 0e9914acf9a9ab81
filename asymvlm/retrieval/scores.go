package retrieval

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// Scores gives the N×M matrix of scores of images and texts a block of rows at a time, so that it need never be in
// memory as a whole: 5,000 images and 25,000 texts are 500 MB, their blocks 50 MB.
type Scores interface {
	// Size returns the number of images and of texts, which must not change.
	Size() (images, texts int)
	// ReadRows fills dst, which has one column per text, with the scores of dst.Rows images from the given one on.
	// It is called from one goroutine at a time, with rows in increasing order.
	ReadRows(dst embedding.Matrix, from int) error
}

// blockRows is how many images are scored at a time. For each block the device arranges all texts for its product again,
// which is 1/blockRows of the product's work.
const blockRows = 512

// wholeMatrix is a matrix of scores that is in memory.
type wholeMatrix embedding.Matrix

// FromMatrix returns the scores of a matrix that is in memory, images × texts.
func FromMatrix(scores embedding.Matrix) Scores { return wholeMatrix(scores) }

// Size returns the number of rows and columns.
func (m wholeMatrix) Size() (images, texts int) { return m.Rows, m.Columns }

// ReadRows copies rows.
func (m wholeMatrix) ReadRows(dst embedding.Matrix, from int) error {
	copy(dst.Values, embedding.Matrix(m).RowRange(from, from+dst.Rows).Values)
	return nil
}

// cosines are computed when they are asked for.
type cosines struct{ images, texts embedding.Matrix }

// Cosines returns the cosines of images and texts as scores: how CLIP ranks, and how those methods do whose means are
// the given embeddings. Nothing is computed before the rows are read.
func Cosines(images, texts embedding.Matrix) (Scores, error) {
	if images.Columns != texts.Columns {
		return nil, fmt.Errorf("retrieval: images have %d columns, texts %d", images.Columns, texts.Columns)
	}
	unitImages, err := images.Normalized()
	if err != nil {
		return nil, fmt.Errorf("retrieval: images: %w", err)
	}
	unitTexts, err := texts.Normalized()
	if err != nil {
		return nil, fmt.Errorf("retrieval: texts: %w", err)
	}
	return cosines{unitImages, unitTexts}, nil
}

// Size returns the number of images and texts.
func (c cosines) Size() (images, texts int) { return c.images.Rows, c.texts.Rows }

// ReadRows computes the cosines of some images with all texts.
func (c cosines) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.Told(&err)
	images := device.Matrix[float32](c.images.RowRange(from, from+dst.Rows))
	device.Shared().ProductRightTransposed(device.Matrix[float32](dst), images, device.Matrix[float32](c.texts))
	return nil
}

// Whole reads all scores into one matrix.
func Whole(scores Scores) (embedding.Matrix, error) {
	images, texts := scores.Size()
	whole := embedding.NewMatrix(images, texts)
	for from := 0; from < images; from += blockRows {
		if err := scores.ReadRows(whole.RowRange(from, min(from+blockRows, images)), from); err != nil {
			return embedding.Matrix{}, err
		}
	}
	return whole, nil
}
