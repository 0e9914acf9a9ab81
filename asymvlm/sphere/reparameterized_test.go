package sphere

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"
)

// Both densities implement the interfaces with which gonum's multivariate packages use a
// distribution.
var (
	_ distmv.RandLogProber = (*VonMisesFisher)(nil)
	_ distmv.RandLogProber = (*PowerSpherical)(nil)
)

// TestSlopeOfADrawIsThatOfItsQuantile changes κ and computes the same quantile again.
func TestSlopeOfADrawIsThatOfItsQuantile(t *testing.T) {
	for _, d := range []int{2, 3, 10, 64, 512} {
		for _, kappa := range []float64{0.5, 4, 60, 2000} {
			beta := float64(d-1) / 2
			law := betaLaw{beta + kappa, beta}
			for _, p := range []float64{0.001, 0.2, 0.5, 0.9, 0.9999} {
				x := law.Quantile(p)
				h := 1e-4 * kappa
				up, down := betaLaw{law.alpha + h, beta}, betaLaw{law.alpha - h, beta}
				want := (up.Quantile(p) - down.Quantile(p)) / (2 * h)
				if got := law.slope(x); math.Abs(got-want) > 2e-5*math.Abs(want)+1e-9/h*1e-3 {
					t.Errorf("d=%d κ=%g p=%g: slope %g, want %g", d, kappa, p, got, want)
				}
			}
		}
	}
	if s := (betaLaw{3, 2}).slope(1); s != 0 {
		t.Errorf("slope %g at the pole", s)
	}
}

// TestPulledGradientIsTheDerivativeOfTheDraw changes the natural parameter and repeats the same
// draw.
func TestPulledGradientIsTheDerivativeOfTheDraw(t *testing.T) {
	for _, d := range []int{2, 3, 8} {
		for seed := range uint64(6) {
			mu := direction(d, 20+seed)
			eta := scaled(nil, 3+2*float64(seed), mu)
			p, err := PowerSphericalFromNatural(eta, rand.NewPCG(seed, 3))
			if err != nil {
				t.Fatal(err)
			}
			w := p.RandDraw()
			gradient := direction(d, 50+seed)
			y := append([]float64(nil), w.X...)
			reflect(y, p.mu)
			beta := float64(d-1) / 2
			quantile := betaLaw{beta + p.kappa, beta}.CDF(y[0])
			loss := func(eta []float64) float64 {
				q, err := PowerSphericalFromNatural(eta, nil)
				if err != nil {
					t.Fatal(err)
				}
				along := betaLaw{beta + q.kappa, beta}.Quantile(quantile)
				across := math.Sqrt((1 - along*along) / (1 - y[0]*y[0]))
				x := scaled(nil, across, y)
				x[0] = along
				reflect(x, q.mu)
				return dot(gradient, x)
			}
			if math.Abs(loss(eta)-dot(gradient, w.X)) > 1e-9 {
				t.Fatalf("d=%d: the same draw cannot be made again", d)
			}
			got := w.Pull(nil, gradient)
			for i := range eta {
				const h = 1e-4
				moved := append([]float64(nil), eta...)
				moved[i] += h
				up := loss(moved)
				moved[i] -= 2 * h
				if want := (up - loss(moved)) / (2 * h); math.Abs(got[i]-want) > 1e-6 {
					t.Errorf("d=%d seed %d: derivative %d is %g, want %g", d, seed, i, got[i], want)
				}
			}
			if derivative := w.KappaDerivative(nil); math.Abs(dot(derivative, w.X)) > 1e-9 {
				t.Errorf("d=%d: the draw leaves the sphere, by %g", d, dot(derivative, w.X))
			}
		}
	}
}

// TestMeanDerivativeIsThatOfTheMean checks E[dx/dκ] = A′(κ) μ with A = κ/(d−1+κ), within five
// standard errors and with a fixed seed.
func TestMeanDerivativeIsThatOfTheMean(t *testing.T) {
	const d, kappa, n = 12, 6, 4000
	mu := direction(d, 4)
	p, err := NewPowerSpherical(mu, kappa, rand.NewPCG(5, 6))
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = dot(mu, p.RandDraw().KappaDerivative(nil))
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	want := float64(d-1) / ((d - 1 + kappa) * (d - 1 + kappa))
	if math.Abs(mean-want) > 5*deviation/math.Sqrt(n) {
		t.Errorf("mean derivative %g, want %g (standard error %g)", mean, want, deviation/math.Sqrt(n))
	}
}

