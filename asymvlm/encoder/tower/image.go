package tower

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
)

// An Image is an image network, a vision transformer (Dosovitskiy et al. 2020).
type Image struct {
	// Side is the width and height of a picture and Patch that of a patch, in pixels. Width is the
	// width of a token's vector and Size that of an embedding.
	Side, Patch, Width, Size int
	// Layers and Heads are the numbers of layers and of attention heads.
	Layers, Heads int

	patches     linear
	class       []float32 // vector of the token before the patches; nil for none
	positions   matrix
	first, last *norm
	stack       stack
	pool        *attentionPool // nil if the embedding is that of the class token
	project     projection
}

// An attentionPool is SigLIP's head: one learned query attends to all tokens, followed by a
// perceptron.
type attentionPool struct {
	query []float32 // the projected query
	block block     // qkv holds keys and values only; norm2 precedes the perceptron
}

// Encode returns one row per picture, pictures × Size. A picture is 3·Side·Side normalized values,
// channel by channel and row by row. Another number of values is an error that names the index of
// the picture.
func (m *Image) Encode(w *Worker, pictures [][]float32) (embedding.Matrix, error) {
	grid := m.Side / m.Patch
	extra := 0
	if m.class != nil {
		extra = 1
	}
	tokens := grid*grid + extra
	lengths := make([]int, len(pictures))
	patches := matrix{Rows: len(pictures) * grid * grid, Columns: 3 * m.Patch * m.Patch}
	patches.Values = make([]float32, patches.Rows*patches.Columns)
	for i, pixels := range pictures {
		if len(pixels) != 3*m.Side*m.Side {
			return embedding.Matrix{}, fmt.Errorf("tower: picture %d has %d values, want 3·%d·%d", i, len(pixels), m.Side, m.Side)
		}
		m.cut(patches, i*grid*grid, pixels)
		lengths[i] = tokens
	}
	embedded := matrix{Rows: patches.Rows, Columns: m.Width, Values: make([]float32, patches.Rows*m.Width)}
	m.patches.apply(w, embedded, patches)
	x := matrix{Rows: len(pictures) * tokens, Columns: m.Width, Values: make([]float32, len(pictures)*tokens*m.Width)}
	for i := range x.Rows {
		picture, token := i/tokens, i%tokens
		src := m.class
		if token >= extra {
			src = embedded.Row(picture*grid*grid + token - extra)
		}
		dst, where := x.Row(i), m.positions.Row(token)
		for j, value := range src {
			dst[j] = value + where[j]
		}
	}
	if m.first != nil {
		m.first.apply(x, x)
	}
	m.stack.forward(w, x, lengths)
	rows := m.project.apply(w, m.pooled(w, x, tokens))
	return embedding.Matrix{Rows: rows.Rows, Columns: rows.Columns, Values: rows.Values}, nil
}

// cut copies the patches of a picture to rows, channel by channel and row by row, the order of the
// convolution's kernel.
func (m *Image) cut(patches matrix, first int, pixels []float32) {
	grid, side, patch := m.Side/m.Patch, m.Side, m.Patch
	for row := range grid {
		for column := range grid {
			dst := patches.Row(first + row*grid + column)
			for channel := range 3 {
				for y := range patch {
					from := channel*side*side + (row*patch+y)*side + column*patch
					dst = dst[copy(dst, pixels[from:from+patch]):]
				}
			}
		}
	}
}

// pooled returns one row per picture.
func (m *Image) pooled(w *Worker, x matrix, tokens int) matrix {
	pictures := x.Rows / tokens
	dst := matrix{Rows: pictures, Columns: m.Width, Values: make([]float32, pictures*m.Width)}
	if m.pool != nil {
		m.last.apply(x, x)
		m.pool.apply(w, dst, x, tokens)
		return dst
	}
	for i := range pictures {
		copy(dst.Row(i), x.Row(i*tokens))
	}
	if m.last != nil {
		m.last.apply(dst, dst)
	}
	return dst
}

// apply sets dst to one row per picture of x.
func (p *attentionPool) apply(w *Worker, dst, x matrix, tokens int) {
	b := &p.block
	width := x.Columns / b.heads
	wide := buffer(&w.wide, x.Rows, 2*x.Columns)
	b.qkv.apply(w, wide, x)
	mixed := matrix{Rows: dst.Rows, Columns: dst.Columns, Values: make([]float32, len(dst.Values))}
	scores := make([]float32, tokens)
	for picture := range dst.Rows {
		for head := range b.heads {
			from := head * width
			query := p.query[from : from+width]
			for i := range scores {
				scores[i] = 0
				for j, value := range wide.Row(picture*tokens + i)[from : from+width] {
					scores[i] += value * query[j]
				}
			}
			device.Softmax(scores, headScale(width))
			out := mixed.Row(picture)[from : from+width]
			for i, weight := range scores {
				for j, value := range wide.Row(picture*tokens + i)[x.Columns+from:][:width] {
					out[j] += weight * value
				}
			}
		}
	}
	b.out.apply(w, dst, mixed)
	b.norm2.apply(mixed, dst)
	hidden := buffer(&w.hidden, dst.Rows, dst.Columns)
	b.perceptron(w, hidden, mixed)
	add(dst, hidden)
}
