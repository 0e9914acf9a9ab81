package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/special"
)

// TestTheExactLossIsTheDensitysLikelihood compares the loss of a batch with GeneralizedNormal,
// which is implemented independently.
func TestTheExactLossIsTheDensitysLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		g := Generalized{[]float64{r.NormFloat64()}, []float64{2 * r.NormFloat64()}, []float64{2 * r.NormFloat64()}}
		y := 3 * r.NormFloat64()
		loss, err := g.Loss(Exact, []float64{y})
		if err != nil {
			t.Fatal(err)
		}
		d := GeneralizedNormal{Mu: g.Mean[0], Alpha: 1 / (special.Softplus(g.RawInverseScale[0]) + 1e-4), Beta: special.Softplus(g.RawShape[0]) + 1e-4}
		if want := -d.LogProb(y) - math.Ln2; math.Abs(loss.NLL[0]-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%+v at %g: %.15g, density %.15g", g, y, loss.NLL[0], want)
		}
		if want := math.Abs(g.Mean[0]-y) + 0.05*loss.NLL[0]; math.Abs(loss.Loss-want) > 1e-14*(1+math.Abs(want)) {
			t.Errorf("loss %.15g, want %.15g", loss.Loss, want)
		}
	}
}

// TestBothFormsAgreeOnTheLaplaceDensity uses β = 1, for which multiplying by β and raising to the
// power β are the same.
func TestBothFormsAgreeOnTheLaplaceDensity(t *testing.T) {
	raw := math.Log(math.Expm1(1 - 1e-4)) // its softplus is 1 − 1e-4
	g := Generalized{[]float64{0, 0}, []float64{0.3, -1}, []float64{raw, raw}}
	exact, err := g.Loss(Exact, []float64{0.5, -2})
	if err != nil {
		t.Fatal(err)
	}
	official, _ := g.Loss(Official, []float64{0.5, -2})
	for i := range exact.NLL {
		if math.Abs(exact.NLL[i]-official.NLL[i]) > 1e-13 {
			t.Errorf("coordinate %d: %.15g and %.15g", i, exact.NLL[i], official.NLL[i])
		}
	}
}

func TestClampsHoldTheGradientBack(t *testing.T) {
	g := Generalized{[]float64{0, 0, 0}, []float64{5, 0.3, 0.3}, []float64{2, 1, 1}}
	target := []float64{1e4, 1e-9, 0} // above 1e3, below 1e-4, equal
	official, err := g.Loss(Official, target)
	if err != nil {
		t.Fatal(err)
	}
	// Only the absolute error remains in the gradient of the mean: sign/n, and 0 where both are
	// equal.
	for i, want := range []float64{-1. / 3, -1. / 3, 0} {
		if official.Gradient.Mean[i] != want {
			t.Errorf("official, coordinate %d: %g, want %g", i, official.Gradient.Mean[i], want)
		}
	}
	exact, err := g.Loss(Exact, target)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 3; i++ { // below the floor of 1e-6
		if want := []float64{0, -1. / 3, 0}[i]; exact.Gradient.Mean[i] != want {
			t.Errorf("exact, coordinate %d: %g, want %g", i, exact.Gradient.Mean[i], want)
		}
	}
	if !(exact.Gradient.Mean[0] < -1./3) {
		t.Errorf("exact, far away: %g", exact.Gradient.Mean[0])
	}
}

// TestVariancesAreThoseOfTheDensityInsideTheClips compares Variances with GeneralizedNormal, with
// parameters clipped as in ProbVLM's program.
func TestVariancesAreThoseOfTheDensityInsideTheClips(t *testing.T) {
	g := Generalized{RawInverseScale: []float64{1, -20, 20000, 0}, RawShape: []float64{0.5, 0, -40, 30}}
	variances := g.Variances()
	for i, d := range []GeneralizedNormal{
		{Alpha: 1 / (special.Softplus(1) + 1e-5), Beta: special.Softplus(0.5) + 0.1},
		{Alpha: 5, Beta: special.Softplus(0) + 0.1}, // a is clipped from above
		{Alpha: 1e-4, Beta: 0.1},                    // a and b are clipped from below
		{Alpha: 1 / (special.Softplus(0) + 1e-5), Beta: 5},
	} {
		if want := d.Variance(); math.Abs(variances[i]/want-1) > 1e-12 {
			t.Errorf("coordinate %d: %g, want %g", i, variances[i], want)
		}
	}
	exact, err := g.Uncertainties(Exact, 2)
	if err != nil {
		t.Fatal(err)
	}
	official, _ := g.Uncertainties(Official, 2)
	for row, want := range []float64{(variances[0] + variances[1]) / 2, (variances[2] + variances[3]) / 2} {
		if math.Abs(exact[row]/want-1) > 1e-15 || math.Abs(official[row]*want-1) > 1e-15 {
			t.Errorf("row %d: %g and %g, want %g and its reciprocal", row, exact[row], official[row], want)
		}
	}
}

