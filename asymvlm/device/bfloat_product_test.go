package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// onPairs calls a function with every instruction set's device for bfloat16, and closes the devices
// afterward.
func onPairs(threads int, test func(name string, device *CPU)) {
	for _, unit := range units() {
		cpu := newPairsCPU(threads, unit)
		test(cpu.kernel.name, cpu)
		cpu.Close()
	}
}

// defined computes dst = left·right as bfloat.go defines it, value by value.
func defined(dst Matrix[float32], left, right operand) {
	_, inner := left.sizes()
	value := func(o operand, long, k int) float32 {
		if k == inner {
			return 0
		}
		return o.at(long, k)
	}
	for i := range dst.Rows {
		for j := range dst.Columns {
			total := float32(0)
			for start := 0; start < inner; start += innerBlock {
				sum := float32(0)
				for k := start; k < min(start+innerBlock, inner); k += 2 {
					sum = dotPair(sum, pairOf(value(left, i, k), value(left, i, k+1)), pairOf(value(right, j, k), value(right, j, k+1)))
				}
				if total += sum; start == 0 {
					total = sum
				}
			}
			dst.Values[i*dst.Columns+j] = total
		}
	}
}

// pairForms returns the three matrix products with their operands.
func pairForms(source *rand.Rand, rows, inner, columns int) []struct {
	name        string
	left, right operand
	do          func(device Device, dst Matrix[float32], left, right Matrix[float32])
} {
	return []struct {
		name        string
		left, right operand
		do          func(device Device, dst Matrix[float32], left, right Matrix[float32])
	}{
		{"a·b", operand{matrix: random(rows, inner, source), along: true}, operand{matrix: random(inner, columns, source)},
			func(d Device, dst, a, b Matrix[float32]) { d.Product(dst, a, b) }},
		{"aᵀ·b", operand{matrix: random(inner, rows, source)}, operand{matrix: random(inner, columns, source)},
			func(d Device, dst, a, b Matrix[float32]) { d.ProductLeftTransposed(dst, a, b) }},
		{"a·bᵀ", operand{matrix: random(rows, inner, source), along: true}, operand{matrix: random(columns, inner, source), along: true},
			func(d Device, dst, a, b Matrix[float32]) { d.ProductRightTransposed(dst, a, b) }},
	}
}

func TestProductsOfBFloat16AreTheDefinedOnesToTheBit(t *testing.T) {
	source := rand.New(rand.NewPCG(61, 62))
	shapes := [][3]int{{1, 1, 1}, {5, 2, 3}, {4, 7, 16}, {12, 64, 32}, {13, 255, 33}, {3, 257, 70}, {25, 530, 17}, {61, 31, 65}}
	if !testing.Short() {
		shapes = append(shapes, [3]int{70, 60, 530})
	}
	for _, shape := range shapes {
		for _, form := range pairForms(source, shape[0], shape[1], shape[2]) {
			want := NewMatrix[float32](shape[0], shape[2])
			defined(want, form.left, form.right)
			for _, threads := range []int{1, 3} {
				onPairs(threads, func(name string, device *CPU) {
					dst := NewMatrix[float32](shape[0], shape[2])
					for i := range dst.Values {
						dst.Values[i] = float32(math.NaN())
					}
					form.do(device, dst, form.left.matrix, form.right.matrix)
					for i, value := range dst.Values {
						if !sameFloat(value, want.Values[i]) {
							t.Fatalf("%s with %d threads: %s of %v: value %d is %g, want %g", name, threads, form.name, shape, i, value, want.Values[i])
						}
					}
				})
			}
		}
	}
}

// Numbers of all sizes, including NaN and infinite ones.
func TestStrangeFactorsGiveTheDefinedProducts(t *testing.T) {
	source := rand.New(rand.NewPCG(63, 64))
	for range 20 {
		for _, form := range pairForms(source, 14, 37, 35) {
			for _, m := range []Matrix[float32]{form.left.matrix, form.right.matrix} {
				for i := range m.Values {
					if source.IntN(12) == 0 {
						m.Values[i] = drawn(source)
					} else {
						m.Values[i] *= float32(math.Ldexp(1, -58-source.IntN(8)))
					}
				}
			}
			want := NewMatrix[float32](14, 35)
			defined(want, form.left, form.right)
			onPairs(2, func(name string, device *CPU) {
				dst := NewMatrix[float32](14, 35)
				form.do(device, dst, form.left.matrix, form.right.matrix)
				for i, value := range dst.Values {
					if !sameFloat(value, want.Values[i]) {
						t.Fatalf("%s: %s: value %d is %g, want %g", name, form.name, i, value, want.Values[i])
					}
				}
			})
		}
	}
}

