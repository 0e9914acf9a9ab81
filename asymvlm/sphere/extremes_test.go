package sphere

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// extremeKappas range from a density that is uniform in float64 to one that is nearly a point mass.
var extremeKappas = []float64{0, 1e-300, 1e-160, 1e-12, 1e-3, 1, 30, 1e3, 1e6, 1e9}

// TestMeasuresStayInTheirRanges covers the smallest dimensions and those of encoders: entropy falls
// from the entropy of the uniform density, divergence rises from 0, and the mean resultant length
// is between 0 and 1.
func TestMeasuresStayInTheirRanges(t *testing.T) {
	for _, d := range []int{2, 3, 5, 64, 512, 4096} {
		mu := direction(d, 5)
		last := map[string][3]float64{}
		for i, kappa := range extremeKappas {
			for name, p := range densities(t, mu, kappa, 0) {
				measures := [3]float64{p.MeanResultantLength(), -p.Entropy(), p.(interface{ KLToUniform() float64 }).KLToUniform()}
				where := fmt.Sprintf("%s, d = %d, κ = %g", name, d, kappa)
				for k, value := range measures {
					// The entropy is a difference of numbers of the size of log c(0).
					slack := []float64{0, 1e-11 * float64(d), 1e-13}[k]
					if math.IsNaN(value) || math.IsInf(value, 0) || i > 0 && value < last[name][k]-slack {
						t.Errorf("%s: measure %d is %.17g after %.17g", where, k, value, last[name][k])
					}
				}
				if length := measures[0]; length < 0 || length > 1 || kappa == 0 && length != 0 {
					t.Errorf("%s: mean resultant length %.17g", where, length)
				}
				// Entropy and divergence from the uniform density add up to the entropy of the
				// uniform density.
				uniform := -densities(t, mu, 0, 0)[name].LogNormalizer()
				if sum := measures[2] - measures[1]; math.Abs(sum-uniform) > 1e-11*(1+math.Abs(uniform)+math.Abs(measures[1])) {
					t.Errorf("%s: entropy and divergence sum to %.15g, want %.15g", where, sum, uniform)
				}
				last[name] = measures
			}
		}
	}
}

// TestDensitiesTurnWithTheirDirection checks that rotating μ and x together changes no log density,
// and that the antipode of μ has the smallest.
func TestDensitiesTurnWithTheirDirection(t *testing.T) {
	for _, d := range []int{2, 3, 16} {
		r := rand.New(rand.NewPCG(uint64(d), 1))
		m := mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				m.Set(i, j, r.NormFloat64())
			}
		}
		var qr mat.QR
		qr.Factorize(m)
		var q mat.Dense
		qr.QTo(&q)
		turn := func(x []float64) []float64 {
			var y mat.VecDense
			y.MulVec(&q, mat.NewVecDense(d, x))
			return y.RawVector().Data
		}
		mu, x := direction(d, 7), direction(d, 8)
		opposite := make([]float64, d)
		for i, value := range mu {
			opposite[i] = -value
		}
		for _, kappa := range []float64{1e-6, 2, 400} {
			turned := densities(t, turn(mu), kappa, 0)
			for name, p := range densities(t, mu, kappa, 0) {
				if got, want := turned[name].LogProb(turn(x)), p.LogProb(x); math.Abs(got-want) > 1e-11*(1+kappa) {
					t.Errorf("%s, d = %d, κ = %g: %.15g, turned %.15g", name, d, kappa, want, got)
				}
				if top, bottom, middle := p.LogProb(mu), p.LogProb(opposite), p.LogProb(x); !(top >= middle && middle >= bottom) || math.IsNaN(bottom) {
					t.Errorf("%s, d = %d, κ = %g: %g at μ, %g, %g at −μ", name, d, kappa, top, middle, bottom)
				}
			}
		}
	}
}

// TestLawsOfTheCosineKeepTheirOrderAtTheExtremes checks that CDF and Survival are monotonic and
// complementary, and that Cap and Quantile invert them.
func TestLawsOfTheCosineKeepTheirOrderAtTheExtremes(t *testing.T) {
	for _, d := range []int{2, 3, 4096} {
		mu := direction(d, 9)
		for _, kappa := range []float64{0, 1, 1e5} {
			for name, p := range densities(t, mu, kappa, 0) {
				law := p.(interface{ CosineLaw() CosineLaw }).CosineLaw()
				where := fmt.Sprintf("%s, d = %d, κ = %g", name, d, kappa)
				last := 0.0
				for c := -1.0; c <= 1; c += 1. / 8 {
					cdf, survival := law.CDF(c), law.Survival(c)
					if !(cdf >= last-1e-12) || math.Abs(cdf+survival-1) > 1e-11 || survival < 0 || survival > 1 {
						t.Errorf("%s: CDF(%g) = %.17g after %.17g, survival %.17g", where, c, cdf, last, survival)
					}
					last = cdf
				}
				if law.CDF(-1) != 0 || law.Survival(1) != 0 || math.Abs(law.CDF(1)-1) > 1e-12 {
					t.Errorf("%s: CDF from %g to %g", where, law.CDF(-1), law.CDF(1))
				}
				before := 1.0
				for _, part := range []float64{0, 1e-6, 0.5, 1 - 1e-6, 1} {
					cap := law.Cap(part)
					if !(cap <= before && cap >= -1) {
						t.Errorf("%s: the cap of %g begins at %g after %g", where, part, cap, before)
					}
					before = cap
				}
			}
		}
	}
}

// TestDrawsOfManyGoroutinesAreTheirOwn checks that densities with separate sources draw the same
// vectors concurrently as alone.
func TestDrawsOfManyGoroutinesAreTheirOwn(t *testing.T) {
	mu := direction(32, 3)
	alone := make([][]float64, 4)
	for i := range alone {
		v, err := NewVonMisesFisher(mu, 20, rand.NewPCG(uint64(i), 1))
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			alone[i] = append(alone[i], v.Rand(nil)...)
		}
	}
	together := make([]chan []float64, 4)
	for i := range together {
		together[i] = make(chan []float64, 1)
		go func() { // draws for one density and ends
			v, err := NewVonMisesFisher(mu, 20, rand.NewPCG(uint64(i), 1))
			var all []float64
			for range 50 {
				if err == nil {
					all = append(all, v.Rand(nil)...)
				}
			}
			together[i] <- all
		}()
	}
	for i := range together {
		if got := <-together[i]; !slices.Equal(got, alone[i]) {
			t.Errorf("density %d draws something else beside others", i)
		}
	}
}
