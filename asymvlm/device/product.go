package device

// panels are a packed right panel and some packed left ones of the same depth, and what goes with them.
type panels struct {
	depth   int
	count   int       // of the left panels, at least 1
	left    []float32 // count times depth×rows of the kernel, one after the other
	right   []float32 // depth×columns of the kernel
	ahead   []float32 // what is wanted next: for each tile as many cache lines as depth/4 are asked for, if the kernel can
	earlier []float32 // sums to add: count times rows×columns of the kernel, one after the other; nil for none
}

// A kernel multiplies a right panel by some left ones: each becomes a tile of c, with rows stride values apart and one tile
// below the other, that is leftᵀ·right, and the earlier sums more. They may be those at c itself.
type kernel struct {
	name          string
	rows, columns int
	tiles         func(p panels, c []float32, stride int)
	paired        bool // places of the panels hold pairs of bfloat16; a depth counts pairs
}

// oneByOne returns a kernel's tiles for a function that does one of them.
func oneByOne(rows, columns int, tile func(p panels, c []float32, stride int)) func(p panels, c []float32, stride int) {
	return func(p panels, c []float32, stride int) {
		for i := range p.count {
			one := panels{depth: p.depth, count: 1, left: p.left[i*p.depth*rows:], right: p.right, ahead: p.ahead}
			if p.earlier != nil {
				one.earlier = p.earlier[i*rows*columns:]
			}
			tile(one, c[i*rows*stride:], stride)
		}
	}
}

// plainKernel is the kernel in Go.
var plainKernel = kernel{name: "Go", rows: 4, columns: 4, tiles: oneByOne(4, 4, plainTile)}

// plainTile keeps the 16 sums of a 4×4 tile in variables, which the compiler can leave in registers.
func plainTile(p panels, c []float32, stride int) {
	for half := 0; half < 4; half += 2 {
		var s00, s01, s02, s03, s10, s11, s12, s13 float32
		left, right := p.left[half:4*p.depth], p.right[:4*p.depth]
		for len(right) >= 4 && len(left) >= 2 {
			a0, a1 := left[0], left[1]
			b0, b1, b2, b3 := right[0], right[1], right[2], right[3]
			s00, s01, s02, s03 = s00+a0*b0, s01+a0*b1, s02+a0*b2, s03+a0*b3
			s10, s11, s12, s13 = s10+a1*b0, s11+a1*b1, s12+a1*b2, s13+a1*b3
			right = right[4:]
			left = left[min(4, len(left)):]
		}
		p.store(c, stride, half, [4]float32{s00, s01, s02, s03})
		p.store(c, stride, half+1, [4]float32{s10, s11, s12, s13})
	}
}

// store writes one row of a tile of four columns.
func (p panels) store(c []float32, stride, row int, sums [4]float32) {
	for j, sum := range sums {
		if p.earlier != nil {
			sum += p.earlier[4*row+j]
		}
		c[row*stride+j] = sum
	}
}

// A part of a product is a rectangle of dst of at most these sizes, computed by one thread. The left panels of a part
// (a block of them is 180 KiB) stay in the second-level cache while the right panels pass by. Where many threads would wait
// for few parts, parts have fewer rows, down to leastRows; the result does not depend on it.
const (
	partRows      = 180
	leastRows     = 60
	partColumns   = 512
	partsOfThread = 4
)

type productRound int

const (
	packing     productRound = iota // a part is a group of panels of either operand
	multiplying                     // a part is a rectangle of dst
	endingRows                      // a part is some rows of dst, which a library has computed
)

// A productTask computes one product in two rounds: packing, where a part is one panel of either operand, and
// multiplying, where a part is a rectangle of dst.
type productTask struct {
	cpu         *CPU
	dst         Matrix[float32]
	left, right operand
	round       productRound
	bias        Bias[float32]   // added to the rows of dst, where it has values
	rectified   Matrix[float32] // dst becomes 0 where it is 0, where it has values
	acrossParts int             // rectangles side by side
	downParts   int             // rectangles one below the other
	rowPanels   int             // the most left panels of a rectangle
	columnParts int             // the most right panels of a rectangle
}

// An ending is what is done with a rectangle of a product while it is still in the cache.
type ending struct {
	bias      Bias[float32]
	rectified Matrix[float32]
}

// product does dst = left·right.
func (c *CPU) product(dst Matrix[float32], left, right operand, end ending) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if dst.Rows == 0 || dst.Columns == 0 {
		return
	}
	t := &c.multiply
	left.width, right.width = c.kernel.rows, c.kernel.columns
	left.paired, right.paired = c.kernel.paired, c.kernel.paired
	t.cpu, t.dst, t.left, t.right, t.bias, t.rectified = c, dst, left, right, end.bias, end.rectified
	_, inner := left.sizes()
	if inner == 0 {
		clear(dst.Values[:dst.Rows*dst.Columns])
		t.end(0, dst.Rows, 0, dst.Columns)
		return
	}
	if c.blas != nil && 2*float64(dst.Rows)*float64(dst.Columns)*float64(inner) >= c.blas.least {
		t.library(form{leftTransposed: !left.along, rightTransposed: right.along})
		*t = productTask{}
		return
	}
	c.left = grow(c.left, left.panels()*left.width*left.places(inner))
	c.right = grow(c.right, right.panels()*right.width*right.places(inner))
	t.round = packing
	c.run(t, left.groups()+right.groups())
	t.round = multiplying
	t.columnParts = max(1, partColumns/right.width)
	t.acrossParts = (right.panels() + t.columnParts - 1) / t.columnParts
	t.cut(max(1, partRows/left.width), max(1, leastRows/left.width))
	for i := range c.sums {
		c.sums[i] = grow(c.sums[i], t.sumsAt(t.columnParts))
	}
	c.run(t, t.downParts*t.acrossParts)
	*t = productTask{} // arguments are not kept alive between operations
}

