package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/special"
	"gosphere/asymvlm/sphere"
)

// doublesOf reads double numbers from the GPU.
func (b bench) doublesOf(at cuda.Address, count int) []float64 {
	b.t.Helper()
	words, values := make([]uint32, 2*count), make([]float64, count)
	if err := b.card.ReadWords(words, at); err != nil {
		b.t.Fatal(err)
	}
	for i := range values {
		values[i] = math.Float64frombits(uint64(words[2*i]) | uint64(words[2*i+1])<<32)
	}
	return values
}

// putDoubles copies double numbers to the GPU.
func (b bench) putDoubles(values ...float64) cuda.Address {
	b.t.Helper()
	words := make([]uint32, 0, 2*len(values))
	for _, value := range values {
		bits := math.Float64bits(value)
		words = append(words, uint32(bits), uint32(bits>>32))
	}
	return b.words(words...)
}

// besselOf copies the table of a dimension to the GPU.
func (b bench) besselOf(dimension int) cuda.Address {
	b.t.Helper()
	return b.putDoubles(special.NewBesselI(float64(dimension)/2 - 1).Table()...)
}

// Tests every dimension, including those where the expansion is reached by recurrence (below 82)
// and where it is used directly, from concentrations whose logarithm has hardly increased to those
// larger than any that is learned.
func TestTheExactNormalizerOfTheCardIsThatOfTheProcessor(t *testing.T) {
	kappas := []float32{0, 1e-6, 0.01, 0.7, 5, 60, 700, 3e4, 1e7}
	for _, dimension := range []int{2, 3, 9, 64, 81, 82, 300, 512, 768} {
		n, err := sphere.NewVonMisesFisherNormalizer(dimension)
		if err != nil {
			t.Fatal(err)
		}
		b, rows := newBench(t), len(kappas)
		eta := make([]float32, rows*dimension)
		for row, kappa := range kappas {
			eta[row*dimension+row%dimension] = -kappa
		}
		at, mu, lengths, logs := b.put(eta...), b.put(make([]float32, len(eta))...), b.put(make([]float32, rows)...), b.put(make([]float32, rows)...)
		wide, slopes := b.put(make([]float32, 2*rows)...), b.put(make([]float32, rows)...)
		b.rows("concentrate", rows, at, mu, lengths, logs, wide, slopes, dimension, float32(1), b.besselOf(dimension))
		for row, log := range b.doublesOf(wide, rows) {
			kappa, what := float64(kappas[row]), fmt.Sprintf("d=%d, κ=%g", dimension, kappas[row])
			if want := n.LogNormalizerShifted(kappa); !(math.Abs(log-want) <= 1e-11*math.Abs(want)) {
				t.Errorf("%s: logarithm %.15g, want %.15g", what, log, want)
			}
			if got, want := float64(b.get(of(slopes, row), 1)[0]), n.DerivativeOverKappa(kappa); !(math.Abs(got-want) <= 1e-7*math.Abs(want)) {
				t.Errorf("%s: slope %.9g, want %.9g", what, got, want)
			}
			near(t, what+": direction", float64(b.get(of(mu, row*dimension+row%dimension), 1)[0]), map[bool]float64{true: -1, false: 0}[kappa > 0], 1e-6)
		}
	}
}

func TestWithoutATableTheNormalizerIsThePapers(t *testing.T) {
	for _, dimension := range []int{2, 9, 512} {
		n, err := sphere.NewPaperNormalizer(dimension)
		if err != nil {
			t.Fatal(err)
		}
		for _, kappa := range []float32{0, 0.3, 20, 4000} {
			b, eta := newBench(t), make([]float32, dimension)
			eta[dimension-1] = kappa / 2
			at, logs, slopes, lengths := b.put(eta...), b.put(0), b.put(0), b.put(0)
			b.rows("concentrate", 1, at, cuda.Address(0), lengths, logs, cuda.Address(0), slopes, dimension, float32(2), cuda.Address(0))
			what := fmt.Sprintf("d=%d, κ=%g", dimension, kappa)
			near(t, what+": length", float64(b.get(lengths, 1)[0]), float64(kappa), 1e-7)
			near(t, what+": logarithm", float64(b.get(logs, 1)[0]), n.LogNormalizerShifted(float64(kappa)), 2e-7)
			near(t, what+": slope", float64(b.get(slopes, 1)[0]), n.DerivativeOverKappa(float64(kappa)), 2e-7)
			if got := b.get(at, dimension)[dimension-1]; got != kappa {
				t.Errorf("%s: the output becomes %g", what, got)
			}
		}
	}
}

// Opposite densities cancel: |η_I+η_T| is 0 there, and never the square root of a negative number.
func TestTheIntegralOfTwoDensitiesIsThatOfTheirSum(t *testing.T) {
	const dimension = 24
	n, err := sphere.NewVonMisesFisherNormalizer(dimension)
	if err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(41, 1))
	for _, batch := range []int{1, 33, 129} {
		b := newBench(t)
		kappas, cosines := [2][]float32{make([]float32, batch), make([]float32, batch)}, make([]float32, batch*batch)
		logs := [2][]float64{make([]float64, batch), make([]float64, batch)}
		for i := range batch {
			kappas[0][i], kappas[1][i] = float32(20*source.Float64()), float32(20*source.Float64())
			kappas[1][i] = map[bool]float32{true: kappas[0][i], false: kappas[1][i]}[i%3 == 0]
			logs[0][i], logs[1][i] = n.LogNormalizerShifted(float64(kappas[0][i])), n.LogNormalizerShifted(float64(kappas[1][i]))
		}
		for i := range cosines {
			cosines[i] = float32(2*source.Float64() - 1)
			if i%(batch+1) == 0 {
				cosines[i] = -1 - 0x1p-23 // possible by rounding
			}
		}
		pairs, at := b.put(make([]float32, batch*batch)...), b.put(cosines...)
		b.run("symmetric_likelihoods", cuda.Size{X: (batch + 127) / 128, Y: (batch + 31) / 32}, cuda.Size{X: 128, Y: 1}, pairs, at, b.put(kappas[0]...),
			b.put(kappas[1]...), b.putDoubles(logs[0]...), b.putDoubles(logs[1]...), b.besselOf(dimension), batch)
		want, slopes := make([]float64, batch*batch), make([]float64, batch*batch)
		for i := range want {
			row, column := i/batch, i%batch
			x, y := float64(kappas[0][row]), float64(kappas[1][column])
			together := math.Sqrt(math.Max((x-y)*(x-y)+2*x*y*(1+float64(cosines[i])), 0))
			want[i], slopes[i] = logs[0][row]+logs[1][column]-n.LogNormalizerShifted(together), n.DerivativeOverKappa(together)
		}
		closeTo(t, fmt.Sprintf("%d pairs: logarithms", batch), b.get(pairs, batch*batch), want, 2e-7)
		closeTo(t, fmt.Sprintf("%d pairs: slopes", batch), b.get(at, batch*batch), slopes, 2e-7)
	}
}
