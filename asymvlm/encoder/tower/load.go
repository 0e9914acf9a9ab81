package tower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/encoder/weights"
)

// A loader reads the layers of a network. After the first error its methods do nothing.
type loader struct {
	w   *weights.Weights
	cpu *device.CPU // packs weights
	err error
}

// tensor reads a tensor of the given shape; −1 matches any length.
func (l *loader) tensor(name string, shape ...int) []float32 {
	if l.err != nil {
		return nil
	}
	values, err := l.w.Tensor(name, shape...)
	l.err = err
	return values
}

// vector returns a copy of a one-dimensional tensor, which must outlive the file.
func (l *loader) vector(name string, n int) []float32 { return slices.Clone(l.tensor(name, n)) }

// sizes returns the shape of a tensor with the given number of dimensions, or ones after an error.
func (l *loader) sizes(name string, dimensions int) []int {
	shape := l.w.Shape(name)
	switch {
	case l.err != nil:
	case shape == nil:
		_, l.err = l.w.Tensor(name)
	case len(shape) != dimensions || slices.Contains(shape, 0):
		l.err = fmt.Errorf("tower: tensor %q has the shape %d, want %d dimensions", name, shape, dimensions)
	default:
		return shape
	}
	return slices.Repeat([]int{1}, dimensions)
}

// matrix reads a table of vectors, which may share the file's memory.
func (l *loader) matrix(name string) matrix {
	shape := l.sizes(name, 2)
	return matrix{Rows: shape[0], Columns: shape[1], Values: l.tensor(name, shape...)}
}

// linear reads a layer: name.weight, out×in, and name.bias.
func (l *loader) linear(name string, out, in int) linear {
	return l.pack(l.tensor(name+".weight", out, in), l.vector(name+".bias", out), out, in)
}

// pack returns a layer with packed weights.
func (l *loader) pack(weight, bias []float32, out, in int) linear {
	if l.err != nil {
		return linear{}
	}
	return linear{l.cpu.Pack(matrix{Rows: out, Columns: in, Values: weight}), bias}
}

// stacked reads several layers, each out×in, as one layer whose outputs are concatenated.
func (l *loader) stacked(names []string, out, in int) linear {
	var weight, bias []float32
	for _, name := range names {
		weight = append(weight, l.tensor(name+".weight", out, in)...)
		bias = append(bias, l.tensor(name+".bias", out)...)
	}
	return l.pack(weight, bias, len(names)*out, in)
}

// norm reads a layer normalization.
func (l *loader) norm(name string, width int, epsilon float64) norm {
	return norm{l.vector(name+".weight", width), l.vector(name+".bias", width), epsilon}
}

// projection reads a projection x·Wᵀ without a bias, where W is size×width.
func (l *loader) projection(name string, width int) projection {
	shape := l.sizes(name, 2)
	return projection{l.pack(l.tensor(name, shape[0], width), nil, shape[0], width), shape[0]}
}

// transposedProjection reads a projection x·W, where W is width×size.
func (l *loader) transposedProjection(name string, width int) projection {
	size := l.sizes(name, 2)[1]
	values := l.tensor(name, width, size)
	if l.err != nil {
		return projection{}
	}
	turned := make([]float32, len(values))
	for i := range width {
		for j := range size {
			turned[j*width+i] = values[i*size+j]
		}
	}
	return projection{l.pack(turned, nil, size, width), size}
}

// layers returns the number of layers whose tensors begin with the prefix and a number.
func (l *loader) layers(prefix string) int {
	count := 0
	for _, name := range l.w.Names() {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(number); err == nil && n >= 0 && n < 1000 {
			count = max(count, n+1)
		}
	}
	if count == 0 && l.err == nil {
		l.err = fmt.Errorf("tower: no tensors %s0…", prefix)
	}
	return count
}

// activations maps the names in configurations to activations.
var activations = map[string]device.Activation{
	"gelu": device.GELU, "quick_gelu": device.QuickGELU, "gelu_pytorch_tanh": device.TanhGELU, "gelu_new": device.TanhGELU,
	"relu": device.ReLU,
}

// shape holds the common dimensions of the layers of a stack.
type shape struct {
	width, inner, heads int
	epsilon             float64
	activation          device.Activation
	causal              bool
}

// block returns a block without weights.
func (s shape) block() block {
	return block{heads: s.heads, activation: s.activation, causal: s.causal}
}

// check returns an error if the number of heads does not divide the width.
func (s shape) check() error {
	if s.heads < 1 || s.width%s.heads != 0 {
		return fmt.Errorf("tower: %d heads for vectors of %d", s.heads, s.width)
	}
	return nil
}