// cut sets the rectangles' rows: as many left panels as are wanted, fewer where threads would have few rectangles or where all
// of them then have equally many; at least as many as are said.
func (t *productTask) cut(wanted, least int) {
	panels, threads := t.left.panels(), t.cpu.threads
	most := max(1, panels/least)
	t.downParts = (panels + wanted - 1) / wanted
	for t.downParts < most && (t.downParts*t.acrossParts < partsOfThread*threads || t.downParts*t.acrossParts%threads != 0) {
		t.downParts++
	}
	t.rowPanels = (panels + t.downParts - 1) / t.downParts
}

// leftPanels returns the number of left panels above a row of rectangles.
func (t *productTask) leftPanels(down int) int { return down * t.left.panels() / t.downParts }

// grow returns a slice of the wanted length, the old one when it is large enough. Its content is undefined.
func grow[E Float | int32](s []E, length int) []E {
	if cap(s) < length {
		return onHugePages(make([]E, length))
	}
	return s[:length]
}

// do does one part of the round.
func (t *productTask) do(part, worker int) {
	switch t.round {
	case multiplying:
		t.rectangle(part, worker)
		return
	case endingRows:
		t.end(part*rowBlock, min((part+1)*rowBlock, t.dst.Rows), 0, t.dst.Columns)
		return
	}
	if left := t.left.groups(); part >= left {
		t.right.packGroup(t.cpu.right, part-left, t.cpu.unit)
	} else {
		t.left.packGroup(t.cpu.left, part, t.cpu.unit)
	}
}

// rectangle computes one rectangle of dst, block by block of the inner dimension. Sums are kept tile by tile until the last
// block: rows of dst are often 4096 bytes apart, and those of a tile would share one set of the cache.
func (t *productTask) rectangle(part, worker int) {
	down, columnFrom := part/t.acrossParts, part%t.acrossParts*t.columnParts
	rowFrom, rowTo := t.leftPanels(down), t.leftPanels(down+1)
	columnTo := min(columnFrom+t.columnParts, t.right.panels())
	_, inner := t.left.sizes()
	for start := 0; start < inner; start += innerBlock {
		depth := min(innerBlock, inner-start)
		places := t.left.places(depth)
		block := t.left.offset(rowFrom, start, depth)
		p := panels{depth: places, count: rowTo - rowFrom}
		p.left = t.cpu.left[block : block+p.count*places*t.left.width]
		for column := columnFrom; column < columnTo; column++ {
			at := t.right.offset(column, start, depth)
			p.right = t.cpu.right[at : at+places*t.right.width]
			p.ahead = t.cpu.right[t.following(column, columnFrom, columnTo, start):]
			sums := t.cpu.sums[worker][t.sumsAt(column-columnFrom):]
			if p.earlier = nil; start > 0 {
				p.earlier = sums
			}
			if start+depth < inner {
				t.cpu.kernel.tiles(p, sums, t.right.width)
			} else {
				t.lastTiles(p, rowFrom*t.left.width, column*t.right.width, sums)
			}
		}
	}
	t.end(rowFrom*t.left.width, min(rowTo*t.left.width, t.dst.Rows),
		columnFrom*t.right.width, min(columnTo*t.right.width, t.dst.Columns))
}

// following returns the offset of the right panel that a rectangle needs after one: the next, or the first of the next block.
func (t *productTask) following(column, from, to, start int) int {
	_, inner := t.right.sizes()
	if column++; column == to {
		column, start = from, start+innerBlock
	}
	if start >= inner { // the last of all: asked for once more, for nothing
		column, start = to-1, start-innerBlock
	}
	return t.right.offset(column, start, min(innerBlock, inner-start))
}

// end finishes a rectangle of dst: some rows and columns.
func (t *productTask) end(rowFrom, rowTo, from, to int) {
	u := t.cpu.unit
	for i := rowFrom; i < rowTo; i++ {
		if len(t.bias.Values) > 0 {
			u.addBias(t.dst.Row(i)[from:to], t.bias.Values[from:to], t.bias.Rectify)
		}
		if len(t.rectified.Values) > 0 {
			u.mask(t.dst.Row(i)[from:to], t.rectified.Row(i)[from:to])
		}
	}
}

// sumsAt returns where the sums of a rectangle's tiles of one column of them are kept.
func (t *productTask) sumsAt(column int) int {
	return column * t.rowPanels * t.left.width * t.right.width
}

// lastTiles computes tiles of dst, the first at a row and a column, with the last block of the inner dimension.
func (t *productTask) lastTiles(p panels, row, column int, sums []float32) {
	k, columns := &t.cpu.kernel, t.dst.Columns
	c := t.dst.Values[row*columns+column:]
	width, whole := min(k.columns, columns-column), 0
	if width == k.columns {
		whole = min(p.count, (t.dst.Rows-row)/k.rows)
	}
	if rest := p.from(whole, k); rest.count > 0 {
		// The kernel writes whole tiles: not at the edges of dst.
		edge := sums[whole*k.rows*k.columns:]
		k.tiles(rest, edge, k.columns)
		for i := whole * k.rows; i < min(p.count*k.rows, t.dst.Rows-row); i++ {
			copy(c[i*columns:i*columns+width], sums[i*k.columns:])
		}
	}
	if p.count = whole; whole > 0 {
		k.tiles(p, c, columns)
	}
}

// from returns the panels without the first left ones.
func (p panels) from(first int, k *kernel) panels {
	p.count -= first
	p.left = p.left[first*p.depth*k.rows:]
	if p.earlier != nil {
		p.earlier = p.earlier[first*k.rows*k.columns:]
	}
	return p
}