// The error relative to float64 is that of factors with 8 significant bits: relative to the root of
// the sums of squares, each factor contributes a random error of at most 2⁻⁹ to each product.
func TestProductsOfBFloat16AreOffByTheRoundingOfTheirFactors(t *testing.T) {
	source := rand.New(rand.NewPCG(65, 66))
	const rows, inner, columns = 40, 300, 50
	for _, form := range pairForms(source, rows, inner, columns) {
		want := NewMatrix[float64](rows, columns)
		for i := range rows {
			for j := range columns {
				for k := range inner {
					want.Values[i*columns+j] += float64(form.left.at(i, k)) * float64(form.right.at(j, k))
				}
			}
		}
		onPairs(1, func(name string, device *CPU) {
			dst, squares := NewMatrix[float32](rows, columns), 0.0
			form.do(device, dst, form.left.matrix, form.right.matrix)
			for i, value := range dst.Values {
				squares += (float64(value) - want.Values[i]) * (float64(value) - want.Values[i])
			}
			// Products of normal numbers have size 1; the rounding error is uniform within a unit
			// of 2⁻⁸ to 2⁻⁷ of the value.
			off := math.Sqrt(squares / float64(rows*columns) / inner)
			if !(off > 0x1p-10 && off < 0x1p-8) {
				t.Errorf("%s: %s is off by %.3g of a product, want about 2⁻⁹", name, form.name, off)
			}
		})
	}
}

// Bias, rectifier and mask are applied in float32, and the sums of the bias's gradient equal those
// of float32 to the bit.
func TestLayersInBFloat16DifferFromFloat32InTheirProductsOnly(t *testing.T) {
	source := rand.New(rand.NewPCG(67, 68))
	for _, shape := range [][3]int{{3, 5, 7}, {13, 300, 70}, {40, 33, 33}} {
		rows, inner, columns := shape[0], shape[1], shape[2]
		input, weight, bias := random(rows, inner, source), random(columns, inner, source), random(1, columns, source).Values
		dOutput := random(rows, columns, source)
		product, dInput := NewMatrix[float32](rows, columns), NewMatrix[float32](rows, inner)
		onPairs(2, func(name string, device *CPU) {
			exact := newCPU(1, device.unit)
			defer exact.Close()
			device.ProductRightTransposed(product, input, weight)
			for _, rectify := range []bool{false, true} {
				dst, want := NewMatrix[float32](rows, columns), slices.Clone(product.Values)
				device.Affine(dst, input, weight, Bias[float32]{Values: bias, Rectify: rectify})
				for i := range rows {
					addBias(want[i*columns:(i+1)*columns], bias, rectify)
				}
				if !slices.Equal(dst.Values, want) {
					t.Errorf("%s: affine of %v, rectified %t, is not the product and the bias", name, shape, rectify)
				}
			}
			dWeight, wantWeight := NewMatrix[float32](columns, inner), NewMatrix[float32](columns, inner)
			dBias, wantBias := make([]float32, columns), make([]float32, columns)
			device.AffineGradient(dWeight, dBias, dOutput, input)
			exact.AffineGradient(wantWeight, wantBias, dOutput, input)
			if !slices.Equal(dBias, wantBias) {
				t.Errorf("%s: the gradient of the bias of %v is %v, want %v", name, shape, dBias, wantBias)
			}
			device.ProductLeftTransposed(wantWeight, dOutput, input)
			if !slices.Equal(dWeight.Values, wantWeight.Values) {
				t.Errorf("%s: the gradient of the weights of %v is not the product", name, shape)
			}
			rectified := random(rows, inner, source)
			mask(rectified.Values, slices.Concat(make([]float32, 3), rectified.Values)[:len(rectified.Values)])
			device.Product(dInput, dOutput, weight)
			want := slices.Clone(dInput.Values)
			mask(want, rectified.Values)
			device.InputGradient(dInput, dOutput, weight, rectified)
			if !slices.Equal(dInput.Values, want) {
				t.Errorf("%s: the gradient of the input of %v is not the masked product", name, shape)
			}
		})
	}
}

func TestProductsOfBFloat16KeepToTheirResultsWhereverTheyLie(t *testing.T) {
	for _, shape := range append(shapes[:len(shapes)-1:len(shapes)-1], [3]int{14, 257, 35}) {
		for _, c := range append(productCalls(), layerCalls()...) {
			for _, threads := range []int{1, 3} {
				first := outputs{}
				onPairs(threads, func(name string, device *CPU) {
					for _, offset := range []int{0, 1, 8, 15} {
						b := newBench(offset)
						c.do(device, b, shape[0], shape[1], shape[2])
						what := fmt.Sprintf("%s: %s of %v", name, c.name, shape)
						b.guards(t, what)
						if first.values == nil {
							first = b.out
						} else if !b.out.equalBits(first) {
							t.Errorf("%s differs, %d values after a boundary, with %d threads", what, offset, threads)
						}
					}
				})
			}
		}
	}
}

