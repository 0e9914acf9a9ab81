package device

// A Packed is a matrix of weights, out×in, arranged once for the products of one kind of device. It is not changed
// afterward, and several devices with the same instructions may use it at the same time.
type Packed struct {
	// Rows and Columns are those of the weights: outputs and inputs.
	Rows, Columns int
	values        []float32
	kernel        string
}

// Pack arranges weights, out×in, for AffinePacked. The matrix is not needed afterward.
func (c *CPU) Pack(weight Matrix[float32]) *Packed {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p := &Packed{Rows: weight.Rows, Columns: weight.Columns, kernel: c.kernel.name}
	right := operand{matrix: weight, along: true, width: c.kernel.columns, paired: c.kernel.paired}
	if weight.Rows == 0 || weight.Columns == 0 {
		return p
	}
	p.values = onHugePages(make([]float32, right.panels()*right.width*right.places(weight.Columns)))
	for group := range right.groups() {
		right.packGroup(p.values, group, c.unit)
	}
	return p
}

// AffinePacked sets dst to input·weightᵀ with the bias, as Affine does and to the same bits; without values the bias is
// 0. Weights that another kind of device has packed are a mistake in the program and panic.
func (c *CPU) AffinePacked(dst, input Matrix[float32], weight *Packed, bias Bias[float32]) {
	shape := Matrix[float32]{Rows: weight.Rows, Columns: weight.Columns}
	checkProduct(dst, input, shape, form{rightTransposed: true})
	if len(bias.Values) > 0 {
		checkLength("bias", bias.Values, dst.Columns)
	}
	if weight.kernel != c.kernel.name {
		panic("device: weights packed for " + weight.kernel + " in a product by " + c.kernel.name)
	}
	right := operand{matrix: shape, along: true, packed: weight.values}
	c.product(dst, operand{matrix: input, along: true}, right, ending{bias: bias})
}
