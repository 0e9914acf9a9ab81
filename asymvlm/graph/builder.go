package graph

import (
	"fmt"
	"math"
	"strings"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Builder creates graphs of matrices. Every value is a matrix of float64, including scalars
// (1×1), columns (n×1) and rows (1×n). Sums and repetitions are products with matrices of ones, so
// that their derivatives are those of products. This is slower than necessary but leaves little
// room for errors; for example, the log-sum-exp of gorgonia 0.9.18 fails on matrices.
//
// After an error, such as shapes that do not match, all methods return nil, and Err and NewProgram
// return the first error.
type Builder struct {
	graph     *gorgonia.ExprGraph
	err       error
	inputs    []*gorgonia.Node
	constants map[string]*gorgonia.Node
	values    map[*gorgonia.Node][]float64 // of the constants
	notes     map[*gorgonia.Node]note
}

// NewBuilder returns a builder for an empty graph.
func NewBuilder() *Builder {
	return &Builder{
		graph: gorgonia.NewGraph(), constants: map[string]*gorgonia.Node{}, values: map[*gorgonia.Node][]float64{},
		notes: map[*gorgonia.Node]note{},
	}
}

// Err returns the first error.
func (b *Builder) Err() error { return b.err }

// Graph returns gorgonia's graph, for use with its own functions.
func (b *Builder) Graph() *gorgonia.ExprGraph { return b.graph }

// fail records the first error.
func (b *Builder) fail(format string, values ...any) *gorgonia.Node {
	if b.err == nil {
		b.err = fmt.Errorf("graph: "+format, values...)
	}
	return nil
}

// Input returns a matrix whose values are set when the graph is run. Names must be distinct.
func (b *Builder) Input(name string, rows, columns int) *gorgonia.Node {
	if rows < 1 || columns < 1 || strings.HasPrefix(name, constantPrefix) {
		return b.fail("input %s of %d×%d, want a shape of at least 1×1 and a name that does not begin with %q", name, rows, columns, constantPrefix)
	}
	for _, other := range b.inputs {
		if other.Name() == name {
			return b.fail("two inputs called %s", name)
		}
	}
	node := gorgonia.NewMatrix(b.graph, tensor.Float64, gorgonia.WithShape(rows, columns), gorgonia.WithName(name))
	b.inputs = append(b.inputs, node)
	return node
}

// Number returns a scalar input.
func (b *Builder) Number(name string) *gorgonia.Node { return b.Input(name, 1, 1) }

// constantPrefix is the prefix of the names of constants in gorgonia's graph, which treats matrices
// with the same name and shape as one.
const constantPrefix = "constant "

// constant returns a matrix of fixed values; equal names return the same node.
func (b *Builder) constant(name string, rows, columns int, value func(i, j int) float64) *gorgonia.Node {
	name = fmt.Sprintf("%s%s %d×%d", constantPrefix, name, rows, columns)
	if node := b.constants[name]; node != nil {
		return node
	}
	values := make([]float64, rows*columns)
	for i := range rows {
		for j := range columns {
			values[i*columns+j] = value(i, j)
		}
	}
	node := gorgonia.NewMatrix(b.graph, tensor.Float64, gorgonia.WithShape(rows, columns), gorgonia.WithName(name),
		gorgonia.WithValue(tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))))
	b.constants[name], b.values[node] = node, values
	return node
}

// Constant returns a matrix of fixed values in row-major order. A name that is reused with the same
// shape must have equal values.
func (b *Builder) Constant(name string, rows, columns int, values []float64) *gorgonia.Node {
	if rows < 1 || columns < 1 || len(values) != rows*columns {
		return b.fail("constant %s of %d×%d has %d values", name, rows, columns, len(values))
	}
	if b.err != nil {
		return nil
	}
	// "given" distinguishes it from constants of this package, such as the one named 1.
	node := b.constant("given "+name, rows, columns, func(i, j int) float64 { return values[i*columns+j] })
	if i := differs(b.values[node], values); i >= 0 {
		return b.fail("two constants called %s, value %d is %g and %g", name, i, b.values[node][i], values[i])
	}
	return node
}

// differs returns the first index at which two lists of equal length differ, or −1.
func differs(x, y []float64) int {
	for i, value := range x {
		if math.Float64bits(value) != math.Float64bits(y[i]) {
			return i
		}
	}
	return -1
}

// ones returns a matrix of ones.
func (b *Builder) ones(rows, columns int) *gorgonia.Node {
	return b.constant("1", rows, columns, func(int, int) float64 { return 1 })
}

