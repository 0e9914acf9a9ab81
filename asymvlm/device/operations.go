package device

import (
	"fmt"
	"math"
)

// Float is the set of number types that operations support.
type Float interface{ float32 | float64 }

// A Matrix is dense and row-major: value (i, j) is Values[i·Columns+j]. Copies share the values.
type Matrix[F Float] struct {
	Rows, Columns int
	Values        []F // Rows×Columns
}

// NewMatrix returns a matrix of zeros.
func NewMatrix[F Float](rows, columns int) Matrix[F] {
	return Matrix[F]{Rows: rows, Columns: columns, Values: onHugePages(make([]F, rows*columns))}
}

// Row returns row i, which shares the matrix's memory.
func (m Matrix[F]) Row(i int) []F { return m.Values[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns] }

// Top returns the first rows as a matrix that shares the values. It adapts buffers made for the
// largest batch.
func (m Matrix[F]) Top(rows int) Matrix[F] {
	return Matrix[F]{Rows: rows, Columns: m.Columns, Values: m.Values[: rows*m.Columns : rows*m.Columns]}
}

// A Rate holds the scalars of one step of gradient descent.
type Rate struct{ Rate, Momentum, WeightDecay float64 }

// An AdamStep holds the scalars of one step of AdamW. With PyTorch's default constants, which all
// reference implementations use,
//
//	p ← Keep·p
//	m ← 0.9 m + 0.1 g,  v ← 0.999 v + 0.001 g²
//	p ← p − Size·m/(√v·Correction + 1e-8)
type AdamStep struct{ Keep, Size, Correction float64 }

// NewAdamStep returns the factors of step number step, from 1: 1 − rate·decay, rate/(1−0.9ᵗ) and
// 1/√(1−0.999ᵗ). The momentum of the rate is ignored.
func NewAdamStep(rate Rate, step int) AdamStep {
	t := float64(step)
	return AdamStep{
		Keep: 1 - rate.Rate*rate.WeightDecay, Size: rate.Rate / (1 - math.Pow(0.9, t)),
		Correction: 1 / math.Sqrt(1-math.Pow(0.999, t)),
	}
}

// Operations are the operations used in training and inference of an adapter.
//
// An implementation panics if shapes do not match, because only a bug in the caller can cause it. A
// destination must not overlap an argument unless the method says so. Matrices may be empty.
// Methods may be called from several goroutines and are then serialized. NaN and infinite values
// propagate as in IEEE arithmetic, so that the caller can check only the final result.
type Operations[F Float] interface {
	// Name describes the implementation and the instructions it uses, for result files.
	Name() string

	// Product sets dst to a·b.
	Product(dst, a, b Matrix[F])
	// ProductLeftTransposed sets dst to aᵀ·b.
	ProductLeftTransposed(dst, a, b Matrix[F])
	// ProductRightTransposed sets dst to a·bᵀ.
	ProductRightTransposed(dst, a, b Matrix[F])

	Layers[F]
	Rows[F]
	Losses[F]
	Samples[F]

	// Dot returns Σ a[i,j]·b[i,j], summed in float64.
	Dot(a, b Matrix[F]) float64
	// Sum sets dst to a + b. dst may be a or b.
	Sum(dst, a, b Matrix[F])
	// Update performs one step of gradient descent with momentum v and weight decay w on every
	// parameter p with gradient g: v ← momentum·v + g + w·p, p ← p − rate·v.
	Update(parameters, velocity, gradient []F, rate Rate)
	// UpdateAdam performs one step of AdamW, see AdamStep. moments holds the first and the second
	// moments.
	UpdateAdam(parameters []F, moments [2][]F, gradient []F, step AdamStep)
}

// Layers are the operations of linear layers with rectifiers between them. Weights are out×in, as
// in PyTorch.
type Layers[F Float] interface {
	// Affine sets dst to input·weightᵀ with the bias added to every row, and then negative values
	// to 0 if bias.Rectify is set.
	Affine(dst, input, weight Matrix[F], bias Bias[F])
	// AffineGradient sets dWeight to dOutputᵀ·input and dBias to the sum of dOutput's rows.
	AffineGradient(dWeight Matrix[F], dBias []F, dOutput, input Matrix[F])
	// InputGradient sets dInput to dOutput·weight, and to 0 where rectified, the layer's input, is
	// 0. A rectified without values means that the input is not rectified.
	InputGradient(dInput, dOutput, weight, rectified Matrix[F])
}

// A Bias is added to each row of the product of an affine layer.
type Bias[F Float] struct {
	Values  []F
	Rectify bool
}

// Rows are the operations that process each row separately.
type Rows[F Float] interface {
	// Units sets lengths to the norms of a's rows and dst, if it has values, to the rows divided by
	// their norms. A norm below 1e-12 is replaced by 1e-12 in the division. dst may be a.
	Units(dst Matrix[F], lengths []float64, a Matrix[F])
	// Exponential sets dst to exp(a) and sums to the sums of dst's rows. dst may be a.
	Exponential(dst Matrix[F], sums []float64, a Matrix[F])
	// SoftplusSums sets sums to the sums of log(1+exp(a)) over a's rows.
	SoftplusSums(sums []float64, a Matrix[F])
	// Combine sets every row i of dst to own[i]·dst + other[i]·src. src may be dst.
	Combine(dst, src Matrix[F], own, other []F)
}

// A Device is an implementation of the operations on float32.
type Device = Operations[float32]

// fits panics with the shapes unless ok is true.
func fits[F Float](ok bool, operation string, matrices ...Matrix[F]) {
	if ok {
		return
	}
	text := ""
	for _, m := range matrices {
		text += fmt.Sprintf(" %d×%d", m.Rows, m.Columns)
	}
	panic("device: " + operation + ": shapes do not fit:" + text)
}

// A form is one of the three ways to multiply. The checks take matrices by value; a variadic slice
// is made only on the way to the panic.
type form struct{ leftTransposed, rightTransposed bool }

func checkProduct[F Float](dst, a, b Matrix[F], f form) {
	rows, inner, again, columns := a.Rows, a.Columns, b.Rows, b.Columns
	if f.leftTransposed {
		rows, inner = inner, rows
	}
	if f.rightTransposed {
		again, columns = columns, again
	}
	if dst.Rows != rows || dst.Columns != columns || inner != again {
		fits(false, "product", dst, a, b)
	}
}

func checkSame[F Float](operation string, a, b Matrix[F]) {
	if a.Rows != b.Rows || a.Columns != b.Columns {
		fits(false, operation, a, b)
	}
}

func checkLength[E any](operation string, vector []E, want int) {
	if len(vector) != want {
		panic(fmt.Sprintf("device: %s: vector of %d values, want %d", operation, len(vector), want))
	}
}

func checkUnits[F Float](dst Matrix[F], lengths []float64, a Matrix[F]) {
	if len(dst.Values) > 0 {
		checkSame("units", dst, a)
	}
	checkLength("units", lengths, a.Rows)
}

// rowOrNone returns a row of a matrix, or nil if the matrix has no values.
func rowOrNone[F Float](m Matrix[F], i int) []F {
	if len(m.Values) == 0 {
		return nil
	}
	return m.Row(i)
}

func checkCombine[F Float](dst, src Matrix[F], own, other []F) {
	checkSame("combine", dst, src)
	checkLength("combine", own, dst.Rows)
	checkLength("combine", other, dst.Rows)
}

func checkAdam[F Float](parameters []F, moments [2][]F, gradient []F) {
	checkLength("update", moments[0], len(parameters))
	checkLength("update", moments[1], len(parameters))
	checkLength("update", gradient, len(parameters))
}
