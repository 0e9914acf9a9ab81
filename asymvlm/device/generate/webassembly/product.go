package main

// This file has the kernel of matrix products. It adds in the order of plainTile in package device:
// the products over the depth, starting from 0, and the earlier sum last. Where products are
// rounded, the results have the bits of that Go kernel; where multiply-adds are fused, those of the
// assembly.
//
// A tile has 4×32 values. Its columns are computed eight at a time, for all left panels, so that
// eight columns of the right panel stay in the first-level cache. V8 loads everything that an
// iteration reads before it computes. Each iteration therefore handles one index of the depth: its
// eight sums, two vectors of the right panel and four broadcasts fit in the 15 registers that V8
// uses on amd64.
const (
	productSignature = "func productSIMD(depth int, count int, a *float32, b *float32, c *float32, earlier *float32, stride int)"
	tileRows         = 4
	tileColumns      = 32
	rowBytes         = 4 * tileColumns
)

// A multiplier emits the kernel.
type multiplier struct {
	*body
	left, right, sum, before, row, steps variable // addresses, and the number of steps
	one                                  variable
	beside                               [2]variable
	sums                                 [tileRows][2]variable
}

// productBody returns the code of productSIMD.
func productBody(f function, isFused bool) *body {
	b := &body{isFused: isFused}
	arguments := map[string]variable{}
	for i, p := range f.parameters {
		v := b.integer()
		arguments[p.name] = v
		b.get(0)
		b.raw(unsigned([]byte{opLoad, 2}, uint32(8*i))...)
		b.set(v)
	}
	depth, count, a, right, c := arguments["depth"], arguments["count"], arguments["a"], arguments["b"], arguments["c"]
	earlier, stride := arguments["earlier"], arguments["stride"]
	m := &multiplier{body: b, left: b.integer(), right: b.integer(), sum: b.integer(), before: b.integer(), row: b.integer(), steps: b.integer()}
	m.one, m.beside = b.vector(), [2]variable{b.vector(), b.vector()}
	for i := range m.sums {
		m.sums[i] = [2]variable{b.vector(), b.vector()}
	}
	m.shift(stride, 2)
	eights, panels := b.integer(), b.integer()
	m.assign(eights, tileColumns/8)
	b.raw(opLoop, noResult)
	{
		m.copyOf(m.left, a)
		m.copyOf(m.sum, c)
		m.copyOf(m.before, earlier)
		m.copyOf(panels, count)
		b.raw(opLoop, noResult)
		{
			m.tile(depth, right, stride, earlier)
			m.increase(m.before, rowBytes*tileRows)
			m.countDown(panels)
		}
		b.raw(opEnd)
		m.increase(right, 32)
		m.increase(c, 32)
		b.get(earlier)
		b.raw(opIf, noResult)
		m.increase(earlier, 32)
		b.raw(opEnd)
		m.countDown(eights)
	}
	b.raw(opEnd)
	return b
}

// tile computes eight columns of a tile.
func (m *multiplier) tile(depth, right, stride, earlier variable) {
	m.copyOf(m.right, right)
	for _, pair := range m.sums {
		for _, sum := range pair {
			m.simd(v128Const, make([]byte, 16)...)
			m.set(sum)
		}
	}
	m.copyOf(m.steps, depth)
	m.raw(opLoop, noResult)
	m.step()
	m.increase(m.left, 4*tileRows)
	m.increase(m.right, rowBytes)
	m.countDown(m.steps)
	m.raw(opEnd)
	m.get(earlier)
	m.raw(opIf, noResult)
	for i, pair := range m.sums {
		for half, sum := range pair {
			m.get(sum, m.before)
			m.memory(v128Load, uint32(rowBytes*i+16*half))
			m.simd(f32x4Add)
			m.set(sum)
		}
	}
	m.raw(opEnd)
	for _, pair := range m.sums {
		for half, sum := range pair {
			m.get(m.sum, sum)
			m.memory(v128Store, uint32(16*half))
		}
		m.get(m.sum, stride)
		m.raw(opAdd)
		m.set(m.sum)
	}
}

// step adds the products of one index of the depth.
func (m *multiplier) step() {
	for half, v := range m.beside {
		m.get(m.right)
		m.memory(v128Load, 16*uint32(half))
		m.set(v)
	}
	for i, pair := range m.sums {
		m.get(m.left)
		m.memory(v128LoadSplat32, 4*uint32(i))
		m.set(m.one)
		for half, sum := range pair {
			if m.isFused {
				m.get(m.one, m.beside[half], sum)
				m.simd(f32x4RelaxedMadd)
			} else {
				m.get(sum, m.one, m.beside[half])
				m.simd(f32x4Mul)
				m.simd(f32x4Add)
			}
			m.set(sum)
		}
	}
}

func (m *multiplier) assign(v variable, n int32) {
	m.number(n)
	m.set(v)
}

func (m *multiplier) copyOf(v, from variable) {
	m.get(from)
	m.set(v)
}

func (m *multiplier) increase(v variable, n int32) {
	m.get(v)
	m.number(n)
	m.raw(opAdd)
	m.set(v)
}

func (m *multiplier) shift(v variable, n int32) {
	m.get(v)
	m.number(n)
	m.raw(opShl)
	m.set(v)
}

// countDown decreases a counter and repeats the loop if it is not 0.
func (m *multiplier) countDown(v variable) {
	m.increase(v, -1)
	m.get(v)
	m.branch(0)
}
