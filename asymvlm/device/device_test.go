package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// units returns the instruction sets that this CPU can run, the plain one first.
func units() map[string]vectorUnit {
	found := map[string]vectorUnit{"Go": {}}
	if u := detect(); u.fma {
		found["AVX2"] = vectorUnit{fma: true}
		if u.avx512 {
			found["AVX-512"] = u
		}
	} else if u.simd {
		found[kernelOf(u).name] = u
	}
	return found
}

// onEvery runs a test on the float32 implementations of Operations: the reference, and the CPU with
// each instruction set and several numbers of threads.
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

// random returns a matrix of normal values whose memory is not aligned to vectors.
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

// The sizes cross boundaries: below and at vectors (8), tiles (4, 12, 24, 32), rows of parts (24 to
// 96) and blocks (256). With -short, used with the race detector, the largest are omitted because
// the Go loops take minutes.
var allSizes = []int{1, 3, 7, 12, 13, 31, 33, 64, 257, 385, 530}

func sizes() []int {
	if testing.Short() {
		return allSizes[:8]
	}
	return allSizes
}

func TestProductsAgreeWithTheReferenceAtOddSizes(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		rows, inner, columns := pick(source), pick(source), pick(source)
		a, b := random(rows, inner, source), random(inner, columns, source)
		turnedA, turnedB := random(inner, rows, source), random(columns, inner, source)
		var want [3]Matrix[float64]
		for form := range want {
			want[form] = NewMatrix[float64](rows, columns)
		}
		reference := Reference[float64]{}
		reference.Product(want[0], wide(a), wide(b))
		reference.ProductLeftTransposed(want[1], wide(turnedA), wide(b))
		reference.ProductRightTransposed(want[2], wide(a), wide(turnedB))
		onEvery(t, func(t *testing.T, device Device) {
			for form, multiply := range []func(dst Matrix[float32]){
				func(dst Matrix[float32]) { device.Product(dst, a, b) },
				func(dst Matrix[float32]) { device.ProductLeftTransposed(dst, turnedA, b) },
				func(dst Matrix[float32]) { device.ProductRightTransposed(dst, a, turnedB) },
			} {
				dst := NewMatrix[float32](rows, columns)
				for i := range dst.Values {
					dst.Values[i] = float32(math.NaN()) // reveals values that are never written
				}
				multiply(dst)
				// Rounding errors grow with the root of the inner size.
				name := fmt.Sprintf("form %d of %d×%d×%d", form, rows, inner, columns)
				near(t, name, dst.Values, want[form].Values, 3e-7*math.Sqrt(float64(inner)))
			}
		})
	}
}

func pick(source *rand.Rand) int {
	list := sizes()
	return list[source.IntN(len(list))]
}

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
			dst, lengths := NewMatrix[float32](65, 90), make([]float64, 65)
			for range 20 {
				cpu.Product(dst, a, b)
				cpu.Units(Matrix[float32]{}, lengths, a)
			}
			if !slices.Equal(dst.Values, want.Values) {
				t.Error("another product came out")
			}
		})
	}
	group.Wait()
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
