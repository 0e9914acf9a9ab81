package sphere

import (
	"math"
	"math/rand/v2"
	"testing"
)

// laws returns the cosine laws of both families in d dimensions.
func laws(t *testing.T, d int, kappa float64) map[string]CosineLaw {
	t.Helper()
	mu := make([]float64, d)
	mu[d-1] = 1
	v, err := NewVonMisesFisher(mu, kappa, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPowerSpherical(mu, kappa, nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]CosineLaw{"von Mises–Fisher": v.CosineLaw(), "power spherical": p.CosineLaw()}
}

func TestCosineLawInThreeDimensionsIsClosed(t *testing.T) {
	for _, kappa := range []float64{1e-3, 0.5, 3, 20, 500} {
		law := laws(t, 3, kappa)["von Mises–Fisher"]
		for _, x := range []float64{-0.99, -0.5, 0, 0.3, 0.9, 0.999} {
			// (e^{κt} − e^{−κ})/(e^κ − e^{−κ}) and its complement, computed without overflow.
			all := -math.Expm1(-2 * kappa)
			lower := math.Exp(kappa*(x-1)) * -math.Expm1(-kappa*(x+1)) / all
			upper := -math.Expm1(kappa*(x-1)) / all
			if got := law.CDF(x); math.Abs(got-lower) > 2e-13*max(lower, 1e-20) {
				t.Errorf("κ = %g: CDF(%g) = %.17g, want %.17g", kappa, x, got, lower)
			}
			if got := law.Survival(x); math.Abs(got-upper) > 2e-13*upper {
				t.Errorf("κ = %g: Survival(%g) = %.17g, want %.17g", kappa, x, got, upper)
			}
		}
	}
}

// TestUniformCosinesAgreeAcrossFamilies compares the quadrature with the incomplete beta function
// at κ = 0, where both densities are uniform, and with the plain angle for d = 2.
func TestUniformCosinesAgreeAcrossFamilies(t *testing.T) {
	for _, d := range []int{2, 3, 4, 17, 64, 512} {
		both := laws(t, d, 0)
		for _, x := range []float64{-0.5, -0.1, 0, 0.05, 0.3, 0.7} {
			a, b := both["von Mises–Fisher"].CDF(x), both["power spherical"].CDF(x)
			if math.Abs(a-b) > 1e-12 {
				t.Errorf("d = %d: CDF(%g) = %.15g and %.15g", d, x, a, b)
			}
			if plain := 1 - math.Acos(x)/math.Pi; d == 2 && math.Abs(a-plain) > 1e-14 {
				t.Errorf("circle: CDF(%g) = %.15g, want %.15g", x, a, plain)
			}
		}
	}
}

// TestIntegralIsTheNormalizer compares the quadrature with the Bessel function: the density at the
// mode of the angle times the integral must be 1.
func TestIntegralIsTheNormalizer(t *testing.T) {
	for _, d := range []int{3, 10, 64, 512, 768} {
		normalizer, err := NewVonMisesFisherNormalizer(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, kappa := range []float64{0.01, 1, 7, 50, 300, 1e4} {
			l := newAngleLaw(d, kappa)
			logArea := logArea(d - 1)
			value := normalizer.LogNormalizer(kappa) + logArea + kappa*math.Cos(l.mode) +
				float64(d-2)*math.Log(math.Sin(l.mode)) + math.Log(l.total)
			if math.Abs(value) > 3e-12*max(1, kappa/10, float64(d)/10) { // logarithms in the thousands cancel here
				t.Errorf("d = %d, κ = %g: the density integrates to exp(%g)", d, kappa, value)
			}
		}
	}
}

func TestQuantilesAndCapsInvertTheLaw(t *testing.T) {
	for _, d := range []int{2, 3, 64, 512} {
		for _, kappa := range []float64{0, 0.1, 5, 200, 1e4} {
			for name, law := range laws(t, d, kappa) {
				for _, p := range []float64{1e-6, 0.05, 0.5, 0.9, 0.999} {
					q, c := law.Quantile(p), law.Cap(p)
					// The neighbors of t bound the accuracy that is possible where the density of t
					// is steep.
					const ulps = 3e-16
					if got := law.CDF(q); math.Abs(got-p) > 1e-9*p+law.CDF(q+ulps)-law.CDF(q-ulps) {
						t.Errorf("%s, d = %d, κ = %g: CDF of the quantile of %g is %.15g", name, d, kappa, p, got)
					}
					if got := law.Survival(c); math.Abs(got-p) > 1e-9*p+law.Survival(c-ulps)-law.Survival(c+ulps) {
						t.Errorf("%s, d = %d, κ = %g: survival at the cap of %g is %.15g", name, d, kappa, p, got)
					}
				}
				if law.Quantile(0) != -1 || law.Quantile(1) != 1 || law.Cap(0) != 1 || law.Cap(1) != -1 || !math.IsNaN(law.Cap(1.1)) {
					t.Errorf("%s, d = %d, κ = %g: bounds %g %g %g %g", name, d, kappa, law.Quantile(0), law.Quantile(1), law.Cap(0), law.Cap(1))
				}
			}
		}
	}
}

func TestCapsHoldTheirPartOfTheDraws(t *testing.T) {
	const d, draws, part = 32, 20000, 0.8
	mu := make([]float64, d)
	mu[3] = 1
	for _, kappa := range []float64{2, 40} {
		v, _ := NewVonMisesFisher(mu, kappa, rand.NewPCG(1, 2))
		p, _ := NewPowerSpherical(mu, kappa, rand.NewPCG(3, 4))
		for name, c := range map[string]struct {
			law  CosineLaw
			rand func([]float64) []float64
		}{"von Mises–Fisher": {v.CosineLaw(), v.Rand}, "power spherical": {p.CosineLaw(), p.Rand}} {
			border, inside := c.law.Cap(part), 0
			x := make([]float64, d)
			for range draws {
				if c.rand(x)[3] >= border {
					inside++
				}
			}
			// The standard deviation of the proportion is √(0.16/20000) = 0.0028; the limit is 4.5
			// times that.
			if got := float64(inside) / draws; math.Abs(got-part) > 0.0127 {
				t.Errorf("%s, κ = %g: the cap of %g holds %g of the draws", name, kappa, part, got)
			}
		}
	}
}

func TestSampledDivergenceLiesWithinItsError(t *testing.T) {
	mu, nu := []float64{0, 0, 1, 0}, []float64{0.6, 0, 0.8, 0}
	one, _ := NewVonMisesFisher(mu, 6, rand.NewPCG(5, 6))
	two, _ := NewVonMisesFisher(nu, 3, nil)
	estimate, err := SampledKL(one, two, 20000)
	if err != nil {
		t.Fatal(err)
	}
	if want := one.KLDivergence(two); math.Abs(estimate.KL-want) > 4.5*estimate.StandardError || estimate.StandardError > 0.02 {
		t.Errorf("estimate %+v, want %g", estimate, want)
	}
	a, _ := NewPowerSpherical(mu, 6, rand.NewPCG(7, 8))
	b, _ := NewPowerSpherical(mu, 2, nil)
	exact, err := a.KLDivergence(b)
	if err != nil {
		t.Fatal(err)
	}
	if estimate, _ = SampledKL(a, b, 20000); math.Abs(estimate.KL-exact) > 4.5*estimate.StandardError {
		t.Errorf("estimate %+v, want %g", estimate, exact)
	}
	c, _ := NewPowerSpherical(nu, 6, nil)
	if estimate, _ = SampledKL(a, c, 20000); estimate.KL < 10*estimate.StandardError {
		t.Errorf("different directions: %+v, want clearly more than 0", estimate)
	}
	if same, _ := SampledKL(a, a, 100); same.KL != 0 || same.StandardError != 0 {
		t.Errorf("a density from itself: %+v", same)
	}
	if _, err := SampledKL(one, two, 1); err == nil {
		t.Error("one draw gave a standard error")
	}
	circle, _ := NewVonMisesFisher([]float64{1, 0}, 1, nil)
	if _, err := SampledKL(one, circle, 10); err == nil {
		t.Error("densities of 4 and 2 dimensions were compared")
	}
}

func TestProductIsTheProductUpToItsFactor(t *testing.T) {
	one, _ := NewVonMisesFisher([]float64{0, 0, 1}, 6, nil)
	two, _ := NewVonMisesFisher([]float64{0.6, 0, 0.8}, 3, nil)
	product, err := one.Product(two)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]float64{{1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}, {0, 0.6, -0.8}} {
		want := one.LogProb(x) + two.LogProb(x) - one.LogInnerProduct(two)
		if got := product.LogProb(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("log density at %v: %.15g, want %.15g", x, got, want)
		}
	}
	circle, _ := NewVonMisesFisher([]float64{1, 0}, 1, nil)
	if _, err := one.Product(circle); err == nil {
		t.Error("densities of 3 and 2 dimensions were multiplied")
	}
}

func TestGaussianComparison(t *testing.T) {
	normalizer, err := NewVonMisesFisherNormalizer(512)
	if err != nil {
		t.Fatal(err)
	}
	const step = 1e-4
	for _, kappa := range []float64{2, 40, 700} {
		up, down := GaussianLogLikelihood(512, kappa+step, 0.3), GaussianLogLikelihood(512, kappa-step, 0.3)
		if want := (up - down) / (2 * step); math.Abs(GaussianSlope(512, kappa, 0.3)-want) > 1e-5*math.Abs(want) {
			t.Errorf("slope at %g: %g, want %g", kappa, GaussianSlope(512, kappa, 0.3), want)
		}
		difference := GaussianLogLikelihood(512, kappa, 0.3) - (kappa*0.3 + normalizer.LogNormalizer(kappa))
		if got := normalizer.GaussianExcess(kappa); math.Abs(got-difference) > 1e-10*math.Abs(difference) {
			t.Errorf("excess at %g: %g, want %g", kappa, got, difference)
		}
	}
	// For large κ the excess is (log κ − log 2π)/2 plus a remainder that falls like d²/κ.
	if got := normalizer.GaussianExcess(1e9) - math.Log(1e9/(2*math.Pi))/2; math.Abs(got) > 1e-3 {
		t.Errorf("excess at 1e9 is off its limit by %g", got)
	}
}
