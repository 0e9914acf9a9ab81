package device

import "fmt"

// Float is the two kinds of numbers that operations exist for.
type Float interface{ float32 | float64 }

// A Matrix is dense, row by row: value (i, j) is Values[i·Columns+j]. Copies share the values.
type Matrix[F Float] struct {
	Rows, Columns int
	Values        []F // Rows×Columns
}

// NewMatrix returns a matrix of zeros.
func NewMatrix[F Float](rows, columns int) Matrix[F] {
	return Matrix[F]{Rows: rows, Columns: columns, Values: make([]F, rows*columns)}
}

// Row returns row i, the matrix's own memory.
func (m Matrix[F]) Row(i int) []F { return m.Values[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns] }

// Top returns the first rows as a matrix that shares the values; for buffers made for the largest batch.
func (m Matrix[F]) Top(rows int) Matrix[F] {
	return Matrix[F]{Rows: rows, Columns: m.Columns, Values: m.Values[: rows*m.Columns : rows*m.Columns]}
}

// A Rate is what one step of gradient descent needs besides its vectors.
type Rate struct{ Rate, Momentum, WeightDecay float64 }

// Operations is what training and inference of an adapter consist of.
//
// Shapes must fit: an implementation panics otherwise, since only a mistake in the program can cause it. A destination
// must not overlap an argument unless the method says so. Matrices may be empty. Methods may be called from several
// goroutines; they then run one after another. NaN and infinite values pass through as IEEE arithmetic has it, so that
// the caller can look for them in the end result alone.
type Operations[F Float] interface {
	// Name tells the implementation and the instructions it uses, for result files.
	Name() string

	// Product sets dst to a·b.
	Product(dst, a, b Matrix[F])
	// ProductLeftTransposed sets dst to aᵀ·b.
	ProductLeftTransposed(dst, a, b Matrix[F])
	// ProductRightTransposed sets dst to a·bᵀ.
	ProductRightTransposed(dst, a, b Matrix[F])

	// AddBias adds bias to every row of dst and then, when rectify is set, replaces negative values by 0.
	AddBias(dst Matrix[F], bias []F, rectify bool)
	// RectifierGradient sets dst to 0 where output, the result of a rectifying AddBias, is 0.
	RectifierGradient(dst, output Matrix[F])
	// SumRows sets dst to the sum of a's rows.
	SumRows(dst []F, a Matrix[F])
	// Log1p sets dst to log(1+a) for values above −1. dst may be a.
	Log1p(dst, a Matrix[F])

	// LogSumExpRows sets dst[i] to log Σ_j exp(scale·a[i,j]), without overflow.
	LogSumExpRows(dst []F, a Matrix[F], scale F)
	// LogSumExpColumns sets dst[j] to log Σ_i exp(scale·a[i,j]), without overflow.
	LogSumExpColumns(dst []F, a Matrix[F], scale F)
	// SoftmaxPair sets dst to (exp(scale·a[i,j] − rows[i]) + exp(scale·a[i,j] − columns[j]))/(2·a.Rows): with the two
	// vectors above, half the mean of the row softmax and the column softmax.
	SoftmaxPair(dst, a Matrix[F], scale F, rows, columns []F)
	// Dot returns Σ a[i,j]·b[i,j], summed in float64.
	Dot(a, b Matrix[F]) float64

	// Update does one step of gradient descent with momentum v and weight decay w on every parameter p with gradient g:
	// v ← momentum·v + g + w·p, p ← p − rate·v.
	Update(parameters, velocity, gradient []F, rate Rate)
}

// A Device is the operations on float32.
type Device = Operations[float32]

// fits panics with the shapes unless a condition on them holds.
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

// The checks are called with matrices by value; a variadic slice is made only on the way to the panic.

// A form is one of the three ways to multiply.
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

func checkLength[F Float](operation string, vector []F, want int) {
	if len(vector) != want {
		panic(fmt.Sprintf("device: %s: vector of %d values, want %d", operation, len(vector), want))
	}
}
