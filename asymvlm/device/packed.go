package device

// A Packed is a matrix of weights, out×in, packed once for the matrix products of one kind of
// device. It is immutable, and several devices with the same instructions may use it concurrently.
type Packed struct {
	// Rows and Columns are those of the weights: outputs and inputs.
	Rows, Columns int
	values        []float32
	kernel        string
	paired        bool // values are pairs of bfloat16
}

// Pack packs weights, out×in, for AffinePacked. The matrix is not retained. A device that
// multiplies in bfloat16 stores half the bytes.
func (c *CPU) Pack(weight Matrix[float32]) *Packed {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	p := &Packed{Rows: weight.Rows, Columns: weight.Columns, kernel: c.kernel.name, paired: c.kernel.paired}
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

// AffinePacked sets dst to input·weightᵀ with the bias. The result has the same bits as that of
// Affine; a bias without values is 0. AffinePacked panics if another kind of device packed the
// weights.
func (c *CPU) AffinePacked(dst, input Matrix[float32], weight *Packed, bias Bias[float32]) {
	shape := Matrix[float32]{Rows: weight.Rows, Columns: weight.Columns}
	checkProduct(dst, input, shape, form{rightTransposed: true})
	if len(bias.Values) > 0 {
		checkLength("bias", bias.Values, dst.Columns)
	}
	if weight.kernel != c.kernel.name || weight.paired != c.kernel.paired {
		panic("device: weights packed for " + weight.kernel + " in a product by " + c.kernel.name)
	}
	right := operand{matrix: shape, along: true, packed: weight.values}
	c.product(dst, operand{matrix: input, along: true}, right, ending{bias: bias})
}