// identity returns the identity matrix.
func (b *Builder) identity(n int) *gorgonia.Node {
	return b.constant("I", n, n, func(i, j int) float64 {
		if i == j {
			return 1
		}
		return 0
	})
}

// like returns a constant of one value with the shape of a node.
func (b *Builder) like(x *gorgonia.Node, value float64) *gorgonia.Node {
	return b.constant(fmt.Sprintf("%.17g", value), x.Shape()[0], x.Shape()[1], func(int, int) float64 { return value })
}

// ok reports whether the nodes are matrices and no error has occurred.
func (b *Builder) ok(what string, nodes ...*gorgonia.Node) bool {
	if b.err != nil {
		return false
	}
	for _, x := range nodes {
		switch {
		case x == nil:
			b.fail("%s of nothing", what)
			return false
		case x.Graph() != b.graph:
			b.fail("%s of %s, which belongs to another graph", what, x.Name())
			return false
		case len(x.Shape()) != 2:
			b.fail("%s of %s with the shape %v, want a matrix", what, x.Name(), x.Shape())
			return false
		}
	}
	return true
}

// done records the error of one of gorgonia's functions.
func (b *Builder) done(what string, node *gorgonia.Node, err error) *gorgonia.Node {
	if err != nil {
		return b.fail("%s: %w", what, err)
	}
	return node
}

// apply applies an operation of this package.
func (b *Builder) apply(o operation, x *gorgonia.Node) *gorgonia.Node {
	if !b.ok(o.name, x) {
		return nil
	}
	o.b = b
	node, err := gorgonia.ApplyOp(o, x)
	return b.basic(b.done(o.name, node, err), o.name, x)
}

// pair applies one of gorgonia's functions to two matrices of equal shape.
func (b *Builder) pair(what string, f func(x, y *gorgonia.Node) (*gorgonia.Node, error), x, y *gorgonia.Node) *gorgonia.Node {
	if !b.ok(what, x, y) {
		return nil
	}
	if !x.Shape().Eq(y.Shape()) {
		return b.fail("%s of %v and %v, want equal shapes", what, x.Shape(), y.Shape())
	}
	node, err := f(x, y)
	return b.basic(b.done(what, node, err), what, x, y)
}

// Sum returns x + y.
func (b *Builder) Sum(x, y *gorgonia.Node) *gorgonia.Node { return b.pair("sum", gorgonia.Add, x, y) }

// Difference returns x − y.
func (b *Builder) Difference(x, y *gorgonia.Node) *gorgonia.Node {
	return b.pair("difference", gorgonia.Sub, x, y)
}

// Product returns the elementwise product.
func (b *Builder) Product(x, y *gorgonia.Node) *gorgonia.Node {
	return b.pair("product", gorgonia.HadamardProd, x, y)
}

// Quotient returns the elementwise quotient.
func (b *Builder) Quotient(x, y *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Product(x, b.Inverse(y)), "quotient", x, y)
}

// Times returns the matrix product.
func (b *Builder) Times(x, y *gorgonia.Node) *gorgonia.Node {
	if !b.ok("matrix product", x, y) {
		return nil
	}
	if x.Shape()[1] != y.Shape()[0] {
		return b.fail("matrix product of %v and %v", x.Shape(), y.Shape())
	}
	node, err := gorgonia.Mul(x, y)
	return b.basic(b.done("matrix product", node, err), "matrix product", x, y)
}

// Transposed returns xᵀ.
func (b *Builder) Transposed(x *gorgonia.Node) *gorgonia.Node { return b.apply(turned, x) }

// Scaled returns a constant times x.
func (b *Builder) Scaled(x *gorgonia.Node, factor float64) *gorgonia.Node {
	if !b.ok("multiple", x) {
		return nil
	}
	return b.note(b.Product(x, b.like(x, factor)), fmt.Sprintf("× %.4g", factor), x)
}

// PlusConstant returns x plus a constant.
func (b *Builder) PlusConstant(x *gorgonia.Node, value float64) *gorgonia.Node {
	if !b.ok("sum", x) {
		return nil
	}
	return b.note(b.Sum(x, b.like(x, value)), fmt.Sprintf("+ %.4g", value), x)
}

// Negative returns −x.
func (b *Builder) Negative(x *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Scaled(x, -1), "negative", x)
}

// unary applies one of gorgonia's elementwise functions.
func (b *Builder) unary(what string, f func(x *gorgonia.Node) (*gorgonia.Node, error), x *gorgonia.Node) *gorgonia.Node {
	if !b.ok(what, x) {
		return nil
	}
	node, err := f(x)
	return b.basic(b.done(what, node, err), what, x)
}