func TestPackedPairsHoldEveryValueOnceAndZerosBeyond(t *testing.T) {
	source := rand.New(rand.NewPCG(69, 70))
	for name, unit := range units() {
		for _, width := range []int{4, 12, 16, 32} {
			for _, along := range []bool{true, false} {
				for range 6 {
					o := operand{matrix: random(pick(source), pick(source), source), along: along, width: width, paired: true}
					for range 5 {
						o.matrix.Values[source.IntN(len(o.matrix.Values))] = drawn(source)
					}
					checkPackedPairs(t, name, o, unit)
				}
			}
		}
	}
}

func checkPackedPairs(t *testing.T, name string, o operand, unit vectorUnit) {
	t.Helper()
	long, inner := o.sizes()
	packed := make([]float32, o.panels()*o.width*o.places(inner))
	for i := range packed {
		packed[i] = 99 // left over from an earlier product
	}
	for group := range o.groups() {
		o.packGroup(packed, group, unit)
	}
	value := func(row, k int) float32 {
		if row < long && k < inner {
			return o.at(row, k)
		}
		return 0
	}
	for start := 0; start < inner; start += innerBlock {
		depth := min(innerBlock, inner-start)
		for panel := range o.panels() {
			block := packed[o.offset(panel, start, depth):]
			for k := 0; k < depth; k += 2 {
				for place := range o.width {
					row := panel*o.width + place
					got, want := block[k/2*o.width+place], pairOf(value(row, start+k), value(row, start+k+1))
					if math.Float32bits(got) != math.Float32bits(want) {
						t.Fatalf("%s: width %d, along %t, %d×%d: panel %d, inner %d, place %d holds %x, want %x",
							name, o.width, o.along, long, inner, panel, start+k, place, math.Float32bits(got), math.Float32bits(want))
					}
				}
			}
		}
	}
}

func TestProductsOfBFloat16OverNothingAreZero(t *testing.T) {
	onPairs(2, func(name string, device *CPU) {
		dst := Matrix[float32]{Rows: 2, Columns: 3, Values: []float32{1, 2, 3, 4, 5, 6}}
		device.Product(dst, NewMatrix[float32](2, 0), NewMatrix[float32](0, 3))
		if !slices.Equal(dst.Values, make([]float32, 6)) {
			t.Errorf("%s: product over nothing is %v", name, dst.Values)
		}
		device.Product(NewMatrix[float32](0, 3), NewMatrix[float32](0, 5), NewMatrix[float32](5, 3))
	})
}

func TestProductsOfBFloat16AllocateNothing(t *testing.T) {
	source := rand.New(rand.NewPCG(71, 72))
	a, b, dst := random(20, 300, source), random(40, 300, source), NewMatrix[float32](20, 40)
	onPairs(1, func(name string, device *CPU) {
		if n := testing.AllocsPerRun(5, func() { device.ProductRightTransposed(dst, a, b) }); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	})
}

// leastPositive is a variable so that the compiler does not fold expressions with it.
var leastPositive = float32(0x1p-126)

// The kernels must not leave denormals-are-zero mode enabled for Go code.
func TestKernelsLeaveTheArithmeticOfGoAsItWas(t *testing.T) {
	source := rand.New(rand.NewPCG(73, 74))
	a, dst := random(20, 20, source), NewMatrix[float32](20, 20)
	onPairs(1, func(name string, device *CPU) {
		device.Product(dst, a, a)
		if half := leastPositive / 2; half == 0 || half*2 != leastPositive {
			t.Errorf("%s: half of %g is %g", name, leastPositive, half)
		}
	})
}

func TestNameTellsTheInstructionsAndThePrecision(t *testing.T) {
	onPairs(3, func(name string, device *CPU) {
		if want := "cpu (" + name + ", 3 threads, products in bfloat16)"; device.Name() != want {
			t.Errorf("name %q, want %q", device.Name(), want)
		}
		err := device.UseBLAS("/nowhere/libopenblas.so")
		if err == nil || !strings.HasSuffix(err.Error(), "products of a library are in float32, not in bfloat16") {
			t.Errorf("error %v", err)
		}
	})
}

// BenchmarkKernel measures the micro-kernels with panels in the caches: one right panel, a block
// deep, and five left ones.
func BenchmarkKernel(b *testing.B) {
	for _, unit := range units() {
		for _, k := range []kernel{kernelOf(unit), pairsKernelOf(unit)} {
			const lefts = 5
			p := panels{depth: innerBlock, count: 1, right: make([]float32, innerBlock*k.columns), ahead: make([]float32, 1)}
			left, c := make([]float32, lefts*innerBlock*k.rows), make([]float32, lefts*k.rows*k.columns)
			precision, flops := Float32, float64(2*innerBlock*k.rows*k.columns*lefts)
			if k.paired {
				precision, flops = BFloat16, 2*flops
			}
			b.Run(fmt.Sprintf("%s/%s", precision, k.name), func(b *testing.B) {
				for b.Loop() {
					for l := range lefts {
						p.left = left[l*innerBlock*k.rows:]
						p.earlier = c[l*k.rows*k.columns:]
						k.tiles(p, p.earlier, k.columns)
					}
				}
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
