package device

// A packed operand is cut along its long side into panels of the micro-kernel's height or width and along the inner
// dimension into blocks. Within a panel the inner dimension is the slow one, so that the micro-kernel reads memory in
// order and never crosses a page it does not use; with rows 4096 bytes apart, as an operand of 1024 columns has them,
// unpacked rows would share one set of the cache.
//
// Order: block of the inner dimension, panel, place within the block, place within the panel. A right operand is packed as a whole,
// a left one by the threads that multiply it: the panels of a rectangle, one block after the other.

// innerBlock is the length of a block of the inner dimension. Rounding depends on it, so it is the same for all micro-kernels:
// those with fused multiplication and addition give the same bits. A right panel of 256×32 values is 32 KiB, the
// first-level cache of Zen 4, and is read in order.
const innerBlock = 256

// An operand is one side of a product and how to read it.
type operand struct {
	matrix Matrix[float32]
	// along tells that the inner dimension runs along the matrix's rows: the left side of a·b, the right side of a·bᵀ.
	along  bool
	width  int  // of a panel: the micro-kernel's rows for the left side, its columns for the right side
	paired bool // two neighbors along the inner dimension share a place, as bfloat16
	// sums, where it is set, gains the sum of the matrix's rows when an operand that is not along is packed.
	sums []float32
	// packed, where it is set, holds the panels already; the matrix has only its sizes then.
	packed []float32
}

// sizes returns the operand's long side and inner dimension.
func (o operand) sizes() (long, inner int) {
	if o.along {
		return o.matrix.Rows, o.matrix.Columns
	}
	return o.matrix.Columns, o.matrix.Rows
}

// panels returns the number of panels.
func (o operand) panels() int {
	long, _ := o.sizes()
	return (long + o.width - 1) / o.width
}

// offset returns where a panel of the block that starts at inner begins in the packed operand.
func (o operand) offset(panel, start, depth int) int {
	return o.places(start)*o.panels()*o.width + panel*o.width*o.places(depth)
}

// together is the number of panels that are packed side by side when an operand is not along: a row of one panel is less
// than a cache line or crosses two, and with rows 4096 bytes apart hardly any line stays until the next panel is packed.
func (o operand) together() int {
	if o.along {
		return 1
	}
	return max(1, 96/o.width) // 384 bytes of each row
}

// groups returns the number of groups of panels that are packed together.
func (o operand) groups() int { return (o.panels() + o.together() - 1) / o.together() }

// packGroup copies the panels of a group, all blocks of them.
func (o operand) packGroup(dst []float32, group int, unit vectorUnit) {
	from := group * o.together()
	to := min(from+o.together(), o.panels())
	_, inner := o.sizes()
	for start := 0; start < inner; start += innerBlock {
		o.packBlock(dst[o.offset(from, start, min(innerBlock, inner-start)):], from, to, start, unit)
	}
}

// packBlock copies some panels of the block that starts at start, one after the other. Places beyond the operand become 0.
func (o operand) packBlock(dst []float32, from, to, start int, unit vectorUnit) {
	_, inner := o.sizes()
	places := o.places(min(innerBlock, inner-start))
	for first := from; first < to; first += o.together() {
		beside := min(first+o.together(), to)
		if o.paired {
			o.packPairs(dst, first, beside, start, unit)
		} else {
			o.packBeside(dst, first, beside, start, unit)
		}
		dst = dst[(beside-first)*o.width*places:]
	}
}

// packBeside copies panels of a block that lie side by side.
func (o operand) packBeside(dst []float32, from, to, start int, unit vectorUnit) {
	long, inner := o.sizes()
	depth := min(innerBlock, inner-start)
	size := depth * o.width
	if o.along || !unit.fma || to*o.width > long {
		for panel := from; panel < to; panel++ {
			o.pack(dst[(panel-from)*size:][:size], panel, start, unit)
		}
		return
	}
	columns := o.matrix.Columns
	const few = 16 // rows whose lines stay in the first-level cache
	for k := 0; k < depth; k += few {
		for panel := from; panel < to; panel++ {
			at := (panel-from)*size + k*o.width
			copyPanel(o.width, &dst[at], &o.matrix.Values[(start+k)*columns+panel*o.width], columns, min(few, depth-k))
		}
	}
	for panel := from; panel < to && len(o.sums) > 0; panel++ {
		sumPanel(o.width, &o.sums[panel*o.width], &dst[(panel-from)*size], depth)
	}
}

// pack copies one panel of a block.
func (o operand) pack(block []float32, panel, start int, unit vectorUnit) {
	long, _ := o.sizes()
	first := panel * o.width
	valid := min(o.width, long-first)
	if valid < o.width {
		clear(block)
	}
	if o.along {
		o.packRows(block, first, valid, start, unit)
		return
	}
	o.packColumns(block, first, valid, start)
}

// packColumns copies columns of the operand into a block and adds them up where sums are wanted. They are added row by
// row, so their order does not depend on the number of threads.
func (o operand) packColumns(block []float32, first, valid, start int) {
	columns, depth := o.matrix.Columns, len(block)/o.width
	for k := range depth {
		from := (start+k)*columns + first
		copy(block[k*o.width:k*o.width+valid], o.matrix.Values[from:from+valid])
	}
	if len(o.sums) == 0 {
		return
	}
	sums := o.sums[first : first+valid]
	for k := range depth {
		for j := range sums {
			sums[j] += block[k*o.width+j]
		}
	}
}

// packRows copies rows of the operand into a block as columns, four rows at a time where the processor can.
func (o operand) packRows(block []float32, first, valid, start int, unit vectorUnit) {
	columns, depth := o.matrix.Columns, len(block)/o.width
	row, whole := 0, 0 // rows and columns that transposeFour copies
	if unit.fma {
		row, whole = valid/4*4, depth/8*8
	}
	// Chunk by chunk, so that the lines of the block which four rows fill in part stay in the first-level cache for the next four.
	const chunk = 64
	for k := 0; k < whole; k += chunk {
		eights := min(chunk, whole-k) / 8
		for r := 0; r < row; r += 4 {
			transposeFour(&block[k*o.width+r], o.width, &o.matrix.Values[(first+r)*columns+start+k], columns, eights)
		}
	}
	for r := range row {
		line := o.matrix.Values[(first+r)*columns+start:]
		for k := whole; k < depth; k++ {
			block[k*o.width+r] = line[k]
		}
	}
	for ; row < valid; row++ {
		from := (first+row)*columns + start
		for k, value := range o.matrix.Values[from : from+depth] {
			block[k*o.width+row] = value
		}
	}
}
