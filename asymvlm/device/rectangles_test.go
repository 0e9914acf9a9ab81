package device

import (
	"fmt"
	"slices"
	"testing"
)

// cutFor returns the rectangles of a product for a number of threads.
func cutFor(rows, columns, threads int, k kernel) productTask {
	t := productTask{cpu: &CPU{threads: threads}}
	t.left = operand{matrix: Matrix[float32]{Rows: rows, Columns: 1}, along: true, width: k.rows}
	t.right = operand{matrix: Matrix[float32]{Rows: columns, Columns: 1}, along: true, width: k.columns}
	t.cut()
	return t
}

func TestRectanglesCoverAProductOnce(t *testing.T) {
	for _, unit := range units() {
		k := kernelOf(unit)
		for _, threads := range []int{1, 2, 3, 16, 64} {
			for _, size := range [][2]int{{1, 1}, {11, 33}, {512, 384}, {2048, 1024}, {2048, 2048}, {1024, 5000}, {25, 9001}, {9001, 25}} {
				name := fmt.Sprintf("%s: %d×%d for %d threads", k.name, size[0], size[1], threads)
				c := cutFor(size[0], size[1], threads, k)
				if c.downs[0] != 0 || c.downs[len(c.downs)-1] != c.left.panels() || c.acrossParts*c.columnParts < c.right.panels() ||
					(c.acrossParts-1)*c.columnParts >= c.right.panels() {
					t.Fatalf("%s: rows cut at %v of %d panels, %d times %d columns of %d", name, c.downs, c.left.panels(), c.acrossParts, c.columnParts, c.right.panels())
				}
				for i, to := range c.downs[1:] {
					if rows := to - c.downs[i]; rows < 1 || rows > c.rowPanels || rows*k.rows > max(partRows, k.rows) {
						t.Errorf("%s: rectangle %d has %d panels", name, i, rows)
					}
				}
			}
		}
	}
}

// Threads wait at the end for at most the last rectangle, so the last ones are small. With many
// threads, every thread has work.
func TestTheLastRectanglesAreSmall(t *testing.T) {
	for _, unit := range units() {
		k := kernelOf(unit)
		for _, threads := range []int{2, 4, 8} {
			c := cutFor(2048, 1024, threads, k)
			last := len(c.downs) - 1
			if rows := (c.downs[last] - c.downs[last-1]) * k.rows; rows > leastRows {
				t.Errorf("%s, %d threads: the last rectangle has %d rows", k.name, threads, rows)
			}
		}
		if c := cutFor(2048, 1024, 64, k); c.parts() < partsOfThread*64 {
			t.Errorf("%s: 64 threads have %d rectangles", k.name, c.parts())
		}
	}
}

// One call multiplies all left panels of a rectangle: it has the same effect as one call for each
// of them, and writes nothing else.
func TestEveryKernelMultipliesPanelsAsOneByOne(t *testing.T) {
	for _, unit := range units() {
		for _, k := range []kernel{kernelOf(unit), pairsKernelOf(unit)} {
			for _, depth := range []int{1, 6, 256} {
				checkPanels(t, k, depth)
			}
		}
	}
}

func checkPanels(t *testing.T, k kernel, depth int) {
	t.Helper()
	const count, beyond, untouched = 5, 3, 99
	p := panels{depth: depth, count: count, left: make([]float32, count*depth*k.rows), right: make([]float32, depth*k.columns)}
	p.ahead = p.right
	for i := range p.left {
		p.left[i] = pairOf(float32(i%7)-3, float32(i%5)) // both halves of a pair, or a float32
	}
	for i := range p.right {
		p.right[i] = pairOf(float32(i%3), float32(i%11)-5)
	}
	stride := k.columns + beyond
	for _, earlier := range [][]float32{nil, make([]float32, count*k.rows*k.columns)} {
		for i := range earlier {
			earlier[i] = float32(i % 13)
		}
		p.earlier = earlier
		got, want := make([]float32, count*k.rows*stride+1), make([]float32, count*k.rows*stride+1)
		for i := range got {
			got[i], want[i] = untouched, untouched
		}
		k.tiles(p, got, stride)
		for i := range count {
			one := p.from(i, &k)
			one.count = 1
			k.tiles(one, want[i*k.rows*stride:], stride)
		}
		for i := range got {
			if got[i] != want[i] || got[i] == untouched != (i%stride >= k.columns || i == len(got)-1) {
				t.Fatalf("%s, depth %d: value %d is %g, want %g", k.name, depth, i, got[i], want[i])
			}
		}
	}
}

