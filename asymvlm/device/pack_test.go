package device

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// at returns value (long, inner) of an operand in the caller's layout.
func (o operand) at(long, inner int) float32 {
	if o.along {
		return o.matrix.Values[long*o.matrix.Columns+inner]
	}
	return o.matrix.Values[inner*o.matrix.Columns+long]
}

func TestPackedOperandHoldsEveryValueOnceAndZerosBeyond(t *testing.T) {
	source := rand.New(rand.NewPCG(21, 22))
	for name, unit := range units() {
		for _, width := range []int{4, 12, 24, 32} {
			for _, along := range []bool{true, false} {
				for range 6 {
					o := operand{matrix: random(pick(source), pick(source), source), along: along, width: width}
					checkPacked(t, name, o, unit)
				}
			}
		}
	}
}

func checkPacked(t *testing.T, name string, o operand, unit vectorUnit) {
	t.Helper()
	long, inner := o.sizes()
	packed := make([]float32, o.panels()*o.width*inner)
	for i := range packed {
		packed[i] = 99 // left over from an earlier product
	}
	for group := range o.groups() {
		o.packGroup(packed, group, unit)
	}
	for start := 0; start < inner; start += innerBlock {
		depth := min(innerBlock, inner-start)
		for panel := range o.panels() {
			block := packed[o.offset(panel, start, depth):]
			for k := range depth {
				for place := range o.width {
					want := float32(0)
					if row := panel*o.width + place; row < long {
						want = o.at(row, start+k)
					}
					if got := block[k*o.width+place]; got != want {
						t.Fatalf("%s: width %d, along %t, %d×%d: panel %d, inner %d, place %d holds %g, want %g",
							name, o.width, o.along, long, inner, panel, start+k, place, got, want)
					}
				}
			}
		}
	}
}

func TestEveryKernelMultipliesOneTile(t *testing.T) {
	source := rand.New(rand.NewPCG(23, 24))
	for name, unit := range units() {
		k := kernelOf(unit)
		for _, depth := range []int{1, 2, 3, 4, 5, 8, 63, 256} {
			left, right := random(depth, k.rows, source).Values, random(depth, k.columns, source).Values
			p := panels{depth: depth, count: 1, left: left, right: right, ahead: right}
			const beyond = 3 // values between the rows of the tile, which must not change
			stride := k.columns + beyond
			for _, earlier := range [][]float32{nil, random(k.rows, k.columns, source).Values} {
				c := random(k.rows, stride, source)
				before := slices.Clone(c.Values)
				p.earlier = earlier
				k.tiles(p, c.Values, stride)
				var got []float32
				var want []float64
				for i := range k.rows {
					for j := range stride {
						sum := float64(before[i*stride+j])
						if j < k.columns {
							if sum = 0; earlier != nil {
								sum = float64(earlier[i*k.columns+j])
							}
							for step := range depth {
								sum += float64(p.left[step*k.rows+i]) * float64(p.right[step*k.columns+j])
							}
						}
						got, want = append(got, c.Values[i*stride+j]), append(want, sum)
					}
				}
				near(t, name, got, want, 2e-6)
			}
		}
	}
}

// parts counts how often each part of a task is done, and by which worker.
type parts struct {
	done   []int32
	worker []int
}

func (p *parts) do(part, worker int) {
	p.done[part]++ // each part belongs to one worker, so this is not a race
	p.worker[part] = worker
}

func TestEveryPartIsDoneOnceByAKnownWorker(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		var p parallel
		p.start(threads)
		for _, count := range []int{0, 1, 2, 6, 100} {
			for range 50 {
				task := &parts{make([]int32, count), make([]int, count)}
				p.run(task, count)
				for part, done := range task.done {
					if done != 1 || task.worker[part] < 0 || task.worker[part] >= threads {
						t.Fatalf("%d threads: part %d of %d done %d times, by worker %d", threads, part, count, done, task.worker[part])
					}
				}
			}
		}
		p.stop()
	}
}

