package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// guardWords words around every argument of a call hold the value guard.
const (
	guardWords = 24
	guard      = float32(-77777)
)

// A bench creates the arguments of a call: random numbers in a fixed order, at a chosen distance
// from a 64-byte boundary, surrounded by guards.
type bench struct {
	source *rand.Rand
	offset int // number of values after the boundary
	blocks [][]float32
	drawn  []string // names of the random inputs, in order

	spoiled int // index of the input that receives a special value; −1 for none
	place   int // from its end if negative
	strange float32

	out outputs
}

// outputs holds the results of a call. A group of scalars is compared as one list.
type outputs struct {
	values  [][]float64
	scalars []float64
}

func newBench(offset int) *bench {
	return &bench{source: rand.New(rand.NewPCG(41, 42)), offset: offset, spoiled: -1}
}

// slice returns memory between guards.
func (b *bench) slice(length int) []float32 {
	block := make([]float32, length+2*guardWords+16)
	for i := range block {
		block[i] = guard
	}
	b.blocks = append(b.blocks, block)
	from := guardWords + b.offset
	return block[from : from+length : from+length]
}

// input returns random normal numbers.
func (b *bench) input(name string, length int) []float32 {
	values := b.slice(length)
	for i := range values {
		values[i] = float32(b.source.NormFloat64())
	}
	if len(b.drawn) == b.spoiled && length > 0 {
		values[(b.place%length+length)%length] = b.strange
	}
	b.drawn = append(b.drawn, name)
	return values
}

func (b *bench) matrix(name string, rows, columns int) Matrix[float32] {
	return Matrix[float32]{rows, columns, b.input(name, rows*columns)}
}

// result returns a matrix of NaN for a call to fill.
func (b *bench) result(rows, columns int) Matrix[float32] {
	m := Matrix[float32]{rows, columns, b.slice(rows * columns)}
	for i := range m.Values {
		m.Values[i] = float32(math.NaN())
	}
	return m
}

func (b *bench) sums(length int) []float64 { return slices.Repeat([]float64{math.NaN()}, length) }

// set records the results of a call.
func (b *bench) set(matrices ...Matrix[float32]) {
	for _, m := range matrices {
		b.out.values = append(b.out.values, wideSlice(m.Values))
	}
}

func (b *bench) setSums(lists ...[]float64) { b.out.values = append(b.out.values, lists...) }

func (b *bench) returned(values ...float64) { b.out.scalars = append(b.out.scalars, values...) }

// guards reports a changed value outside the arguments.
func (b *bench) guards(t *testing.T, what string) {
	t.Helper()
	for i, block := range b.blocks {
		from := guardWords + b.offset
		to := len(block) - guardWords - 16 + from
		for k, value := range block {
			if (k < from || k >= to) && value != guard {
				t.Fatalf("%s: argument %d of %d values: place %d holds %g", what, i, to-from, k-from, value)
			}
		}
	}
}

// A call is an operation with arguments created on a bench. rows and columns are those of the
// result; inner is summed over.
type call struct {
	name string
	do   func(ops Device, b *bench, rows, inner, columns int)
}

// calls returns all operations of the interface, some with several arguments.
func calls() []call {
	return slices.Concat(productCalls(), layerCalls(), rowCalls(), pairCalls(), coordinateCalls(), updateCalls())
}

func productCalls() []call {
	return []call{
		{"a·b", func(ops Device, b *bench, rows, inner, columns int) {
			dst := b.result(rows, columns)
			ops.Product(dst, b.matrix("a", rows, inner), b.matrix("b", inner, columns))
			b.set(dst)
		}},
		{"aᵀ·b", func(ops Device, b *bench, rows, inner, columns int) {
			dst := b.result(rows, columns)
			ops.ProductLeftTransposed(dst, b.matrix("a", inner, rows), b.matrix("b", inner, columns))
			b.set(dst)
		}},
		{"a·bᵀ", func(ops Device, b *bench, rows, inner, columns int) {
			dst := b.result(rows, columns)
			ops.ProductRightTransposed(dst, b.matrix("a", rows, inner), b.matrix("b", columns, inner))
			b.set(dst)
		}},
	}
}

