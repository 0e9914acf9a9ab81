package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// GeneralizedNormal implements gonum's interfaces for random numbers, quantiles and log densities.
var (
	_ distuv.RandLogProber = GeneralizedNormal{}
	_ distuv.Quantiler     = GeneralizedNormal{}
)

func TestGeneralizedNormalHasTheGaussianAndLaplaceAsMembers(t *testing.T) {
	normal, laplace := distuv.Normal{Mu: 0.3, Sigma: 1.4}, distuv.Laplace{Mu: 0.3, Scale: 1.4}
	asNormal := GeneralizedNormal{Mu: 0.3, Alpha: 1.4 * math.Sqrt2, Beta: 2}
	asLaplace := GeneralizedNormal{Mu: 0.3, Alpha: 1.4, Beta: 1}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%s: %.15g, want %.15g", what, got, want)
		}
	}
	for _, x := range []float64{-4, -0.2, 0.3, 1, 6} {
		near("log p of the Gaussian", asNormal.LogProb(x), normal.LogProb(x))
		near("CDF of the Gaussian", asNormal.CDF(x), normal.CDF(x))
		near("log p of Laplace", asLaplace.LogProb(x), laplace.LogProb(x))
		near("CDF of Laplace", asLaplace.CDF(x), laplace.CDF(x))
	}
	for _, p := range []float64{0.001, 0.3, 0.5, 0.98} {
		near("quantile of the Gaussian", asNormal.Quantile(p), normal.Quantile(p))
		near("quantile of Laplace", asLaplace.Quantile(p), laplace.Quantile(p))
	}
	near("variance", asNormal.Variance(), normal.Variance())
	near("entropy", asNormal.Entropy(), normal.Entropy())
	near("variance of Laplace", asLaplace.Variance(), laplace.Variance())
	near("entropy of Laplace", asLaplace.Entropy(), laplace.Entropy())
}

func TestGeneralizedNormalAgreesWithQuadratureAndDraws(t *testing.T) {
	for _, beta := range []float64{0.8, 1.5, 3, 8} {
		g := GeneralizedNormal{Mu: -1, Alpha: 0.7, Beta: beta, Src: rand.NewPCG(1, 2)}
		reach := 0.7 * math.Pow(45, 1/beta)
		// Two halves, because for β < 2 the density has a kink in the middle.
		total := func(f func(x float64) float64) float64 {
			return integrate(f, -1-reach, -1) + integrate(f, -1, -1+reach)
		}
		for what, pair := range map[string][2]float64{
			"total":    {total(g.Prob), 1},
			"variance": {total(func(x float64) float64 { return (x + 1) * (x + 1) * g.Prob(x) }), g.Variance()},
			"entropy":  {total(func(x float64) float64 { return -g.LogProb(x) * g.Prob(x) }), g.Entropy()},
			"CDF":      {integrate(g.Prob, -1-reach, -1.3), g.CDF(-1.3)},
		} {
			if math.Abs(pair[0]-pair[1]) > 2e-5 { // |x|^0.8 is steep at 0
				t.Errorf("β %g: %s %g by quadrature, %g", beta, what, pair[0], pair[1])
			}
		}
		for _, p := range []float64{0.01, 0.4, 0.5, 0.9} {
			if got := g.CDF(g.Quantile(p)); math.Abs(got-p) > 1e-10 {
				t.Errorf("β %g: CDF of the quantile of %g is %g", beta, p, got)
			}
		}
		draws := make([]float64, 20000)
		for i := range draws {
			draws[i] = g.Rand()
		}
		mean, variance := stat.MeanVariance(draws, nil)
		if math.Abs(mean+1) > 5*math.Sqrt(g.Variance()/20000) || math.Abs(variance/g.Variance()-1) > 0.1 {
			t.Errorf("β %g: mean %g and variance %g of draws, want -1 and %g", beta, mean, variance, g.Variance())
		}
	}
	if g := (GeneralizedNormal{Alpha: 1, Beta: 2}); !math.IsInf(g.Quantile(0), -1) || !math.IsInf(g.Quantile(1), 1) || !math.IsNaN(g.Quantile(2)) {
		t.Error("quantiles at and outside the ends")
	}
	for _, g := range []GeneralizedNormal{{0, 0, 1, nil}, {0, 1, -1, nil}, {math.NaN(), 1, 1, nil}, {0, 1, math.Inf(1), nil}} {
		if g.Check() == nil {
			t.Errorf("%+v is no error", g)
		}
	}
}
