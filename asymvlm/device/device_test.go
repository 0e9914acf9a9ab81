package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// units returns the instruction sets this processor can be tested with, the plain one first.
func units() map[string]vectorUnit {
	found := map[string]vectorUnit{"Go": {}}
	if u := detect(); u.fma {
		found["AVX2"] = vectorUnit{fma: true}
		if u.avx512 {
			found["AVX-512"] = u
		}
	}
	return found
}

// onEvery runs a test on the float32 implementations of Operations: the reference, and the CPU with each instruction
// set and several numbers of threads.
func onEvery(t *testing.T, test func(t *testing.T, device Device)) {
	t.Run("reference", func(t *testing.T) { test(t, Reference[float32]{}) })
	for name, unit := range units() {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, threads), func(t *testing.T) {
				cpu := newCPU(threads, unit)
				defer cpu.Close()
				test(t, cpu)
			})
		}
	}
}

// random returns a matrix of normal values whose memory begins at an odd place, so that vectors are not aligned.
func random(rows, columns int, source *rand.Rand) Matrix[float32] {
	values := make([]float32, rows*columns+1)[1:]
	for i := range values {
		values[i] = float32(source.NormFloat64())
	}
	return Matrix[float32]{Rows: rows, Columns: columns, Values: values}
}

func wide(m Matrix[float32]) Matrix[float64] {
	w := NewMatrix[float64](m.Rows, m.Columns)
	for i, value := range m.Values {
		w.Values[i] = float64(value)
	}
	return w
}

func wideSlice(s []float32) []float64 {
	return wide(Matrix[float32]{Rows: 1, Columns: len(s), Values: s}).Values
}

// difference returns the largest absolute difference divided by the largest absolute value of want.
func difference(got []float32, want []float64) float64 {
	worst, size := 0.0, 1e-30
	for i, value := range want {
		worst = math.Max(worst, math.Abs(float64(got[i])-value))
		size = math.Max(size, math.Abs(value))
		if math.IsNaN(float64(got[i])) != math.IsNaN(value) {
			return math.NaN()
		}
	}
	return worst / size
}

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if d := difference(got, want); !(d <= tolerance) {
		t.Errorf("%s: difference %.3g, want at most %.3g", what, d, tolerance)
	}
}

// The sizes cross every boundary: below and beside vectors (8), tiles (4, 12, 24, 32), blocks (256) and parts (60, 512).
var sizes = []int{1, 3, 7, 12, 13, 31, 33, 64, 257, 385, 530}

func TestProductsAgreeWithTheReferenceAtOddSizes(t *testing.T) {
	reference := Reference[float64]{}
	onEvery(t, func(t *testing.T, device Device) {
		source := rand.New(rand.NewPCG(1, 2))
		for range 25 {
			rows, inner, columns := pick(source), pick(source), pick(source)
			name := fmt.Sprintf("%d×%d×%d", rows, inner, columns)
			// Rounding grows with the root of the inner size; dst starts with NaN to show values never written.
			tolerance := 3e-7 * math.Sqrt(float64(inner))
			dst, want := random(rows, columns, source), NewMatrix[float64](rows, columns)
			spoil := func() {
				for i := range dst.Values {
					dst.Values[i] = float32(math.NaN())
				}
			}
			a, b := random(rows, inner, source), random(inner, columns, source)
			spoil()
			device.Product(dst, a, b)
			reference.Product(want, wide(a), wide(b))
			near(t, "a·b "+name, dst.Values, want.Values, tolerance)
			a = random(inner, rows, source)
			spoil()
			device.ProductLeftTransposed(dst, a, b)
			reference.ProductLeftTransposed(want, wide(a), wide(b))
			near(t, "aᵀ·b "+name, dst.Values, want.Values, tolerance)
			a, b = random(rows, inner, source), random(columns, inner, source)
			spoil()
			device.ProductRightTransposed(dst, a, b)
			reference.ProductRightTransposed(want, wide(a), wide(b))
			near(t, "a·bᵀ "+name, dst.Values, want.Values, tolerance)
		}
	})
}

func pick(source *rand.Rand) int { return sizes[source.IntN(len(sizes))] }

func TestProductOfEmptyMatricesIsZero(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		dst := Matrix[float32]{Rows: 2, Columns: 3, Values: []float32{1, 2, 3, 4, 5, 6}}
		device.Product(dst, NewMatrix[float32](2, 0), NewMatrix[float32](0, 3))
		if !slices.Equal(dst.Values, make([]float32, 6)) {
			t.Errorf("product over nothing is %v", dst.Values)
		}
		device.Product(NewMatrix[float32](0, 3), NewMatrix[float32](0, 5), NewMatrix[float32](5, 3))
	})
}

