package sphere

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// A density is the interface of both families, so that one check serves both.
type density interface {
	Dimension() int
	Concentration() float64
	MeanDirection(dst []float64) []float64
	LogNormalizer() float64
	LogProb(x []float64) float64
	Prob(x []float64) float64
	MeanResultantLength() float64
	Entropy() float64
	KLToUniform() float64
	Mean(dst []float64) []float64
	Mode(dst []float64) []float64
	Rand(dst []float64) []float64
	Uncertainty() float64
}

var (
	_ density    = (*VonMisesFisher)(nil)
	_ density    = (*PowerSpherical)(nil)
	_ Normalizer = (*VonMisesFisherNormalizer)(nil)
	_ Normalizer = (*PaperNormalizer)(nil)
	_ Normalizer = (*PowerSphericalNormalizer)(nil)
)

// direction returns a unit vector that depends on d and seed alone.
func direction(d int, seed uint64) []float64 {
	random := newRandom(rand.NewPCG(seed, 1))
	mu := make([]float64, d)
	for i := range mu {
		mu[i] = random.normal()
	}
	size := length(mu)
	for i := range mu {
		mu[i] /= size
	}
	return mu
}

// densities returns one density of each family.
func densities(t testing.TB, mu []float64, kappa float64, seed uint64) map[string]density {
	t.Helper()
	v, err := NewVonMisesFisher(mu, kappa, rand.NewPCG(seed, 2))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPowerSpherical(mu, kappa, rand.NewPCG(seed, 3))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]density{"von Mises–Fisher": v, "power spherical": p}
}

// integral returns the integral over the circle or the sphere of a function f of μ·x alone, by
// Gauss–Legendre quadrature over the angle.
func integral(mu []float64, f func(x []float64) float64) float64 {
	// A unit vector across mu, made from the axis of mu's smallest coordinate.
	across := make([]float64, len(mu))
	smallest := 0
	for i := range mu {
		if math.Abs(mu[i]) < math.Abs(mu[smallest]) {
			smallest = i
		}
	}
	across[smallest] = 1
	product := dot(mu, across)
	for i := range across {
		across[i] -= product * mu[i]
	}
	across = scaled(nil, 1/length(across), across)
	ring := math.Exp(logArea(2)) / math.Pi // the circle has two points at each angle
	if len(mu) > 2 {
		ring = math.Exp(logArea(len(mu) - 1))
	}
	x := make([]float64, len(mu))
	return quad.Fixed(func(angle float64) float64 {
		for i := range x {
			x[i] = math.Cos(angle)*mu[i] + math.Sin(angle)*across[i]
		}
		return f(x) * ring * math.Pow(math.Sin(angle), float64(len(mu)-2))
	}, 0, math.Pi, 400, quad.Legendre{}, 1)
}

func TestDensitiesIntegrateToOne(t *testing.T) {
	for _, d := range []int{2, 3, 4, 12, 64} {
		mu := direction(d, 5)
		for _, kappa := range []float64{0, 1e-3, 0.7, 1, 5, 60} {
			for name, p := range densities(t, mu, kappa, 0) {
				total := integral(mu, p.Prob)
				mean := integral(mu, func(x []float64) float64 { return dot(mu, x) * p.Prob(x) })
				entropy := integral(mu, func(x []float64) float64 {
					if p.Prob(x) == 0 {
						return 0
					}
					return -p.Prob(x) * p.LogProb(x)
				})
				// 400 points integrate these almost to rounding. The power spherical density has a
				// weak singularity at −μ.
				const tolerance = 1e-7
				if math.Abs(total-1) > tolerance {
					t.Errorf("%s d=%d κ=%g integrates to %.10f", name, d, kappa, total)
				}
				if math.Abs(mean-p.MeanResultantLength()) > tolerance {
					t.Errorf("%s d=%d κ=%g: mean of μ·x %.10f, want %.10f", name, d, kappa, mean, p.MeanResultantLength())
				}
				if math.Abs(entropy-p.Entropy()) > tolerance*max(1, math.Abs(entropy)) {
					t.Errorf("%s d=%d κ=%g: entropy %.10f, want %.10f", name, d, kappa, p.Entropy(), entropy)
				}
			}
		}
	}
}

// In three dimensions c₃(κ) = κ/(4π sinh κ) and A₃(κ) = coth κ − 1/κ.
func TestThreeDimensionsAreElementary(t *testing.T) {
	exact, _, _ := normalizers(t, 3)
	for _, kappa := range []float64{0.2, 1, 4, 30} {
		if got, want := exact.LogNormalizer(kappa), math.Log(kappa/(4*math.Pi*math.Sinh(kappa))); math.Abs(got-want) > 1e-13 {
			t.Errorf("log c₃(%g) = %.15g, want %.15g", kappa, got, want)
		}
		if got, want := exact.MeanResultantLength(kappa), 1/math.Tanh(kappa)-1/kappa; math.Abs(got-want) > 1e-14 {
			t.Errorf("A₃(%g) = %.15g, want %.15g", kappa, got, want)
		}
	}
}

