package sphere

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// moments are sample moments of μ·x and of the coordinates across μ.
type moments struct{ mean, variance, across float64 }

// sampleMoments draws n vectors from p. Across is the mean square of the coordinate along one fixed
// axis orthogonal to μ: the mean over all such axes, |x|² − (μ·x)² divided by d−1, would be the
// same number for any directions.
func sampleMoments(p density, n int) (m moments, axis []float64) {
	d := p.Dimension()
	mu := p.MeanDirection(nil)
	axis = direction(d, 99)
	product := dot(mu, axis)
	for i := range axis {
		axis[i] -= product * mu[i]
	}
	axis = scaled(nil, 1/length(axis), axis)
	along, squares := make([]float64, n), 0.0
	x := make([]float64, d)
	for i := range along {
		p.Rand(x)
		along[i] = dot(mu, x)
		side := dot(axis, x)
		squares += side * side
	}
	m.mean, m.variance = stat.MeanVariance(along, nil)
	m.across = squares / float64(n)
	return m, axis
}

// The limits are five standard errors, each exceeded with probability 6e-7 under normality; 46
// checks of three numbers fail for about 8e-5 of all seeds. The seeds are fixed, so a failure means
// that the program has changed. The standard error of a variance ratio is √(2/n) for a normal
// distribution; the distributions here have lighter tails.
func TestDrawsHaveTheMomentsOfTheDensity(t *testing.T) {
	for _, c := range []struct {
		d, n int
	}{{2, 100000}, {3, 100000}, {12, 50000}, {512, 4000}} {
		exact, _, power := normalizers(t, c.d)
		for _, kappa := range []float64{0, 0.5, 5, 50, 1e3, 1e5} {
			if c.d == 512 && kappa == 0.5 {
				continue // κ is hardly different from 0, and sampling is not cheap
			}
			for name, p := range densities(t, direction(c.d, 7), kappa, 11) {
				mean, variance := exact.MeanResultantLength(kappa), exact.MeanResultantSlope(kappa)
				if name == "power spherical" {
					mean, variance = power.MeanResultantLength(kappa), power.Variance(kappa)
				}
				// E[(a·x)²] for a unit vector a across μ is E[1 − (μ·x)²]/(d−1).
				across := (1 - mean*mean - variance) / float64(c.d-1)
				got, _ := sampleMoments(p, c.n)
				root := math.Sqrt(float64(c.n))
				where := fmt.Sprintf("%s d=%d κ=%g", name, c.d, kappa)
				if z := (got.mean - mean) / math.Sqrt(variance) * root; !(math.Abs(z) < 5) {
					t.Errorf("%s: mean %.6g, want %.6g (%.1f standard errors)", where, got.mean, mean, z)
				}
				// On the circle and near the pole μ·x is far from normal; its fourth moment allows
				// twice the error.
				limit := 5 * math.Sqrt2 / root
				if c.d == 2 || c.d == 3 {
					limit *= 2
				}
				if ratio := got.variance / variance; !(math.Abs(ratio-1) < limit) {
					t.Errorf("%s: variance ratio %.4f, want 1 ± %.4f", where, ratio, limit)
				}
				if ratio := got.across / across; !(math.Abs(ratio-1) < limit) {
					t.Errorf("%s: variance across ratio %.4f, want 1 ± %.4f", where, ratio, limit)
				}
			}
		}
	}
}

// In three dimensions the distribution of t = μ·x has a closed form: P(t ≤ s) = (e^{κs} −
// e^{−κ})/(e^κ − e^{−κ}) for von Mises–Fisher, ((1+s)/2)^{κ+1} for power spherical. The
// Kolmogorov–Smirnov distance of n draws exceeds 2.8/√n with probability 2·exp(−2·2.8²) = 3e-7; six
// checks fail for 2e-6 of all seeds.
func TestDrawsFollowTheLawInThreeDimensions(t *testing.T) {
	const n = 40000
	mu := direction(3, 8)
	for _, kappa := range []float64{0.3, 4, 200} {
		laws := map[string]func(s float64) float64{
			"von Mises–Fisher": func(s float64) float64 {
				return math.Exp(kappa*(s-1)) * math.Expm1(-kappa*(s+1)) / math.Expm1(-2*kappa)
			},
			"power spherical": func(s float64) float64 { return math.Pow((1+s)/2, kappa+1) },
		}
		for name, p := range densities(t, mu, kappa, 21) {
			draws := make([]float64, n)
			for i := range draws {
				draws[i] = dot(mu, p.Rand(nil))
			}
			slices.Sort(draws)
			distance := 0.0
			for i, s := range draws {
				below := laws[name](s)
				distance = max(distance, below-float64(i)/n, float64(i+1)/n-below)
			}
			if limit := 2.8 / math.Sqrt(n); !(distance < limit) {
				t.Errorf("%s κ=%g: Kolmogorov–Smirnov distance %.5f, want below %.5f", name, kappa, distance, limit)
			}
		}
	}
}