func TestProductPassesNaNThrough(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		a, b := NewMatrix[float32](20, 40), NewMatrix[float32](40, 40)
		a.Values[5*40+7] = float32(math.NaN())
		dst := NewMatrix[float32](20, 40)
		device.Product(dst, a, b)
		for i, value := range dst.Values {
			if isNaN := value != value; isNaN != (i/40 == 5) {
				t.Fatalf("row %d holds %g", i/40, value)
			}
		}
	})
}

func TestProductsRefuseShapesThatDoNotFit(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		defer func() {
			want := "device: product: shapes do not fit: 2×2 2×3 4×2"
			if got := recover(); got != want {
				t.Errorf("panic %v, want %q", got, want)
			}
		}()
		device.Product(NewMatrix[float32](2, 2), NewMatrix[float32](2, 3), NewMatrix[float32](4, 2))
	})
}

// operations applies every operation that is not a product to matrices of one size; it returns the results in order.
func operations[F Float](ops Operations[F], a, b Matrix[F], extra []F) map[string][]F {
	results := map[string][]F{}
	clone := func(m Matrix[F]) Matrix[F] {
		m.Values = slices.Clone(m.Values)
		return m
	}
	row := extra[:a.Columns]
	biased := clone(a)
	ops.AddBias(biased, row, false)
	results["bias"] = biased.Values
	rectified := clone(a)
	ops.AddBias(rectified, row, true)
	results["bias and rectifier"] = rectified.Values
	gradient := clone(b)
	ops.RectifierGradient(gradient, rectified)
	results["rectifier gradient"] = gradient.Values
	sums := make([]F, a.Columns)
	ops.SumRows(sums, a)
	results["row sum"] = sums
	cosines := clone(a)
	for i, value := range cosines.Values {
		cosines.Values[i] = F(0.9 * math.Tanh(float64(value))) // float32 rounding of 1+c must not dominate
	}
	ops.Log1p(cosines, cosines)
	results["log1p"] = cosines.Values
	for _, scale := range []F{0.5, 9, -3} {
		rows, columns := make([]F, a.Rows), make([]F, a.Columns)
		ops.LogSumExpRows(rows, a, scale)
		ops.LogSumExpColumns(columns, a, scale)
		pair := clone(a)
		ops.SoftmaxPair(pair, a, scale, rows, columns)
		results[fmt.Sprint("rows ", scale)], results[fmt.Sprint("columns ", scale)] = rows, columns
		results[fmt.Sprint("pair ", scale)] = pair.Values
	}
	results["dot"] = []F{F(ops.Dot(a, b))}
	parameters, velocity := clone(a), clone(b)
	gradient = clone(rectified)
	for range 3 {
		ops.Update(parameters.Values, velocity.Values, gradient.Values, Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 5e-4})
	}
	results["parameters"], results["velocity"] = parameters.Values, velocity.Values
	return results
}

func TestOperationsAgreeWithTheReferenceAtOddSizes(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		source := rand.New(rand.NewPCG(3, 4))
		for _, columns := range sizes {
			rows := pick(source)
			a, b := random(rows, columns, source), random(rows, columns, source)
			extra := random(1, columns, source)
			want := operations[float64](Reference[float64]{}, wide(a), wide(b), wideSlice(extra.Values))
			for what, got := range operations(device, a, b, extra.Values) {
				// The dot product of random signs cancels; the pairs carry the rounding of 9·4 in an exponent.
				near(t, fmt.Sprintf("%s %d×%d", what, rows, columns), got, want[what], 6e-6)
			}
		}
	})
}

func TestLogSumExpNeitherOverflowsNorVanishes(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		for _, shift := range []float32{0, 3000, -3000, 1e30} {
			a := NewMatrix[float32](9, 17)
			for i := range a.Values {
				a.Values[i] = shift
			}
			rows, columns := make([]float32, 9), make([]float32, 17)
			device.LogSumExpRows(rows, a, 1)
			device.LogSumExpColumns(columns, a, 1)
			near(t, "rows", rows, slices.Repeat([]float64{float64(shift) + math.Log(17)}, 9), 1e-6)
			near(t, "columns", columns, slices.Repeat([]float64{float64(shift) + math.Log(9)}, 17), 1e-6)
		}
	})
}

func TestExponentialIsZeroFarBelowAndKeepsNaN(t *testing.T) {
	for name, unit := range units() {
		src := []float32{-1e30, float32(math.Inf(-1)), -200, -88, 0, -1, float32(math.NaN()), 80}
		acc, shift := make([]float32, len(src)), make([]float32, len(src))
		unit.addExp(acc, src, shift, 1)
		for i, value := range src {
			want := math.Exp(float64(value))
			if got := float64(acc[i]); math.Abs(got-want) > 2e-7*want+1e-38 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s: exp(%g) is %g, want %g", name, value, got, want)
			}
		}
	}
}

