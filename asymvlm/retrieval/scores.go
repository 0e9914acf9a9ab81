package retrieval

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// Scores provides the N×M matrix of scores of images and texts in blocks of rows, so that it need
// never be in memory as a whole: for 5,000 images and 25,000 texts the matrix takes 500 MB and a
// block 50 MB.
type Scores interface {
	// Size returns the number of images and of texts, which must not change.
	Size() (images, texts int)
	// ReadRows fills dst, which has one column per text, with the scores of dst.Rows images
	// starting with image from. It is called from one goroutine at a time, with rows in increasing
	// order.
	ReadRows(dst embedding.Matrix, from int) error
}

// blockRows is the number of images scored at a time. For each block the device repacks all texts
// for its matmul, which costs 1/blockRows of the matmul's work.
const blockRows = 512

// wholeMatrix is a matrix of scores that is in memory.
type wholeMatrix embedding.Matrix

// FromMatrix returns Scores for a matrix in memory, images × texts.
func FromMatrix(scores embedding.Matrix) Scores { return wholeMatrix(scores) }

// Size returns the number of rows and columns.
func (m wholeMatrix) Size() (images, texts int) { return m.Rows, m.Columns }

// ReadRows copies rows to dst.
func (m wholeMatrix) ReadRows(dst embedding.Matrix, from int) error {
	copy(dst.Values, embedding.Matrix(m).RowRange(from, from+dst.Rows).Values)
	return nil
}

// cosines computes its rows when they are read.
type cosines struct{ images, texts embedding.Matrix }

// Cosines returns the cosines of images and texts as scores. CLIP ranks by them, as do methods
// whose means are the given embeddings. Rows may have any norm but 0, and are computed when they
// are read. Different widths and rows of norm 0 are errors.
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

// ReadRows computes the cosines of dst.Rows images, starting with image from, with all texts.
func (c cosines) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.CatchDeviceError(&err)
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
