package graph

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"slices"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gosphere/asymvlm/special"
)

// An operation is an operation on one matrix that gorgonia lacks. do computes its values, row by
// row, and slope builds its derivative.
type operation struct {
	name  string
	key   string                             // distinguishes operations of the same name; gorgonia creates one node for equal operations on equal nodes
	shape func(rows, columns int) (int, int) // nil if the shape is unchanged
	do    func(dst, x []float64, columns int)
	// slope builds the derivative of an elementwise operation at x; nil treats the result as
	// constant.
	slope func(b *Builder, x *gorgonia.Node) *gorgonia.Node
	b     *Builder
}

// elementwise returns an elementwise operation.
func elementwise(name string, f func(float64) float64, slope func(b *Builder, x *gorgonia.Node) *gorgonia.Node) operation {
	return operation{name: name, slope: slope, do: func(dst, x []float64, _ int) {
		for i, value := range x {
			dst[i] = f(value)
		}
	}}
}

// The functions with their derivatives. The derivatives of log Γ end with ψ′, which is sufficient
// for all losses here.
var (
	sigmoid = elementwise("σ", special.Sigmoid, func(b *Builder, x *gorgonia.Node) *gorgonia.Node {
		return b.Product(b.apply(sigmoidValue, x), b.apply(sigmoidValue, b.Negative(x)))
	})
	sigmoidValue = elementwise("σ", special.Sigmoid, nil)
	softplus     = elementwise("softplus", special.Softplus, func(b *Builder, x *gorgonia.Node) *gorgonia.Node {
		return b.apply(sigmoid, x)
	})
	logGamma = elementwise("log Γ", func(x float64) float64 { value, _ := math.Lgamma(x); return value },
		func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.apply(digamma, x) })
	digamma = elementwise("ψ", special.Digamma, func(b *Builder, x *gorgonia.Node) *gorgonia.Node {
		return b.apply(trigamma, x)
	})
	trigamma  = elementwise("ψ′", special.Trigamma, nil)
	magnitude = elementwise("|·|", math.Abs, func(b *Builder, x *gorgonia.Node) *gorgonia.Node {
		return b.apply(sign, x)
	})
	rectified = elementwise("max(0,·)", func(x float64) float64 { return max(x, 0) },
		func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.apply(positive, x) })
	positive = elementwise("positive", func(x float64) float64 {
		if x > 0 {
			return 1
		}
		return 0
	}, nil)
	sign = elementwise("sign", func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}, nil)
	logPlusOne = elementwise("log(1+·)", math.Log1p, func(b *Builder, x *gorgonia.Node) *gorgonia.Node {
		return b.Inverse(b.PlusConstant(x, 1))
	})
	// largest is the maximum of every row, treated as constant: the value that a stable log-sum-exp
	// subtracts does not affect its derivative.
	largest = operation{name: "max of rows", shape: func(rows, _ int) (int, int) { return rows, 1 },
		do: func(dst, x []float64, columns int) {
			for i := range dst {
				dst[i] = slices.Max(x[i*columns : (i+1)*columns])
			}
		}}
	// turned is the transpose in new memory. Gorgonia's is a view, which the other operations here
	// would have to read through an iterator.
	turned = operation{name: "transposed", shape: func(rows, columns int) (int, int) { return columns, rows },
		do: func(dst, x []float64, columns int) {
			rows := len(x) / max(columns, 1)
			for i := range rows {
				for j := range columns {
					dst[j*rows+i] = x[i*columns+j]
				}
			}
		}}
)

// clampedTo returns the identity clamped between two bounds, with derivative 0 outside them.
func clampedTo(low, high float64) operation {
	bounds := fmt.Sprintf("%g…%g", low, high)
	inside := elementwise("inside "+bounds, func(x float64) float64 {
		if x < low || x > high {
			return 0
		}
		return 1
	}, nil)
	return elementwise("clamp "+bounds, func(x float64) float64 { return min(max(x, low), high) },
		func(b *Builder, x *gorgonia.Node) *gorgonia.Node { return b.apply(inside, x) })
}

// Arity returns 1.
func (o operation) Arity() int { return 1 }

// Type returns the type of a function from a matrix to a matrix.
func (o operation) Type() hm.Type {
	a := hm.TypeVariable('a')
	return hm.NewFnType(a, a)
}

// InferShape returns the shape of the result.
func (o operation) InferShape(inputs ...gorgonia.DimSizer) (tensor.Shape, error) {
	in, ok := inputs[0].(tensor.Shape)
	if !ok || len(in) != 2 {
		return nil, fmt.Errorf("graph: %s of the shape %v, want a matrix", o.name, inputs[0])
	}
	rows, columns := in[0], in[1]
	if o.shape != nil {
		rows, columns = o.shape(rows, columns)
	}
	return tensor.Shape{rows, columns}, nil
}

// Do computes the values.
func (o operation) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	x, ok := inputs[0].(*tensor.Dense)
	if !ok {
		return nil, fmt.Errorf("graph: %s of a %T, want a dense matrix", o.name, inputs[0])
	}
	values, err := denseValues(x)
	if err != nil {
		return nil, fmt.Errorf("graph: %s: %w", o.name, err)
	}
	shape, err := o.InferShape(x.Shape())
	if err != nil {
		return nil, err
	}
	result := make([]float64, shape.TotalSize())
	o.do(result, values, x.Shape()[1])
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(result)), nil
}

// DiffWRT reports whether the operation has a derivative.
func (o operation) DiffWRT(int) []bool { return []bool{o.slope != nil || o.name == turned.name} }

// SymDiff builds the derivative.
func (o operation) SymDiff(inputs gorgonia.Nodes, output, gradient *gorgonia.Node) (gorgonia.Nodes, error) {
	if o.name == turned.name {
		return gorgonia.Nodes{o.b.Transposed(gradient)}, o.b.err
	}
	return gorgonia.Nodes{o.b.Product(gradient, o.slope(o.b, inputs[0]))}, o.b.err
}

// ReturnsPtr returns false, because results are in new memory.
func (o operation) ReturnsPtr() bool { return false }

// CallsExtern returns false.
func (o operation) CallsExtern() bool { return false }

// OverwritesInput returns −1: no input is overwritten.
func (o operation) OverwritesInput() int { return -1 }

// WriteHash writes the name and the key.
func (o operation) WriteHash(h hash.Hash) { fmt.Fprintf(h, "gosphere %s %s", o.name, o.key) }

// Hashcode returns the hash of the name and the key.
func (o operation) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// String returns the name.
func (o operation) String() string { return o.name }