func TestVectorLogarithmIsRightNearZeroAndNearMinusOne(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	src := []float32{-0.999999, -0.9999, -0.5, -1e-7, 1e-7, 0, 1e-30, 1, 0.41421357, -0.29289323, 3, 1e10}
	for range 1000 {
		src = append(src, float32(2*source.Float64()-1), float32(source.NormFloat64()*1e-4))
	}
	for name, unit := range units() {
		dst := make([]float32, len(src))
		unit.log1p(dst, src)
		for i, x := range src {
			want := math.Log1p(float64(x))
			if math.Abs(float64(dst[i])-want) > 2.5e-7*math.Abs(want) {
				t.Errorf("%s: log1p(%g) is %g, want %g", name, x, dst[i], want)
			}
		}
		if nan := []float32{float32(math.NaN()), 0, 0, 0, 0, 0, 0, 0}; true {
			unit.log1p(nan, nan)
			if nan[0] == nan[0] {
				t.Errorf("%s: log1p(NaN) is %g", name, nan[0])
			}
		}
	}
}

func TestRectifierKeepsNaN(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		dst := NewMatrix[float32](1, 9)
		for i := range dst.Values {
			dst.Values[i] = float32(math.NaN())
		}
		device.AddBias(dst, make([]float32, 9), true)
		for i, value := range dst.Values {
			if value == value {
				t.Errorf("value %d became %g", i, value)
			}
		}
	})
}

func TestResultsDoNotDependOnTheNumberOfThreads(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 8))
	a, b := random(301, 530, source), random(530, 530, source)
	extra := random(1, 530, source)
	for name, unit := range units() {
		var first map[string][]float32
		for _, threads := range []int{1, 2, 5} {
			cpu := newCPU(threads, unit)
			results := operations[float32](cpu, a, Matrix[float32]{301, 530, b.Values[:301*530]}, extra.Values)
			dst := NewMatrix[float32](301, 530)
			cpu.Product(dst, a, b)
			results["product"] = dst.Values
			cpu.Close()
			if first == nil {
				first = results
			}
			for what, got := range results {
				if !slices.Equal(got, first[what]) {
					t.Errorf("%s: %s differs with %d threads", name, what, threads)
				}
			}
		}
	}
}

func TestOneDeviceMayBeUsedFromManyGoroutines(t *testing.T) {
	cpu := NewCPU(2)
	defer cpu.Close()
	source := rand.New(rand.NewPCG(9, 10))
	a, b := random(65, 70, source), random(70, 90, source)
	want := NewMatrix[float32](65, 90)
	cpu.Product(want, a, b)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			dst, sums := NewMatrix[float32](65, 90), make([]float32, 70)
			for range 20 {
				cpu.Product(dst, a, b)
				cpu.SumRows(sums, a)
			}
			if !slices.Equal(dst.Values, want.Values) {
				t.Error("another product came out")
			}
		})
	}
	group.Wait()
}

func TestOperationsDoNotAllocate(t *testing.T) {
	cpu := NewCPU(2)
	defer cpu.Close()
	source := rand.New(rand.NewPCG(11, 12))
	a, b, dst := random(200, 300, source), random(300, 100, source), NewMatrix[float32](200, 100)
	rows, columns, gradient := make([]float32, 200), make([]float32, 100), NewMatrix[float32](200, 100)
	velocity := make([]float32, len(a.Values))
	allocations := testing.AllocsPerRun(10, func() {
		cpu.Product(dst, a, b)
		cpu.AddBias(dst, columns, true)
		cpu.LogSumExpRows(rows, dst, 2)
		cpu.LogSumExpColumns(columns, dst, 2)
		cpu.SoftmaxPair(gradient, dst, 2, rows, columns)
		cpu.RectifierGradient(gradient, dst)
		cpu.Dot(gradient, dst)
		cpu.SumRows(columns, gradient)
		cpu.Update(a.Values, velocity, velocity, Rate{Rate: 0.1})
	})
	if allocations > 0 {
		t.Errorf("%g allocations", allocations)
	}
}

func BenchmarkProduct(b *testing.B) {
	cpu := NewCPU(0)
	defer cpu.Close()
	source := rand.New(rand.NewPCG(13, 14))
	for _, shape := range [][3]int{{512, 1024, 1024}, {2048, 1024, 1024}, {512, 384, 512}} {
		x, w := random(shape[0], shape[1], source), random(shape[2], shape[1], source)
		dst := NewMatrix[float32](shape[0], shape[2])
		b.Run(fmt.Sprint(shape), func(b *testing.B) {
			for b.Loop() {
				cpu.ProductRightTransposed(dst, x, w)
			}
			flops := 2 * float64(shape[0]) * float64(shape[1]) * float64(shape[2]) * float64(b.N)
			b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
