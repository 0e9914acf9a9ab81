package device

import "math"

// A Reference does every operation with plain loops and sums in float64: the definition of the operations, slow and
// clear. The zero value is ready for use.
type Reference[F Float] struct{}

var (
	_ Operations[float32] = Reference[float32]{}
	_ Operations[float64] = Reference[float64]{}
)

// Name returns "reference".
func (Reference[F]) Name() string { return "reference" }

// Product sets dst to a·b.
func (Reference[F]) Product(dst, a, b Matrix[F]) {
	checkProduct(dst, a, b, form{})
	for i := range dst.Rows {
		for j := range dst.Columns {
			sum := 0.0
			for k := range a.Columns {
				sum += float64(a.Values[i*a.Columns+k]) * float64(b.Values[k*b.Columns+j])
			}
			dst.Values[i*dst.Columns+j] = F(sum)
		}
	}
}

// ProductLeftTransposed sets dst to aᵀ·b.
func (Reference[F]) ProductLeftTransposed(dst, a, b Matrix[F]) {
	checkProduct(dst, a, b, form{leftTransposed: true})
	for i := range dst.Rows {
		for j := range dst.Columns {
			sum := 0.0
			for k := range a.Rows {
				sum += float64(a.Values[k*a.Columns+i]) * float64(b.Values[k*b.Columns+j])
			}
			dst.Values[i*dst.Columns+j] = F(sum)
		}
	}
}

// ProductRightTransposed sets dst to a·bᵀ.
func (Reference[F]) ProductRightTransposed(dst, a, b Matrix[F]) {
	checkProduct(dst, a, b, form{rightTransposed: true})
	for i := range dst.Rows {
		for j := range dst.Columns {
			sum := 0.0
			for k := range a.Columns {
				sum += float64(a.Values[i*a.Columns+k]) * float64(b.Values[j*b.Columns+k])
			}
			dst.Values[i*dst.Columns+j] = F(sum)
		}
	}
}

// AddBias adds bias to every row of dst and rectifies it when asked.
func (Reference[F]) AddBias(dst Matrix[F], bias []F, rectify bool) {
	checkLength("bias", bias, dst.Columns)
	for i := range dst.Rows {
		addBias(dst.Row(i), bias, rectify)
	}
}

// RectifierGradient sets dst to 0 where output is 0.
func (Reference[F]) RectifierGradient(dst, output Matrix[F]) {
	checkSame("rectifier gradient", dst, output)
	mask(dst.Values, output.Values)
}

// SumRows sets dst to the sum of a's rows.
func (Reference[F]) SumRows(dst []F, a Matrix[F]) {
	checkLength("row sum", dst, a.Columns)
	for j := range dst {
		sum := 0.0
		for i := range a.Rows {
			sum += float64(a.Values[i*a.Columns+j])
		}
		dst[j] = F(sum)
	}
}

// Log1p sets dst to log(1+a).
func (Reference[F]) Log1p(dst, a Matrix[F]) {
	checkSame("log1p", dst, a)
	log1p(dst.Values, a.Values)
}

// LogSumExpRows sets dst[i] to log Σ_j exp(scale·a[i,j]).
func (Reference[F]) LogSumExpRows(dst []F, a Matrix[F], scale F) {
	checkLength("log-sum-exp of rows", dst, a.Rows)
	for i := range dst {
		most, sum := math.Inf(-1), 0.0
		for _, value := range a.Row(i) {
			most = math.Max(most, float64(scale)*float64(value))
		}
		for _, value := range a.Row(i) {
			sum += math.Exp(float64(scale)*float64(value) - most)
		}
		dst[i] = F(most + math.Log(sum))
	}
}

// LogSumExpColumns sets dst[j] to log Σ_i exp(scale·a[i,j]).
func (Reference[F]) LogSumExpColumns(dst []F, a Matrix[F], scale F) {
	checkLength("log-sum-exp of columns", dst, a.Columns)
	for j := range dst {
		most, sum := math.Inf(-1), 0.0
		for i := range a.Rows {
			most = math.Max(most, float64(scale)*float64(a.Values[i*a.Columns+j]))
		}
		for i := range a.Rows {
			sum += math.Exp(float64(scale)*float64(a.Values[i*a.Columns+j]) - most)
		}
		dst[j] = F(most + math.Log(sum))
	}
}

// SoftmaxPair sets dst to half the mean of the row softmax and the column softmax of scale·a.
func (Reference[F]) SoftmaxPair(dst, a Matrix[F], scale F, rows, columns []F) {
	checkSame("softmax pair", dst, a)
	checkLength("softmax pair", rows, a.Rows)
	checkLength("softmax pair", columns, a.Columns)
	for i := range a.Rows {
		for j, value := range a.Row(i) {
			x := float64(scale) * float64(value)
			sum := math.Exp(x-float64(rows[i])) + math.Exp(x-float64(columns[j]))
			dst.Values[i*a.Columns+j] = F(sum / float64(2*a.Rows))
		}
	}
}

// Dot returns Σ a[i,j]·b[i,j].
func (Reference[F]) Dot(a, b Matrix[F]) float64 {
	checkSame("dot", a, b)
	return dot(a.Values, b.Values)
}

// Update does one step of gradient descent with momentum and weight decay.
func (Reference[F]) Update(parameters, velocity, gradient []F, rate Rate) {
	checkLength("update", velocity, len(parameters))
	checkLength("update", gradient, len(parameters))
	update(parameters, velocity, gradient, rate)
}