func layerCalls() []call {
	affine := func(rectify bool) func(ops Device, b *bench, rows, inner, columns int) {
		return func(ops Device, b *bench, rows, inner, columns int) {
			dst := b.result(rows, columns)
			ops.Affine(dst, b.matrix("input", rows, inner), b.matrix("weight", columns, inner),
				Bias[float32]{Values: b.input("bias", columns), Rectify: rectify})
			b.set(dst)
		}
	}
	return []call{
		{"affine", affine(false)}, {"rectified affine", affine(true)},
		{"affine gradient", func(ops Device, b *bench, rows, inner, columns int) {
			dWeight, dBias := b.result(rows, columns), b.result(1, rows)
			ops.AffineGradient(dWeight, dBias.Values, b.matrix("dOutput", inner, rows), b.matrix("input", inner, columns))
			b.set(dWeight, dBias)
		}},
		{"input gradient", func(ops Device, b *bench, rows, inner, columns int) {
			dInput := b.result(rows, columns)
			ops.InputGradient(dInput, b.matrix("dOutput", rows, inner), b.matrix("weight", inner, columns), Matrix[float32]{})
			b.set(dInput)
		}},
		{"rectified input gradient", func(ops Device, b *bench, rows, inner, columns int) {
			dInput, rectified := b.result(rows, columns), b.matrix("rectified", rows, columns)
			for i := range rectified.Values {
				if i%3 == 0 {
					rectified.Values[i] = 0
				}
			}
			ops.InputGradient(dInput, b.matrix("dOutput", rows, inner), b.matrix("weight", inner, columns), rectified)
			b.set(dInput)
		}},
	}
}

func rowCalls() []call {
	return []call{
		{"units", func(ops Device, b *bench, rows, _, columns int) {
			dst, lengths := b.result(rows, columns), b.sums(rows)
			ops.Units(dst, lengths, b.matrix("a", rows, columns))
			b.set(dst)
			b.setSums(lengths)
		}},
		{"lengths", func(ops Device, b *bench, rows, _, columns int) {
			lengths := b.sums(rows)
			ops.Units(Matrix[float32]{}, lengths, b.matrix("a", rows, columns))
			b.setSums(lengths)
		}},
		{"exponential", func(ops Device, b *bench, rows, _, columns int) {
			dst, sums := b.result(rows, columns), b.sums(rows)
			ops.Exponential(dst, sums, b.matrix("a", rows, columns))
			b.set(dst)
			b.setSums(sums)
		}},
		{"softplus", func(ops Device, b *bench, rows, _, columns int) {
			sums := b.sums(rows)
			ops.SoftplusSums(sums, b.matrix("a", rows, columns))
			b.setSums(sums)
		}},
		{"combine", func(ops Device, b *bench, rows, _, columns int) {
			dst := b.matrix("dst", rows, columns)
			ops.Combine(dst, b.matrix("src", rows, columns), b.input("own", rows), b.input("other", rows))
			b.set(dst)
		}},
	}
}

// halves returns groups of two neighbors.
func halves(length int) Groups {
	groups := make(Groups, length)
	for i := range groups {
		groups[i] = i / 2
	}
	return groups
}

func pairCalls() []call {
	contrast := func(scale float32, grouped bool) func(ops Device, b *bench, rows, inner, columns int) {
		return func(ops Device, b *bench, rows, _, _ int) {
			dst, columns := b.result(rows, rows), b.sums(rows)
			var groups Groups
			if grouped {
				groups = halves(rows)
			}
			loss, dScale := ops.Contrast(dst, b.matrix("a", rows, rows), scale, groups, columns)
			b.returned(loss, dScale)
			b.set(dst)
			b.setSums(columns)
		}
	}
	sigmoid := func(scale float32, grouped bool) func(ops Device, b *bench, rows, inner, columns int) {
		return func(ops Device, b *bench, rows, _, _ int) {
			dst, margins := b.result(rows, rows), Margins{b.sums(rows), b.sums(rows)}
			logits := Logits[float32]{Scale: scale, Weight: 0.5}
			if grouped {
				logits.Groups = halves(rows)
			}
			a := b.matrix("a", rows, rows)
			logits.Rows, logits.Columns = b.input("rows", rows), b.input("columns", rows)
			loss, dScale := ops.SigmoidPairs(dst, a, logits, margins)
			b.returned(loss, dScale)
			b.set(dst)
			b.setSums(margins.Rows, margins.Columns)
		}
	}
	return []call{
		{"contrast", contrast(3, false)}, {"contrast in groups", contrast(3, true)}, {"mirrored contrast", contrast(-2, true)},
		{"pairs", sigmoid(2, false)}, {"pairs in groups", sigmoid(2, true)},
		{"power logits", func(ops Device, b *bench, rows, _, columns int) {
			dst, cosines := b.result(rows, columns), b.cosines(rows, columns)
			ops.PowerLogits(dst, cosines, b.input("kappa", columns), b.input("logs", columns))
			b.set(dst, cosines)
		}},
		{"power gradient", func(ops Device, b *bench, rows, _, columns int) {
			dst, radial := b.result(rows, columns), b.sums(columns)
			ops.PowerGradient(dst, b.matrix("g", rows, columns), b.cosines(rows, columns), radial)
			b.set(dst)
			b.setSums(radial)
		}},
	}
}

