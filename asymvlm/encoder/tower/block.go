package tower

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// matrix is a matrix of activations with one row per token.
type matrix = device.Matrix[float32]

// A linear is an affine layer y = x·Wᵀ + b.
type linear struct {
	weight *device.Packed
	bias   []float32 // nil for none
}

// A norm is a layer normalization.
type norm struct {
	gain, bias []float32
	epsilon    float64
}

// A block is one layer of a transformer: attention and a perceptron, each with a residual
// connection.
type block struct {
	norm1, norm2  norm
	qkv, out      linear // queries, keys and values in one matmul
	up, down      linear
	heads         int
	activation    device.Activation
	causal        bool // tokens attend to earlier tokens only
	normalizeLast bool // norms follow the residual sums (BERT) instead of preceding the layers
}

// A Worker computes forward passes in one goroutine. Several workers may use one model
// concurrently.
type Worker struct {
	cpu     *device.CPU // for attention, in float32
	weights *device.CPU // for products with weights
	// These buffers are reused for each batch.
	hidden, wide, attended, expanded []float32
	head                             [5][]float32
	trace                            func(layer int, x matrix) // called for each layer, by tests
}

// NewWorker returns a worker for models in float32, which must be closed after use.
func NewWorker() *Worker {
	cpu := device.NewCPU(1)
	return &Worker{cpu: cpu, weights: cpu}
}

// NewWorkerWith is like NewWorker for models loaded by LoadWith with the same precision. Only
// products with weights are computed in it. An unknown precision is an error.
func NewWorkerWith(p device.Precision) (*Worker, error) {
	w := NewWorker()
	if p == "" || p == device.Float32 {
		return w, nil
	}
	var err error
	if w.weights, err = device.NewCPUWith(1, p); err != nil {
		w.cpu.Close()
		return nil, fmt.Errorf("tower: %w", err)
	}
	return w, nil
}

// Close frees the worker's devices.
func (w *Worker) Close() {
	if w.weights != w.cpu {
		w.weights.Close()
	}
	w.cpu.Close()
}

// buffer returns a matrix in a worker's memory with undefined content.
func buffer(memory *[]float32, rows, columns int) matrix {
	if cap(*memory) < rows*columns {
		*memory = make([]float32, rows*columns)
	}
	return matrix{Rows: rows, Columns: columns, Values: (*memory)[:rows*columns]}
}

// apply sets dst to the output of the layer for x.
func (l linear) apply(w *Worker, dst, x matrix) {
	w.weights.AffinePacked(dst, x, l.weight, device.Bias[float32]{Values: l.bias})
}

// apply sets dst to the normalized rows of x. Dst may be x.
func (n norm) apply(dst, x matrix) {
	for i := range x.Rows {
		device.LayerNorm(dst.Row(i), x.Row(i), n.gain, n.bias, n.epsilon)
	}
}

// add adds y to x.
func add(x, y matrix) {
	values := y.Values[:len(x.Values)]
	for i, value := range values {
		x.Values[i] += value
	}
}

// forward replaces x by the output of the layer. The rows of x are the tokens of consecutive
// sequences with the given lengths.
func (b *block) forward(w *Worker, x matrix, lengths []int) {
	hidden := buffer(&w.hidden, x.Rows, x.Columns)
	wide := buffer(&w.wide, x.Rows, 3*x.Columns)
	attended := buffer(&w.attended, x.Rows, x.Columns)
	if b.normalizeLast {
		b.qkv.apply(w, wide, x)
	} else {
		b.norm1.apply(hidden, x)
		b.qkv.apply(w, wide, hidden)
	}
	first := 0
	for _, length := range lengths {
		b.attend(w, attended, wide, first, length)
		first += length
	}
	b.out.apply(w, hidden, attended)
	add(x, hidden)
	if b.normalizeLast {
		b.norm1.apply(x, x)
		b.perceptron(w, hidden, x)
		add(x, hidden)
		b.norm2.apply(x, x)
		return
	}
	b.norm2.apply(attended, x)
	b.perceptron(w, hidden, attended)
	add(x, hidden)
}

// perceptron sets dst to the output of the perceptron for x.
func (b *block) perceptron(w *Worker, dst, x matrix) {
	expanded := buffer(&w.expanded, x.Rows, b.up.weight.Rows)
	b.up.apply(w, expanded, x)
	for i := range expanded.Rows {
		b.activation.Apply(expanded.Row(i))
	}
	b.down.apply(w, dst, expanded)
}

// attend sets the rows of one sequence in dst to softmax(Q·Kᵀ/√d)·V for each head of d columns. The
// columns of wide are Q, K and V.
func (b *block) attend(w *Worker, dst, wide matrix, first, length int) {
	width := dst.Columns / b.heads
	q, k, v := buffer(&w.head[0], length, width), buffer(&w.head[1], length, width), buffer(&w.head[2], length, width)
	scores, mixed := buffer(&w.head[3], length, length), buffer(&w.head[4], length, width)
	scale := headScale(width)
	for head := range b.heads {
		for i := range length {
			row := wide.Row(first + i)
			at := head * width
			copy(q.Row(i), row[at:at+width])
			copy(k.Row(i), row[dst.Columns+at:][:width])
			copy(v.Row(i), row[2*dst.Columns+at:][:width])
		}
		w.cpu.ProductRightTransposed(scores, q, k)
		for i := range length {
			row := scores.Row(i)
			if b.causal {
				clear(row[i+1:])
				row = row[:i+1]
			}
			device.Softmax(row, scale)
		}
		w.cpu.Product(mixed, scores, v)
		for i := range length {
			copy(dst.Row(first + i)[head*width:], mixed.Row(i))
		}
	}
}