func TestClosedDeviceHasNoWorkersLeft(t *testing.T) {
	cpu := NewCPU(4)
	cpu.Close()
	cpu.Close() // closing twice is allowed
	if cpu.helpers != nil {
		t.Error("workers are still there")
	}
}

func TestVectorFunctionsAgreeWithTheLoopsAtEveryLengthAndAlignment(t *testing.T) {
	source := rand.New(rand.NewPCG(25, 26))
	for name, unit := range units() {
		for length := range 41 {
			for offset := range 4 {
				check := func(what string, run func(u vectorUnit, dst, src, extra []float32)) {
					t.Helper()
					memory := random(3, 60, source)
					cut := func(m Matrix[float32], i int) []float32 { return m.Row(i)[offset : offset+length] }
					other := Matrix[float32]{3, 60, slices.Clone(memory.Values)}
					run(unit, cut(memory, 0), cut(memory, 1), cut(memory, 2))
					run(vectorUnit{}, cut(other, 0), cut(other, 1), cut(other, 2))
					near(t, name+" "+what, memory.Values, wideSlice(other.Values), 1e-6)
				}
				check("bias", func(u vectorUnit, dst, src, _ []float32) { u.addBias(dst, src, false) })
				check("rectified bias", func(u vectorUnit, dst, src, _ []float32) { u.addBias(dst, src, true) })
				check("add", func(u vectorUnit, dst, src, _ []float32) { u.add(dst, src) })
				check("mask", func(u vectorUnit, dst, src, _ []float32) {
					clear(src[:len(src)/2])
					u.mask(dst, src)
				})
				check("raise", func(u vectorUnit, dst, src, _ []float32) { u.raise(dst, src, -2) })
				check("exponentials", func(u vectorUnit, dst, src, extra []float32) { u.addExp(dst, src, extra, 1.5) })
				sums := func() []float32 { return make([]float32, length) }
				check("contrast", func(u vectorUnit, dst, src, extra []float32) {
					all := sums()
					u.contrast(dst, src, extra, all, contrastFactors{1.5, 0.3, 0.1})
					copy(extra, all)
				})
				check("pairs", func(u vectorUnit, dst, src, extra []float32) {
					all := sums()
					u.sigmoidPairs(dst, src, extra, all, contrastFactors{1.5, 0.3, 0.1})
					copy(extra, all)
				})
				check("combine", func(u vectorUnit, dst, src, _ []float32) { u.combine(dst, src, 2, -3) })
				check("unit", func(u vectorUnit, dst, src, _ []float32) { u.unit(dst, src) })
				check("exponential", func(u vectorUnit, dst, src, _ []float32) { u.exponentials(dst, src) })
				check("adam", func(u vectorUnit, dst, src, extra []float32) {
					u.adam(dst, [2][]float32{extra, sums()}, src, AdamStep{0.99, 0.1, 2})
				})
				check("update", func(u vectorUnit, dst, src, extra []float32) { u.update(dst, src, extra, Rate{0.1, 0.9, 0.01}) })
				check("sums", func(u vectorUnit, dst, src, extra []float32) {
					if len(dst) > 2 {
						dst[0], dst[1] = u.sumExp(src, 0.5, 0.1), u.largest(src, 2, -50)
						dst[2] = float32(u.dot(src, extra)) / 10
					}
				})
			}
		}
	}
}

func TestPlacesBeyondTheSliceStayUntouched(t *testing.T) {
	for name, unit := range units() {
		for length := range 20 {
			memory := make([]float32, 40)
			for i := range memory {
				memory[i] = 7
			}
			dst := memory[10 : 10+length : 10+length]
			unit.log1p(dst, make([]float32, length))
			unit.add(dst, make([]float32, length))
			for i, value := range memory {
				if inside := i >= 10 && i < 10+length; !inside && value != 7 {
					t.Fatalf("%s: length %d wrote to place %d", name, length, i-10)
				}
			}
		}
	}
}