func TestDrawsAreUnitVectorsAndRepeatable(t *testing.T) {
	mu := direction(12, 1)
	for name := range densities(t, mu, 5, 0) {
		first, again := densities(t, mu, 5, 4)[name], densities(t, mu, 5, 4)[name]
		other := densities(t, mu, 5, 5)[name]
		dst := make([]float64, 12)
		for range 100 {
			x := first.Rand(dst)
			if &x[0] != &dst[0] {
				t.Fatalf("%s: Rand does not use dst", name)
			}
			if math.Abs(length(x)-1) > 1e-14 {
				t.Fatalf("%s: draw of length %.17g", name, length(x))
			}
			if !slices.Equal(x, again.Rand(nil)) {
				t.Fatalf("%s: the same seed gives another draw", name)
			}
			if slices.Equal(x, other.Rand(nil)) {
				t.Fatalf("%s: another seed gives the same draw", name)
			}
		}
	}
	global, err := NewVonMisesFisher(mu, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := global.Rand(nil); math.Abs(length(x)-1) > 1e-14 {
		t.Errorf("draw from the global source has length %g", length(x))
	}
}

func TestReflectionTakesTheFirstAxisToMu(t *testing.T) {
	axis := []float64{1, 0, 0, 0}
	tiny := []float64{1, 1e-9, 0, 0}
	for _, mu := range [][]float64{axis, scaled(nil, -1, axis), tiny, direction(4, 1), {0, 1, 0, 0}, {-1, 1e-200, 0, 0}} {
		y := slices.Clone(axis)
		reflect(y, mu)
		for i := range y {
			if math.Abs(y[i]-mu[i]) > 1e-15 {
				t.Errorf("first axis goes to %v, want %v", y, mu)
				break
			}
		}
		a, b := direction(4, 2), direction(4, 3)
		before := dot(a, b)
		reflect(a, mu)
		reflect(b, mu)
		if after := dot(a, b); math.Abs(after-before) > 1e-15 {
			t.Errorf("μ %v: product of two vectors changes from %g to %g", mu, before, after)
		}
	}
}

func TestConcentrationInvertsTheMeanResultantLength(t *testing.T) {
	for _, d := range []int{2, 3, 12, 512} {
		exact, _, _ := normalizers(t, d)
		for kappa := 1e-9; kappa < 1e6; kappa *= 7 {
			resultant := exact.MeanResultantLength(kappa)
			// A rounding error of r changes κ by that error times dκ/dr.
			limit := 1e-14*kappa + 1e-15/exact.MeanResultantSlope(kappa)*resultant
			if got := exact.Concentration(resultant); !(math.Abs(got-kappa) <= limit) {
				t.Errorf("d=%d: concentration %.17g, want %.17g", d, got, kappa)
			}
		}
		if exact.Concentration(0) != 0 || !math.IsInf(exact.Concentration(1), 1) {
			t.Errorf("d=%d: concentrations %g at 0, %g at 1", d, exact.Concentration(0), exact.Concentration(1))
		}
		for _, r := range []float64{-0.1, 1.1, math.NaN()} {
			if got := exact.Concentration(r); !math.IsNaN(got) {
				t.Errorf("d=%d: concentration %g at %g, want NaN", d, got, r)
			}
		}
	}
}

// The maximum likelihood estimate of κ has standard error 1/√(n·A′(κ)); five of them are exceeded
// in 6e-7 of all seeds.
func TestFitRecoversTheDensity(t *testing.T) {
	for _, c := range []struct {
		d, n  int
		kappa float64
	}{{2, 5000, 3}, {3, 5000, 40}, {64, 3000, 100}} {
		origin, err := NewVonMisesFisher(direction(c.d, 6), c.kappa, rand.NewPCG(31, 1))
		if err != nil {
			t.Fatal(err)
		}
		points := make([][]float64, c.n)
		for i := range points {
			points[i] = origin.Rand(nil)
		}
		fitted, err := FitVonMisesFisher(points, nil)
		if err != nil {
			t.Fatal(err)
		}
		exact, _, _ := normalizers(t, c.d)
		if z := (fitted.Concentration() - c.kappa) * math.Sqrt(float64(c.n)*exact.MeanResultantSlope(c.kappa)); math.Abs(z) > 5 {
			t.Errorf("d=%d: fitted κ %g, want %g (%.1f standard errors)", c.d, fitted.Concentration(), c.kappa, z)
		}
		likelihood := func(v *VonMisesFisher) (sum float64) {
			for _, x := range points {
				sum += v.LogProb(x)
			}
			return sum
		}
		best := likelihood(fitted)
		for _, factor := range []float64{0.98, 1.02} {
			near, err := NewVonMisesFisher(fitted.MeanDirection(nil), fitted.Concentration()*factor, nil)
			if err != nil {
				t.Fatal(err)
			}
			if likelihood(near) >= best || likelihood(origin) > best {
				t.Errorf("d=%d: the fit is not the most likely density", c.d)
			}
		}
	}
}

func TestFitRefusesWhatDeterminesNoDensity(t *testing.T) {
	x := direction(5, 1)
	for want, points := range map[string][][]float64{
		"no points": {}, "one place": {x, x, x}, "point 1 has 4 values": {x, x[:4]}, "point 1 has length 2": {x, scaled(nil, 2, x)},
		"dimension 1": {{1}}, "length NaN": {{math.NaN(), 1}},
	} {
		if _, err := FitVonMisesFisher(points, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	uniform, err := FitVonMisesFisher([][]float64{{1, 0}, {-1, 0}}, nil)
	if err != nil || uniform.Concentration() != 0 {
		t.Errorf("opposite points: %v, %v", uniform, err)
	}
}

func BenchmarkRand512(b *testing.B) {
	for name, p := range densities(b, direction(512, 1), 255, 1) {
		b.Run(name, func(b *testing.B) {
			dst := make([]float64, 512)
			for b.Loop() {
				p.Rand(dst)
			}
		})
	}
}
