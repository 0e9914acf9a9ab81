package device

// A Reference performs every operation with plain loops and sums in float64. It defines the results
// of the operations and is slow. The zero value is ready to use.
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

// Affine sets dst to input·weightᵀ with a bias.
func (r Reference[F]) Affine(dst, input, weight Matrix[F], bias Bias[F]) {
	checkLength("bias", bias.Values, dst.Columns)
	r.ProductRightTransposed(dst, input, weight)
	for i := range dst.Rows {
		addBias(dst.Row(i), bias.Values, bias.Rectify)
	}
}

// AffineGradient sets dWeight to dOutputᵀ·input and dBias to the sum of dOutput's rows.
func (r Reference[F]) AffineGradient(dWeight Matrix[F], dBias []F, dOutput, input Matrix[F]) {
	checkLength("gradient of the bias", dBias, dOutput.Columns)
	r.ProductLeftTransposed(dWeight, dOutput, input)
	for j := range dBias {
		sum := 0.0
		for i := range dOutput.Rows {
			sum += float64(dOutput.Values[i*dOutput.Columns+j])
		}
		dBias[j] = F(sum)
	}
}

// InputGradient sets dInput to dOutput·weight, and to 0 where rectified is 0.
func (r Reference[F]) InputGradient(dInput, dOutput, weight, rectified Matrix[F]) {
	r.Product(dInput, dOutput, weight)
	if len(rectified.Values) > 0 {
		checkSame("gradient of the input", dInput, rectified)
		mask(dInput.Values, rectified.Values)
	}
}

// Units sets lengths to the norms of a's rows and dst to the rows divided by their norms.
func (Reference[F]) Units(dst Matrix[F], lengths []float64, a Matrix[F]) {
	checkUnits(dst, lengths, a)
	for i := range a.Rows {
		lengths[i] = unit(rowOrNone(dst, i), a.Row(i))
	}
}

// Exponential sets dst to exp(a) and sums to the sums of the rows.
func (Reference[F]) Exponential(dst Matrix[F], sums []float64, a Matrix[F]) {
	checkSame("exponential", dst, a)
	checkLength("exponential", sums, a.Rows)
	for i := range a.Rows {
		sums[i] = exponentials(dst.Row(i), a.Row(i))
	}
}

// SoftplusSums sets sums to the sums of log(1+exp(a)) over a's rows.
func (Reference[F]) SoftplusSums(sums []float64, a Matrix[F]) {
	checkLength("softplus", sums, a.Rows)
	for i := range a.Rows {
		sums[i] = softplusSum(a.Row(i))
	}
}

// Combine sets every row i of dst to own[i]·dst + other[i]·src.
func (Reference[F]) Combine(dst, src Matrix[F], own, other []F) {
	checkCombine(dst, src, own, other)
	for i := range dst.Rows {
		combine(dst.Row(i), src.Row(i), own[i], other[i])
	}
}

// Sum sets dst to a + b.
func (Reference[F]) Sum(dst, a, b Matrix[F]) {
	checkSame("sum", dst, a)
	checkSame("sum", dst, b)
	for i, value := range a.Values {
		dst.Values[i] = value + b.Values[i]
	}
}

// Dot returns Σ a[i,j]·b[i,j].
func (Reference[F]) Dot(a, b Matrix[F]) float64 {
	checkSame("dot", a, b)
	return dot(a.Values, b.Values)
}

// Update performs one step of gradient descent with momentum and weight decay.
func (Reference[F]) Update(parameters, velocity, gradient []F, rate Rate) {
	checkLength("update", velocity, len(parameters))
	checkLength("update", gradient, len(parameters))
	update(parameters, velocity, gradient, rate)
}

// UpdateAdam performs one step of AdamW.
func (Reference[F]) UpdateAdam(parameters []F, moments [2][]F, gradient []F, step AdamStep) {
	checkAdam(parameters, moments, gradient)
	adam(parameters, moments, gradient, step)
}