func TestPowerSphericalNormalizerVanishesAtOne(t *testing.T) {
	for _, d := range []int{2, 3, 12, 512, 768} {
		_, _, power := normalizers(t, d)
		if got := power.LogNormalizerShifted(1); got != 0 {
			t.Errorf("d=%d: log c(1) − log c(0) = %g", d, got)
		}
		for _, kappa := range []float64{1e-6, 0.01, 0.5, 0.999} {
			if got := power.LogNormalizerShifted(kappa); !(got > 0) {
				t.Errorf("d=%d: log c(%g) − log c(0) = %g, want more than 0", d, kappa, got)
			}
		}
		if got := power.LogNormalizerShifted(1.001); !(got < 0) {
			t.Errorf("d=%d: log c(1.001) − log c(0) = %g, want less than 0", d, got)
		}
	}
}

func TestPaperNormalizerFallsAndStaysNearTheExactOne(t *testing.T) {
	for _, d := range []int{512, 768} {
		exact, paper, _ := normalizers(t, d)
		if paper.LogNormalizerShifted(0) != 0 || exact.LogNormalizerShifted(0) != 0 {
			t.Errorf("d=%d: not zero-based", d)
		}
		a, last := float64(d-1)/2, 0.0
		for kappa := 1e-3; kappa <= 1e6; kappa *= 1.1 {
			value := paper.LogNormalizerShifted(kappa)
			if !(value < last) {
				t.Fatalf("d=%d: F(%g) = %g does not fall below %g", d, kappa, value, last)
			}
			last = value
			// The paper states an error below 0.0966 for every κ.
			if off := math.Abs(value - exact.LogNormalizerShifted(kappa)); off >= 0.0966 {
				t.Errorf("d=%d κ=%g: off by %g", d, kappa, off)
			}
			low := kappa / (a + math.Sqrt((a+1)*(a+1)+kappa*kappa))
			high := kappa / (a + math.Sqrt(a*a+kappa*kappa))
			if A := exact.MeanResultantLength(kappa); !(low < A && A < high) {
				t.Errorf("d=%d κ=%g: A = %.17g outside (%.17g, %.17g)", d, kappa, A, low, high)
			}
			if slope := paper.Derivative(kappa); math.Abs(slope+exact.MeanResultantLength(kappa)) > 9.9e-4*-slope {
				t.Errorf("d=%d κ=%g: slope %g, exact %g", d, kappa, slope, exact.Derivative(kappa))
			}
		}
	}
}

func TestSlopesAreDerivatives(t *testing.T) {
	for _, d := range []int{2, 12, 512} {
		exact, paper, power := normalizers(t, d)
		for name, n := range map[string]Normalizer{"exact": exact, "paper": paper, "power": power} {
			for _, kappa := range []float64{0.4, 5, 80} {
				step := 1e-5 * kappa
				want := (n.LogNormalizerShifted(kappa+step) - n.LogNormalizerShifted(kappa-step)) / (2 * step)
				if got := n.Derivative(kappa); math.Abs(got-want) > 1e-8*math.Abs(want)+1e-11 {
					t.Errorf("%s d=%d κ=%g: slope %g, difference quotient %g", name, d, kappa, got, want)
				}
			}
		}
		for _, kappa := range []float64{0, 1e-9, 3} {
			if got, want := kappa*exact.DerivativeOverKappa(kappa), exact.Derivative(kappa); math.Abs(got-want) > 1e-15*math.Abs(want) {
				t.Errorf("d=%d κ=%g: slope over κ times κ is %g, want %g", d, kappa, got, want)
			}
		}
		if got := exact.DerivativeOverKappa(0); math.Abs(got*float64(d)+1) > 1e-15 {
			t.Errorf("d=%d: slope over κ at 0 is %g, want −1/d", d, got)
		}
	}
}