// TestALargeExponentIsNearlyUniform uses β = 1000, for which the density is flat up to the last
// thousandth of α and powers of numbers below 1/2 are 0.
func TestALargeExponentIsNearlyUniform(t *testing.T) {
	for _, beta := range []float64{100, 1000, 1e6} {
		g := GeneralizedNormal{Mu: 2, Alpha: 3, Beta: beta, Src: rand.NewPCG(1, 2)}
		slack := 10 / beta
		for _, u := range []float64{-0.9, -0.5, -1e-3, 0, 1e-9, 0.3, 0.8} {
			if got, want := g.CDF(2+3*u), (1+u)/2; math.Abs(got-want) > slack {
				t.Errorf("β %g: CDF(μ%+gα) = %g, uniform %g", beta, u, got, want)
			}
			if got, want := g.Quantile((1+u)/2), 2+3*u; math.Abs(got-want) > 3*slack {
				t.Errorf("β %g: quantile of %g is %g, uniform %g", beta, (1+u)/2, got, want)
			}
		}
		if got := g.Variance(); math.Abs(got-3) > 9*slack {
			t.Errorf("β %g: variance %g, uniform 3", beta, got)
		}
		if got := g.Entropy(); math.Abs(got-math.Log(6)) > 2*slack {
			t.Errorf("β %g: entropy %g, uniform %g", beta, got, math.Log(6))
		}
		draws := make([]float64, 4000)
		for i := range draws {
			draws[i] = g.CDF(g.Rand())
		}
		checkUniform(t, "β", beta, draws)
	}
}

// checkUniform applies the Kolmogorov–Smirnov test: the distance of n uniform points exceeds 2.2/√n
// for one of 8,000 seeds.
func checkUniform(t *testing.T, name string, value float64, points []float64) {
	t.Helper()
	slices.Sort(points)
	n, worst := float64(len(points)), 0.0
	for i, p := range points {
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	if worst > 2.2/math.Sqrt(n) {
		t.Errorf("%s %g: the draws are off by %g, %g is rare", name, value, worst, 2.2/math.Sqrt(n))
	}
}

func TestDrawsHaveTheLawOfTheCDF(t *testing.T) {
	for _, beta := range []float64{0.3, 0.7, 1, 2, 5, 40} {
		g := GeneralizedNormal{Mu: -1, Alpha: 0.2, Beta: beta, Src: rand.NewPCG(3, 4)}
		points := make([]float64, 4000)
		for i := range points {
			points[i] = g.CDF(g.Rand())
		}
		checkUniform(t, "β", beta, points)
		again := GeneralizedNormal{Mu: -1, Alpha: 0.2, Beta: beta, Src: rand.NewPCG(3, 4)}
		other := GeneralizedNormal{Mu: -1, Alpha: 0.2, Beta: beta, Src: rand.NewPCG(3, 4)}
		if a, b := again.Rand(), other.Rand(); a != b {
			t.Errorf("β %g: %g and %g from one seed", beta, a, b)
		}
	}
}

func TestTheCDFRisesThroughTheSeriesAndTheEnds(t *testing.T) {
	for _, beta := range []float64{0.1, 0.5, 1, 2, 7, 60, 2000} {
		g := GeneralizedNormal{Alpha: 1, Beta: beta}
		last := -1.0
		for u := -3.0; u <= 3; u += 1. / 64 {
			p := g.CDF(u)
			if math.IsNaN(p) || p < last || math.Abs(p+g.CDF(-u)-1) > 1e-14 {
				t.Errorf("β %g: CDF(%g) = %g after %g, CDF(%g) = %g", beta, u, p, last, -u, g.CDF(-u))
			}
			last = p
		}
		// There must be no step where the incomplete gamma function replaces the series.
		edge := math.Pow(seriesBelow, 1/beta)
		if below, above := g.CDF(edge*(1-1e-9)), g.CDF(edge*(1+1e-9)); math.Abs(below-above) > 2e-9*edge+1e-13 {
			t.Errorf("β %g: CDF %.15g before and %.15g after the end of the series", beta, below, above)
		}
		for _, p := range []float64{1e-6, 0.02, 0.31, 0.5, 0.6, 0.97} {
			if back := g.CDF(g.Quantile(p)); math.Abs(back-p) > 1e-9 {
				t.Errorf("β %g: the CDF of the quantile of %g is %g", beta, p, back)
			}
		}
		if g.CDF(math.Inf(1)) != 1 || g.CDF(math.Inf(-1)) != 0 || !math.IsNaN(g.CDF(math.NaN())) {
			t.Errorf("β %g: CDF at the ends %g, %g and of NaN %g", beta, g.CDF(math.Inf(-1)), g.CDF(math.Inf(1)), g.CDF(math.NaN()))
		}
	}
}

// TestTheOfficialLossIsADensityAtTwoShapesOnly integrates the exponential of the official loss's
// negative: 1/Γ(1/β), which is 1 at β = 1 and at β = 1/2 only.
func TestTheOfficialLossIsADensityAtTwoShapesOnly(t *testing.T) {
	raw := func(value float64) float64 { return math.Log(math.Expm1(value - 1e-4)) }
	for _, beta := range []float64{0.5, 0.7, 1, 2, 5} {
		g := Generalized{[]float64{0}, []float64{raw(1)}, []float64{raw(beta)}}
		integral := 2 * integrate(func(y float64) float64 {
			loss, err := g.Loss(Official, []float64{y})
			if err != nil {
				t.Fatal(err)
			}
			return math.Exp(-loss.NLL[0] - math.Ln2)
		}, 0, 60)
		if want := 1 / math.Gamma(1/beta); math.Abs(integral-want) > 1e-3*want {
			t.Errorf("β = %g: integral %.6f, want %.6f", beta, integral, want)
		}
	}
}
