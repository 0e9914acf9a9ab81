package device

// panels is a packed right panel and some packed left ones of the same depth, with their
// parameters.
type panels struct {
	depth   int
	count   int       // number of left panels, at least 1
	left    []float32 // count times depth×rows of the kernel, one after the other
	right   []float32 // depth×columns of the kernel
	ahead   []float32 // data to prefetch: for each tile depth/4 cache lines, if the kernel supports it
	earlier []float32 // sums to add: count times rows×columns of the kernel, one after the other; nil for none
}

// A kernel multiplies a right panel by some left ones. For each left panel it sets a tile of c,
// with rows stride values apart and one tile below the other, to leftᵀ·right plus the earlier sums,
// which may be in c itself.
type kernel struct {
	name          string
	rows, columns int
	tiles         func(p panels, c []float32, stride int)
	paired        bool // slots of the panels hold pairs of bfloat16; a depth counts pairs
}

// oneByOne returns a kernel's tiles function for a function that computes one tile.
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

// plainTile keeps the 16 sums of a 4×4 tile in variables, which the compiler can keep in registers.
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

// A part of a matrix product is a rectangle of dst of at most these sizes, computed by one thread,
// which packs its left panels: a block of them (96 KiB) stays in the second-level cache while the
// right panels, shared by all threads, are read. If there are too few parts for the threads, parts
// have fewer rows, down to leastRows, and then fewer columns, down to leastColumns. The result does
// not depend on the division.
const (
	partRows      = 96
	leastRows     = 24
	partColumns   = 2048
	leastColumns  = 256
	partsOfThread = 4
)

type productRound int

const (
	packing     productRound = iota // a part is a group of right panels
	multiplying                     // a part is a rectangle of dst
	endingRows                      // a part is some rows of dst that a library has computed
)

// A productTask computes one matrix product in two rounds: packing, where a part is a group of
// right panels, and multiplying, where a part is a rectangle of dst.
type productTask struct {
	cpu         *CPU
	dst         Matrix[float32]
	left, right operand
	panels      []float32 // the packed right operand
	round       productRound
	bias        Bias[float32]   // added to the rows of dst, if it has values
	rectified   Matrix[float32] // dst is set to 0 where it is 0, if it has values
	acrossParts int             // number of rectangles side by side
	downs       []int           // indices of the left panels at which rectangles begin from top to bottom, and the end
	rowPanels   int             // the largest number of left panels of a rectangle
	columnParts int             // the largest number of right panels of a rectangle
}

// An ending is applied to a rectangle of a product while it is still in the cache.
type ending struct {
	bias      Bias[float32]
	rectified Matrix[float32]
}

// product sets dst to left·right and applies the ending.
func (c *CPU) product(dst Matrix[float32], left, right operand, end ending) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if dst.Rows == 0 || dst.Columns == 0 {
		return
	}
	t := &c.multiply
	defer t.forget()
	left.width, right.width = c.kernel.rows, c.kernel.columns
	left.paired, right.paired = c.kernel.paired, c.kernel.paired
	t.cpu, t.dst, t.left, t.right, t.bias, t.rectified = c, dst, left, right, end.bias, end.rectified
	_, inner := left.sizes()
	if inner == 0 {
		clear(dst.Values[:dst.Rows*dst.Columns])
		t.end(0, dst.Rows, 0, dst.Columns)
		return
	}
	if c.blas != nil && right.packed == nil && 2*float64(dst.Rows)*float64(dst.Columns)*float64(inner) >= c.blas.least {
		t.library(form{leftTransposed: !left.along, rightTransposed: right.along})
		return
	}
	if t.panels = right.packed; t.panels == nil {
		c.right = grow(c.right, right.panels()*right.width*right.places(inner))
		t.panels = c.right
		t.round = packing
		c.run(t, right.groups())
	}
	t.round = multiplying
	t.cut()
	for i := range c.buffers {
		c.buffers[i].left = grow(c.buffers[i].left, t.rowPanels*left.width*left.places(innerBlock))
		c.buffers[i].sums = grow(c.buffers[i].sums, t.sumsAt(t.columnParts))
	}
	c.run(t, t.parts())
}

// forget drops the arguments, so that they are not kept alive between operations.
func (t *productTask) forget() { *t = productTask{downs: t.downs[:0]} }

