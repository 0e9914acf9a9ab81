package device

// A packed operand is divided along its long side into panels of the micro-kernel's height or width
// and along the inner dimension into blocks. Within a panel the inner dimension varies slowest, so
// that the micro-kernel reads memory sequentially and touches no page it does not use. Without
// packing, the rows of an operand with 1024 columns would be 4096 bytes apart and share one cache
// set.
//
// Order: block of the inner dimension, panel, index within the block, index within the panel. A
// right operand is packed completely before the multiplication; a left operand is packed by the
// threads that multiply it, one rectangle's panels of one block at a time.

// innerBlock is the length of a block of the inner dimension. Rounding depends on it, so it is the
// same for all micro-kernels: those with fused multiply-add produce the same bits. A right panel of
// 256×32 values is 32 KiB, the size of Zen 4's first-level cache, and is read sequentially.
const innerBlock = 256

// An operand is one side of a matrix product and its layout.
type operand struct {
	matrix Matrix[float32]
	// along is set if the inner dimension runs along the matrix's rows: the left side of a·b, the
	// right side of a·bᵀ.
	along  bool
	width  int  // of a panel: the micro-kernel's rows for the left side, its columns for the right side
	paired bool // two neighbors along the inner dimension share a slot, as bfloat16
	// sums, if not nil, is increased by the sum of the matrix's rows when an operand that is not
	// along is packed.
	sums []float32
	// packed, if not nil, contains the packed panels; matrix then has only its sizes.
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

// offset returns the offset of a panel of the block that begins at start in the packed operand.
func (o operand) offset(panel, start, depth int) int {
	return o.places(start)*o.panels()*o.width + panel*o.width*o.places(depth)
}

// together returns the number of panels that are packed together if an operand is not along. A row
// of one panel is shorter than a cache line or spans two, and with rows 4096 bytes apart hardly any
// line stays in the cache until the next panel is packed.
func (o operand) together() int {
	if o.along {
		return 1
	}
	return max(1, 96/o.width) // 384 bytes of each row
}

// groups returns the number of groups of panels that are packed together.
func (o operand) groups() int { return (o.panels() + o.together() - 1) / o.together() }

// packGroup packs the panels of a group, for all blocks.
func (o operand) packGroup(dst []float32, group int, unit vectorUnit) {
	from := group * o.together()
	to := min(from+o.together(), o.panels())
	_, inner := o.sizes()
	for start := 0; start < inner; start += innerBlock {
		o.packBlock(dst[o.offset(from, start, min(innerBlock, inner-start)):], from, to, start, unit)
	}
}

// packBlock packs panels of the block that begins at start, one after the other. Slots beyond the
// operand become 0.
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

// packBeside packs adjacent panels of a block.
func (o operand) packBeside(dst []float32, from, to, start int, unit vectorUnit) {
	long, inner := o.sizes()
	depth := min(innerBlock, inner-start)
	size := depth * o.width
	if o.along || !unit.assembled() || to*o.width > long {
		for panel := from; panel < to; panel++ {
			o.pack(dst[(panel-from)*size:][:size], panel, start, unit)
		}
		return
	}
	columns := o.matrix.Columns
	few := 16 // rows whose lines stay in the first-level cache
	if unit.simd {
		few = depth // calls take longer than cache misses
	}
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

// pack packs one panel of a block.
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

// packColumns copies columns of the operand into a block and adds them to sums if requested. Rows
// are added in order, so the result does not depend on the number of threads.
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

// packRows transposes rows of the operand into a block, four rows per call if the CPU has the
// instructions.
func (o operand) packRows(block []float32, first, valid, start int, unit vectorUnit) {
	columns, depth := o.matrix.Columns, len(block)/o.width
	row, whole := 0, 0 // rows and columns that transposeFour copies
	if unit.assembled() {
		row, whole = valid/4*4, depth/8*8
	}
	// Copy in chunks, so that cache lines of the block that four rows fill in part stay in the
	// first-level cache for the next four.
	chunk := 64
	if unit.simd {
		chunk = innerBlock // calls take longer than cache misses
	}
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