func TestScoreIsTheGradientOfLogProb(t *testing.T) {
	const d = 7
	eta, x := scaled(nil, 3, direction(d, 1)), direction(d, 2)
	v, err := VonMisesFisherFromNatural(eta, nil)
	if err != nil {
		t.Fatal(err)
	}
	score := v.Score(nil, x)
	logProb := func(eta []float64) float64 {
		v, err := VonMisesFisherFromNatural(eta, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v.LogProb(x)
	}
	for i := range eta {
		const step = 1e-5
		up, down := slices.Clone(eta), slices.Clone(eta)
		up[i] += step
		down[i] -= step
		if want := (logProb(up) - logProb(down)) / (2 * step); math.Abs(score[i]-want) > 1e-9 {
			t.Errorf("component %d: score %g, difference quotient %g", i, score[i], want)
		}
	}
}

func TestNaturalParameterSplitsAndJoins(t *testing.T) {
	eta := []float64{3, 0, -4}
	v, err := VonMisesFisherFromNatural(eta, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := PowerSphericalFromNatural(eta, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]density{"von Mises–Fisher": v, "power spherical": p} {
		if q.Concentration() != 5 || q.Uncertainty() != 0.2 || !slices.Equal(q.MeanDirection(nil), []float64{0.6, 0, -0.8}) {
			t.Errorf("%s: κ %g, μ %v", name, q.Concentration(), q.MeanDirection(nil))
		}
		if !slices.Equal(q.Mode(nil), q.MeanDirection(nil)) || q.Dimension() != 3 {
			t.Errorf("%s: mode %v", name, q.Mode(nil))
		}
		if mean := q.Mean(make([]float64, 3)); math.Abs(length(mean)-q.MeanResultantLength()) > 1e-15 {
			t.Errorf("%s: mean %v", name, mean)
		}
	}
	if back := v.Natural(nil); math.Abs(back[2]+4) > 1e-15 {
		t.Errorf("natural parameter %v, want %v", back, eta)
	}
	uniform, err := VonMisesFisherFromNatural(make([]float64, 4), nil)
	if err != nil || uniform.Concentration() != 0 || uniform.MeanDirection(nil)[0] != 1 || !math.IsInf(uniform.Uncertainty(), 1) {
		t.Errorf("zero natural parameter: %v, %v", uniform, err)
	}
}

func TestUniformDensityIsOneOverTheArea(t *testing.T) {
	for d, area := range map[int]float64{2: 2 * math.Pi, 3: 4 * math.Pi, 4: 2 * math.Pi * math.Pi} {
		mu := direction(d, 1)
		for name, p := range densities(t, mu, 0, 0) {
			for _, x := range [][]float64{mu, scaled(nil, -1, mu)} {
				if got := p.Prob(x); math.Abs(got*area-1) > 1e-14 {
					t.Errorf("%s d=%d: density %g, want %g", name, d, got, 1/area)
				}
			}
			if p.KLToUniform() != 0 || p.MeanResultantLength() != 0 {
				t.Errorf("%s d=%d: KL %g, resultant %g", name, d, p.KLToUniform(), p.MeanResultantLength())
			}
		}
	}
}

func TestLimitsAreFinite(t *testing.T) {
	for _, d := range []int{2, 3, 64, 512} {
		mu := direction(d, 3)
		for _, kappa := range []float64{0, 1e-300, 1e-12, 1e5, 1e8} {
			for name, p := range densities(t, mu, kappa, 0) {
				for what, value := range map[string]float64{"normalizer": p.LogNormalizer(), "log density": p.LogProb(mu),
					"entropy": p.Entropy(), "resultant": p.MeanResultantLength(), "length of a draw": length(p.Rand(nil))} {
					if math.IsNaN(value) || math.IsInf(value, 0) {
						t.Errorf("%s d=%d κ=%g: %s is %g", name, d, kappa, what, value)
					}
				}
			}
		}
	}
}

func TestDivergencesAreZeroAtEqualityAndPositiveElsewhere(t *testing.T) {
	for _, d := range []int{2, 12, 512} {
		for _, kappa1 := range []float64{0, 1e-3, 5, 700} {
			for _, kappa2 := range []float64{0, 1e-3, 5, 700} {
				for _, cosine := range []float64{1, 0.9, 0, -1} {
					p, q := densityPair(t, d, kappa1, kappa2, cosine)
					kl, equal := p.KLDivergence(q), kappa1 == kappa2 && (cosine == 1 || kappa1 == 0)
					if equal && math.Abs(kl) > 1e-13 || !equal && !(kl > 0) {
						t.Errorf("d=%d: KL(%g‖%g) at cosine %g is %g", d, kappa1, kappa2, cosine, kl)
					}
					if there, back := p.LogInnerProduct(q), q.LogInnerProduct(p); math.Abs(there-back) > 1e-12*math.Abs(there) {
						t.Errorf("d=%d: inner products %g and %g", d, there, back)
					}
				}
			}
		}
	}
}

func TestDivergencesAgreeWithQuadrature(t *testing.T) {
	mu := direction(3, 4)
	p := densities(t, mu, 4, 0)
	q := densities(t, mu, 1.5, 0)
	for _, name := range []string{"von Mises–Fisher", "power spherical"} {
		want := integral(mu, func(x []float64) float64 { return p[name].Prob(x) * (p[name].LogProb(x) - q[name].LogProb(x)) })
		got := 0.0
		switch p := p[name].(type) {
		case *VonMisesFisher:
			other := q[name].(*VonMisesFisher)
			got = p.KLDivergence(other)
			product := integral(mu, func(x []float64) float64 { return p.Prob(x) * other.Prob(x) })
			if math.Abs(p.LogInnerProduct(other)-math.Log(product)) > 1e-10 {
				t.Errorf("log inner product %g, want %g", p.LogInnerProduct(other), math.Log(product))
			}
		case *PowerSpherical:
			kl, err := p.KLDivergence(q[name].(*PowerSpherical))
			if err != nil {
				t.Fatal(err)
			}
			got = kl
		}
		if math.Abs(got-want) > 1e-10 {
			t.Errorf("%s: KL %.12g, quadrature %.12g", name, got, want)
		}
	}
}

func TestPowerSphericalDivergenceNeedsEqualDirections(t *testing.T) {
	p, _ := NewPowerSpherical([]float64{1, 0}, 2, nil)
	q, _ := NewPowerSpherical([]float64{0, 1}, 2, nil)
	if _, err := p.KLDivergence(q); err == nil || !strings.Contains(err.Error(), "cosine") {
		t.Errorf("error %v", err)
	}
}

func TestInvalidArgumentsAreRefused(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		mu    []float64
		kappa float64
		want  string
	}{
		{nil, 1, "dimension 0"}, {[]float64{1}, 1, "dimension 1"}, {[]float64{1, 1}, 1, "length 1.41"},
		{[]float64{nan, 0}, 1, "length NaN"}, {[]float64{0, 0}, 1, "length 0"}, {[]float64{1, 0}, -1, "concentration -1"},
		{[]float64{1, 0}, nan, "concentration NaN"}, {[]float64{1, 0}, math.Inf(1), "concentration +Inf"},
	} {
		_, err1 := NewVonMisesFisher(c.mu, c.kappa, nil)
		_, err2 := NewPowerSpherical(c.mu, c.kappa, nil)
		for _, err := range []error{err1, err2} {
			if err == nil || !strings.HasPrefix(err.Error(), "sphere: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("μ %v, κ %g: error %v, want one with %q", c.mu, c.kappa, err, c.want)
			}
		}
	}
	for _, eta := range [][]float64{{1}, {nan, 1}, {math.Inf(1), 0}} {
		_, err1 := VonMisesFisherFromNatural(eta, nil)
		_, err2 := PowerSphericalFromNatural(eta, nil)
		if err1 == nil || err2 == nil {
			t.Errorf("natural parameter %v is accepted", eta)
		}
	}
	for name, f := range map[string]func(int, []float64) ([]float64, error){"exact": LogNormalizers,
		"paper": PaperLogNormalizers, "power": PowerSphericalLogNormalizers, "resultant": MeanResultantLengths} {
		if _, err := f(1, nil); err == nil {
			t.Errorf("%s: dimension 1 is accepted", name)
		}
		if values, err := f(12, []float64{-1, nan, 2}); err != nil || !math.IsNaN(values[0]) || !math.IsNaN(values[1]) || math.IsNaN(values[2]) {
			t.Errorf("%s: values %v, %v", name, values, err)
		}
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	v, _ := NewVonMisesFisher([]float64{1, 0}, 2, nil)
	p, _ := NewPowerSpherical([]float64{1, 0}, 0, nil)
	other, _ := NewVonMisesFisher([]float64{1, 0, 0}, 2, nil)
	three := make([]float64, 3)
	for name, f := range map[string]func(){
		"LogProb": func() { v.LogProb(three) }, "uniform LogProb": func() { p.LogProb(three) }, "Mean": func() { v.Mean(three) },
		"Rand": func() { p.Rand(three) }, "KL": func() { v.KLDivergence(other) }, "Score": func() { v.Score(nil, three) },
		"Each": func() { Each(three, math.Abs, []float64{1}) },
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); !strings.HasPrefix(message, "sphere: vector has ") {
					t.Errorf("%s: panic %q", name, message)
				}
			}()
			f()
		}()
	}
}

func BenchmarkLogNormalizers10000(b *testing.B) {
	kappas := make([]float64, 10000)
	for i := range kappas {
		kappas[i] = float64(i) / 100
	}
	for _, d := range []int{12, 512} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			for b.Loop() {
				if _, err := LogNormalizers(d, kappas); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