// cosines returns values between −0.9 and 0.9, except for a special value.
func (b *bench) cosines(rows, columns int) Matrix[float32] {
	m := b.matrix("cosines", rows, columns)
	for i, value := range m.Values {
		if value > -100 && value < 100 {
			m.Values[i] = float32(0.9 * math.Tanh(float64(value)))
		}
	}
	return m
}

func coordinateCalls() []call {
	list := []call{
		{"variances", func(ops Device, b *bench, rows, _, columns int) {
			gradients := [2]Matrix[float32]{b.result(rows, columns), b.result(rows, columns)}
			raw := [2]Matrix[float32]{b.matrix("raw", rows, columns), b.matrix("raw of the other", rows, columns)}
			means := [2]Matrix[float32]{b.matrix("means", rows, columns), b.matrix("means of the other", rows, columns)}
			b.returned(ops.MatchedVariances(gradients, raw, means))
			b.set(gradients[:]...)
		}},
		{"generalized variance", func(ops Device, b *bench, rows, _, columns int) {
			b.returned(ops.GeneralizedVariance(b.heads(rows, columns)))
		}},
	}
	for _, exact := range []bool{false, true} {
		list = append(list, call{fmt.Sprintf("generalized Gaussian, exact %t", exact), func(ops Device, b *bench, rows, _, columns int) {
			gradient := Heads[float32]{b.result(rows, columns), b.result(rows, columns), b.result(rows, columns)}
			heads := b.heads(rows, columns)
			targets := [2]Matrix[float32]{b.matrix("own", rows, columns), b.matrix("other", rows, columns)}
			b.returned(ops.GeneralizedGaussian(gradient, heads, targets, exact))
			b.set(gradient[:]...)
		}})
	}
	return list
}

func (b *bench) heads(rows, columns int) Heads[float32] {
	return Heads[float32]{b.matrix("mean", rows, columns), b.matrix("scale", rows, columns), b.matrix("shape", rows, columns)}
}

func updateCalls() []call {
	return []call{
		{"dot", func(ops Device, b *bench, rows, _, columns int) {
			b.returned(ops.Dot(b.matrix("a", rows, columns), b.matrix("b", rows, columns)))
		}},
		{"sum", func(ops Device, b *bench, rows, _, columns int) {
			dst := b.result(rows, columns)
			ops.Sum(dst, b.matrix("a", rows, columns), b.matrix("b", rows, columns))
			b.set(dst)
		}},
		{"update", func(ops Device, b *bench, rows, _, columns int) {
			n := rows * columns
			p, v := b.input("parameters", n), b.input("velocity", n)
			ops.Update(p, v, b.input("gradient", n), Rate{Rate: 0.1, Momentum: 0.9, WeightDecay: 0.01})
			b.set(flat(p), flat(v))
		}},
		{"adam", func(ops Device, b *bench, rows, _, columns int) {
			n := rows * columns
			p, first, second := b.input("parameters", n), b.input("first moment", n), b.input("second moment", n)
			for i := range second {
				second[i] *= second[i]
			}
			ops.UpdateAdam(p, [2][]float32{first, second}, b.input("gradient", n), NewAdamStep(Rate{Rate: 0.01, WeightDecay: 0.02}, 3))
			b.set(flat(p), flat(first), flat(second))
		}},
	}
}

// onDevices calls a function with a device for every instruction set, and closes the devices
// afterward.
func onDevices(t *testing.T, threads int, test func(name string, device Device)) {
	t.Helper()
	for name, unit := range units() {
		cpu := newCPU(threads, unit)
		test(name, cpu)
		cpu.Close()
	}
}

// equalBits reports whether two results are equal, with NaN equal to NaN.
func (o outputs) equalBits(p outputs) bool {
	same := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
	}
	return same(o.scalars, p.scalars) && slices.EqualFunc(o.values, p.values, same)
}
