package hostcall

const entryFrame = 392 // size of the entry's frame

// entered and enteredFloats are those of entry_amd64.go, for the registers of this architecture.
//
//go:norace
//go:nocheckptr
func entered(f *Func, in words) (i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15 uintptr) {
	c := Call{layout: f.layout, in: &in}
	handle(f, &c)
	// From here on there is no safe point that depends on the types of the results.
	return c.word(0), c.word(1), c.word(2), c.word(3), c.word(4), c.word(5), c.word(6), c.word(7),
		c.word(8), c.word(9), c.word(10), c.word(11), c.word(12), c.word(13), c.word(14), c.word(15)
}

//go:norace
//go:nocheckptr
func enteredFloats(f *Func, in words) (i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15 uintptr, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15 float64) {
	var x [floatRegisters]float64
	c := Call{layout: f.layout, in: &in, floats: &x}
	handle(f, &c)
	// See entered.
	return c.word(0), c.word(1), c.word(2), c.word(3), c.word(4), c.word(5), c.word(6), c.word(7),
		c.word(8), c.word(9), c.word(10), c.word(11), c.word(12), c.word(13), c.word(14), c.word(15),
		x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
		x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]
}
