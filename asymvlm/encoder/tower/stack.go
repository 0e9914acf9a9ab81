package tower

import "math"

// headScale returns 1/√d for a head of d columns.
func headScale(width int) float32 { return float32(1 / math.Sqrt(float64(width))) }

// A stack is a sequence of transformer layers.
type stack struct{ blocks []block }

// forward replaces x by the output of the last layer.
func (s stack) forward(w *Worker, x matrix, lengths []int) {
	for i := range s.blocks {
		w.see(i, x)
		s.blocks[i].forward(w, x, lengths)
	}
	w.see(len(s.blocks), x)
}

// see calls the trace of a test, if there is one.
func (w *Worker) see(layer int, x matrix) {
	if w.trace != nil {
		w.trace(layer, x)
	}
}

// A projection is the last linear map of a tower; without a weight it is the identity.
type projection struct {
	linear
	size int // width of its output
}

// apply returns the projected rows.
func (p projection) apply(w *Worker, x matrix) matrix {
	if p.weight == nil {
		return x
	}
	dst := matrix{Rows: x.Rows, Columns: p.size, Values: make([]float32, x.Rows*p.size)}
	p.linear.apply(w, dst, x)
	return dst
}