// cut divides dst into rectangles of the preferred width, or narrower ones if there would be too
// few for the threads.
func (t *productTask) cut() {
	for columns := partColumns; ; columns /= 2 {
		t.columnParts = min(max(1, columns/t.right.width), t.right.panels())
		t.acrossParts = (t.right.panels() + t.columnParts - 1) / t.columnParts
		t.cutRows()
		if t.parts() >= partsOfThread*t.cpu.threads || columns/2 < leastColumns {
			return
		}
	}
}

// cutRows sets the rows of the rectangles. They become smaller toward the end, so that the threads
// finish together.
func (t *productTask) cutRows() {
	panels := t.left.panels()
	most, least := max(1, partRows/t.left.width), max(1, leastRows/t.left.width)
	t.rowPanels = 0
	t.downs = append(t.downs[:0], 0)
	for at := 0; at < panels; {
		share := (panels - at) * t.acrossParts / (2 * t.cpu.threads)
		size := min(max(share, least), most, panels-at)
		t.rowPanels = max(t.rowPanels, size)
		at += size
		t.downs = append(t.downs, at)
	}
}

// parts returns the number of rectangles.
func (t *productTask) parts() int { return (len(t.downs) - 1) * t.acrossParts }

// grow returns a slice of the given length, reusing s if it is large enough. Its content is
// undefined.
func grow[E Float | int32](s []E, length int) []E {
	if cap(s) < length {
		return onHugePages(make([]E, length))
	}
	return s[:length]
}

// do runs one part of the round.
func (t *productTask) do(part, worker int) {
	switch t.round {
	case multiplying:
		t.rectangle(part, worker)
		return
	case endingRows:
		t.end(part*rowBlock, min((part+1)*rowBlock, t.dst.Rows), 0, t.dst.Columns)
		return
	}
	t.right.packGroup(t.panels, part, t.cpu.unit)
}

// rectangle computes one rectangle of dst, block by block of the inner dimension. Sums are kept
// tile by tile until the last block, because rows of dst are often 4096 bytes apart and those of a
// tile would share one cache set.
func (t *productTask) rectangle(part, worker int) {
	down, columnFrom := part/t.acrossParts, part%t.acrossParts*t.columnParts
	rowFrom, rowTo := t.downs[down], t.downs[down+1]
	columnTo := min(columnFrom+t.columnParts, t.right.panels())
	own, left := &t.cpu.buffers[worker], t.left
	if columnFrom > 0 {
		left.sums = nil // the rectangle at the left edge adds its rows to sums, for all beside it
	}
	_, inner := left.sizes()
	for start := 0; start < inner; start += innerBlock {
		depth := min(innerBlock, inner-start)
		places := left.places(depth)
		p := panels{depth: places, count: rowTo - rowFrom}
		p.left = own.left[:p.count*places*left.width]
		left.packBlock(p.left, rowFrom, rowTo, start, t.cpu.unit)
		for column := columnFrom; column < columnTo; column++ {
			at := t.right.offset(column, start, depth)
			p.right = t.panels[at : at+places*t.right.width]
			p.ahead = t.panels[t.following(column, columnFrom, columnTo, start):]
			sums := own.sums[t.sumsAt(column-columnFrom):]
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

// following returns the offset of the right panel that a rectangle needs next: the following panel,
// or the first of the next block.
func (t *productTask) following(column, from, to, start int) int {
	_, inner := t.right.sizes()
	if column++; column == to {
		column, start = from, start+innerBlock
	}
	if start >= inner { // after the last panel, prefetch it again
		column, start = to-1, start-innerBlock
	}
	return t.right.offset(column, start, min(innerBlock, inner-start))
}

// end applies the ending to a rectangle of dst, given by rows and columns.
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

// sumsAt returns the offset of the sums of one column of a rectangle's tiles.
func (t *productTask) sumsAt(column int) int {
	return column * t.rowPanels * t.left.width * t.right.width
}

// lastTiles computes tiles of dst, the first at the given row and column, for the last block of the
// inner dimension.
func (t *productTask) lastTiles(p panels, row, column int, sums []float32) {
	k, columns := &t.cpu.kernel, t.dst.Columns
	c := t.dst.Values[row*columns+column:]
	width, whole := min(k.columns, columns-column), 0
	if width == k.columns {
		whole = min(p.count, (t.dst.Rows-row)/k.rows)
	}
	if rest := p.from(whole, k); rest.count > 0 {
		// The kernel writes whole tiles, so tiles at the edges of dst go through a buffer.
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