func TestPowerSphericalFitRecoversTheDensity(t *testing.T) {
	for _, c := range []struct {
		d, n  int
		kappa float64
	}{{2, 3000, 3}, {3, 3000, 40}, {48, 1500, 80}} {
		origin, err := NewPowerSpherical(direction(c.d, 8), c.kappa, rand.NewPCG(41, 2))
		if err != nil {
			t.Fatal(err)
		}
		points := make([][]float64, c.n)
		for i := range points {
			points[i] = origin.Rand(nil)
		}
		fitted, err := FitPowerSpherical(points, nil)
		if err != nil {
			t.Fatal(err)
		}
		likelihood := func(p *PowerSpherical) (sum float64) {
			for _, x := range points {
				sum += p.LogProb(x)
			}
			return sum
		}
		best := likelihood(fitted)
		if likelihood(origin) > best {
			t.Errorf("d=%d: the origin is more likely than the fit", c.d)
		}
		for seed := range uint64(6) { // no nearby density is more likely
			mu := fitted.MeanDirection(nil)
			for j, value := range direction(c.d, seed) {
				mu[j] += 0.003 * value
			}
			moved, err := NewPowerSpherical(scaled(nil, 1/length(mu), mu), fitted.Concentration(), nil)
			if err != nil {
				t.Fatal(err)
			}
			other, err := NewPowerSpherical(fitted.MeanDirection(nil), fitted.Concentration()*(0.97+0.06*float64(seed%2)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if likelihood(moved) >= best || likelihood(other) >= best {
				t.Errorf("d=%d: a density near the fit is more likely", c.d)
			}
		}
		if ratio := fitted.Concentration() / c.kappa; math.Abs(ratio-1) > 0.12 {
			t.Errorf("d=%d: fitted κ %g, want %g", c.d, fitted.Concentration(), c.kappa)
		}
	}
	x := direction(5, 1)
	if _, err := FitPowerSpherical([][]float64{x, x}, nil); err == nil || !strings.Contains(err.Error(), "one place") {
		t.Errorf("error %v", err)
	}
	if uniform, err := FitPowerSpherical([][]float64{{1, 0}, {-1, 0}}, nil); err != nil || uniform.Concentration() != 0 {
		t.Errorf("opposite points: %v, %v", uniform, err)
	}
	if _, err := FitPowerSpherical([][]float64{{1, 0}, {1, 0}, {1, 0}, {-1, 0}}, nil); err == nil || !strings.Contains(err.Error(), "point 3 is opposite") {
		t.Errorf("error %v", err)
	}
}

// TestDebiasedResultantHasTheRightSquare fits small samples. The mean of the debiased squares is A²
// within five standard errors; the mean of the plain squares is far from it.
func TestDebiasedResultantHasTheRightSquare(t *testing.T) {
	const d, n, repetitions = 64, 6, 3000
	p, err := NewVonMisesFisher(direction(d, 3), 20, rand.NewPCG(7, 8))
	if err != nil {
		t.Fatal(err)
	}
	plain, mended := make([]float64, repetitions), make([]float64, repetitions)
	for i := range plain {
		mean := make([]float64, d)
		for range n {
			for j, value := range p.Rand(nil) {
				mean[j] += value / n
			}
		}
		r := length(mean)
		plain[i] = r * r
		mended[i] = (n*r*r - 1) / (n - 1) // before the cut at 0, which would introduce a bias
		if got := DebiasedResultant(r, n); math.Abs(got*got-max(mended[i], 0)) > 1e-12 {
			t.Fatalf("square %g, want %g", got*got, mended[i])
		}
	}
	want := p.MeanResultantLength() * p.MeanResultantLength()
	mean, deviation := stat.MeanStdDev(mended, nil)
	if math.Abs(mean-want) > 5*deviation/math.Sqrt(repetitions) {
		t.Errorf("mean square %g, want %g", mean, want)
	}
	if stat.Mean(plain, nil) < 1.5*want {
		t.Errorf("the plain mean square, %g, is not far from %g", stat.Mean(plain, nil), want)
	}
	for _, bad := range []float64{DebiasedResultant(0.5, 1), DebiasedResultant(1.5, 4), DebiasedResultant(math.NaN(), 4)} {
		if !math.IsNaN(bad) {
			t.Errorf("outside the domain the value is %g", bad)
		}
	}
}