// Each rectangle of a row packs the left panels, block by block, and their sums are added once.
func TestGradientOfTheBiasIsAddedOnceHoweverWideTheProduct(t *testing.T) {
	for _, shape := range [][2]int{{5, 1}, {5, 300}, {5, 2100}, {520, 30}} {
		rows, columns := shape[0], shape[1]
		dOutput, input := NewMatrix[float32](rows, 40), NewMatrix[float32](rows, columns)
		for i := range dOutput.Values {
			dOutput.Values[i] = float32(i/40%100 + i%40)
		}
		want := float32(0)
		for i := range rows {
			want += float32(i % 100)
		}
		check := func(name string, device Device) {
			dWeight, dBias := NewMatrix[float32](40, columns), make([]float32, 40)
			device.AffineGradient(dWeight, dBias, dOutput, input)
			for j, got := range dBias {
				if want := want + float32(rows*j); got != want {
					t.Fatalf("%s, %d rows, %d columns: sum %d is %g, want %g", name, rows, columns, j, got, want)
				}
			}
		}
		onEvery(t, func(t *testing.T, device Device) { check(device.Name(), device) })
		onPairs(3, func(name string, device *CPU) { check(name, device) })
	}
}

// whole returns a matrix of small integers, whose sums are exact in any order.
func whole(rows, columns, step int) Matrix[float32] {
	m := NewMatrix[float32](rows, columns)
	for i := range m.Values {
		m.Values[i] = float32(i*step%17 - 8)
	}
	return m
}

// These products combine adjacent rectangles, blocks of the inner dimension and edges of tiles. The
// results are exact, so they are the same for all kernels and numbers of threads.
func TestLongAndWideProductsAreExactForAnyNumberOfThreads(t *testing.T) {
	shapes := [][3]int{{25, 515, 2100}, {1, 257, 4100}, {2500, 259, 5}, {301, 513, 290}}
	if testing.Short() {
		shapes = [][3]int{{25, 259, 600}, {1, 257, 2100}, {300, 259, 5}}
	}
	for _, shape := range shapes {
		rows, inner, columns := shape[0], shape[1], shape[2]
		a, b, want := whole(rows, inner, 5), whole(inner, columns, 7), NewMatrix[float32](rows, columns)
		Reference[float32]{}.Product(want, a, b)
		for _, unit := range units() {
			for _, k := range []kernel{kernelOf(unit), pairsKernelOf(unit)} {
				for _, threads := range []int{1, 2, 7, 64} {
					cpu := newKernelCPU(threads, unit, k)
					got := NewMatrix[float32](rows, columns)
					cpu.Product(got, a, b)
					cpu.Close()
					if !slices.Equal(got.Values, want.Values) {
						t.Errorf("%s, %d threads: wrong product of %d×%d and %d×%d", k.name, threads, rows, inner, inner, columns)
					}
				}
			}
		}
	}
}

// A device for 64 threads uses 64 times the memory of one thread.
func TestThreadsNeedLittleMemoryForAProduct(t *testing.T) {
	for _, unit := range units() {
		k := kernelOf(unit)
		for _, size := range [][2]int{{1, 1}, {5000, 1}, {1, 50000}, {2048, 1024}, {25000, 5000}} {
			c := cutFor(size[0], size[1], 1, k)
			values := c.rowPanels*k.rows*innerBlock + c.sumsAt(c.columnParts)
			if most := 96 * (innerBlock + min(2048, size[1]+k.columns)); values > most {
				t.Errorf("%s, %d×%d: %d values, want at most %d", k.name, size[0], size[1], values, most)
			}
		}
	}
}

// Products that a library leaves to the kernel do not allocate, and a product without inner
// dimension retains no argument.
func TestProductsBesideALibrarysAllocateNothing(t *testing.T) {
	cpu := NewCPU(1)
	defer cpu.Close()
	cpu.GiveProducts("somebody", 1e5, func(ForeignProduct) {})
	few, many := whole(8, 8, 1), whole(64, 64, 1)
	small, large := NewMatrix[float32](8, 8), NewMatrix[float32](64, 64)
	if n := testing.AllocsPerRun(5, func() { cpu.Product(large, many, many); cpu.Product(small, few, few) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
	cpu.Product(small, NewMatrix[float32](8, 0), NewMatrix[float32](0, 8))
	if cpu.multiply.dst.Values != nil {
		t.Error("the result of a product over nothing is still held")
	}
}