// Exp returns the elementwise exponential.
func (b *Builder) Exp(x *gorgonia.Node) *gorgonia.Node { return b.unary("exp", gorgonia.Exp, x) }

// Log returns the elementwise natural logarithm.
func (b *Builder) Log(x *gorgonia.Node) *gorgonia.Node { return b.unary("log", gorgonia.Log, x) }

// Root returns the elementwise square root.
func (b *Builder) Root(x *gorgonia.Node) *gorgonia.Node { return b.unary("root", gorgonia.Sqrt, x) }

// Square returns the elementwise square.
func (b *Builder) Square(x *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Product(x, x), "square", x)
}

// Inverse returns the elementwise reciprocal 1/x.
func (b *Builder) Inverse(x *gorgonia.Node) *gorgonia.Node {
	return b.unary("inverse", gorgonia.Inverse, x)
}

// Log1p returns log(1+x), accurate for small x.
func (b *Builder) Log1p(x *gorgonia.Node) *gorgonia.Node { return b.apply(logPlusOne, x) }

// Softplus returns log(1+eˣ) without overflow.
func (b *Builder) Softplus(x *gorgonia.Node) *gorgonia.Node { return b.apply(softplus, x) }

// Sigmoid returns 1/(1+e⁻ˣ).
func (b *Builder) Sigmoid(x *gorgonia.Node) *gorgonia.Node { return b.apply(sigmoid, x) }

// LogSigmoid returns −softplus(−x).
func (b *Builder) LogSigmoid(x *gorgonia.Node) *gorgonia.Node {
	return b.note(b.Negative(b.Softplus(b.Negative(x))), "log σ", x)
}

// LogGamma returns log Γ(x) for x > 0. It can be differentiated twice: its derivatives are Digamma
// and the trigamma function.
func (b *Builder) LogGamma(x *gorgonia.Node) *gorgonia.Node { return b.apply(logGamma, x) }

// Digamma returns ψ(x) for x > 0.
func (b *Builder) Digamma(x *gorgonia.Node) *gorgonia.Node { return b.apply(digamma, x) }

// Magnitude returns |x|, with derivative 0 at 0.
func (b *Builder) Magnitude(x *gorgonia.Node) *gorgonia.Node { return b.apply(magnitude, x) }

// Clamped returns x clamped between two bounds, with derivative 0 outside them.
func (b *Builder) Clamped(x *gorgonia.Node, low, high float64) *gorgonia.Node {
	return b.apply(clampedTo(low, high), x)
}

// RowSums returns the sums of the rows as a column.
func (b *Builder) RowSums(x *gorgonia.Node) *gorgonia.Node {
	if !b.ok("row sums", x) {
		return nil
	}
	return b.note(b.Times(x, b.ones(x.Shape()[1], 1)), "Σ of rows", x)
}

// ColumnSums returns the sums of the columns as a row.
func (b *Builder) ColumnSums(x *gorgonia.Node) *gorgonia.Node {
	if !b.ok("column sums", x) {
		return nil
	}
	return b.note(b.Times(b.ones(1, x.Shape()[0]), x), "Σ of columns", x)
}

// Total returns the sum of all values as a scalar.
func (b *Builder) Total(x *gorgonia.Node) *gorgonia.Node {
	return b.note(b.ColumnSums(b.RowSums(x)), "Σ", x)
}

// Mean returns the mean of all values as a scalar.
func (b *Builder) Mean(x *gorgonia.Node) *gorgonia.Node {
	if !b.ok("mean", x) {
		return nil
	}
	return b.note(b.Scaled(b.Total(x), 1/float64(x.Shape().TotalSize())), "mean", x)
}

// Repeated returns a column, a row or a scalar repeated to a matrix of the given shape.
func (b *Builder) Repeated(x *gorgonia.Node, rows, columns int) *gorgonia.Node {
	if !b.ok("repetition", x) {
		return nil
	}
	if shape := x.Shape(); shape[0] != rows && shape[0] != 1 || shape[1] != columns && shape[1] != 1 {
		return b.fail("repetition of %v to %d×%d", shape, rows, columns)
	}
	if x.Shape()[0] != rows {
		x = b.note(b.Times(b.ones(rows, 1), x), "", x)
	}
	if x != nil && x.Shape()[1] != columns {
		x = b.note(b.Times(x, b.ones(1, columns)), "", x)
	}
	return x
}

// RepeatedLike returns x repeated to the shape of another matrix.
func (b *Builder) RepeatedLike(x, other *gorgonia.Node) *gorgonia.Node {
	if !b.ok("repetition", x, other) {
		return nil
	}
	return b.Repeated(x, other.Shape()[0], other.Shape()[1])
}
