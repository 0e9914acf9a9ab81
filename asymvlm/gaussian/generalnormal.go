package gaussian

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A GeneralizedNormal is the generalized Gaussian density of one number, in the style of gonum's
// distuv,
//
//	p(x) = β/(2αΓ(1/β)) exp(−(|x−μ|/α)^β),  α > 0, β > 0
//
// β = 2 is the Gaussian with variance α²/2, and β = 1 is the Laplace density. For large β the
// density is nearly uniform on μ ± α. ProbVLM predicts one such density per coordinate; Generalized
// holds a batch of them with their loss.
type GeneralizedNormal struct {
	Mu, Alpha, Beta float64
	Src             rand.Source // source of Rand; nil for the global source
}

// Check returns an error for parameters outside their domain.
func (g GeneralizedNormal) Check() error {
	if math.IsNaN(g.Mu) || math.IsInf(g.Mu, 0) || !(g.Alpha > 0) || !(g.Beta > 0) || math.IsInf(g.Alpha, 1) || math.IsInf(g.Beta, 1) {
		return fmt.Errorf("gaussian: generalized Gaussian with μ %g, α %g and β %g, want finite ones, the last two positive", g.Mu, g.Alpha, g.Beta)
	}
	return nil
}

// LogProb returns log p(x).
func (g GeneralizedNormal) LogProb(x float64) float64 {
	logGamma, _ := math.Lgamma(1 / g.Beta)
	return math.Log(g.Beta/(2*g.Alpha)) - logGamma - math.Pow(math.Abs(x-g.Mu)/g.Alpha, g.Beta)
}

// Prob returns p(x).
func (g GeneralizedNormal) Prob(x float64) float64 { return math.Exp(g.LogProb(x)) }

// seriesBelow is the largest (|x−μ|/α)^β for which two terms of the series of the incomplete gamma
// function are exact.
const seriesBelow = 1e-8

// center returns P(|X−μ| < uα) = u/Γ(1+1/β) (1 − u^β/(1+β)) for u^β below seriesBelow. For large β,
// u^β underflows to 0 for most u, so the incomplete gamma function of it carries no information.
func (g GeneralizedNormal) center(u, power float64) float64 {
	return u / math.Gamma(1+1/g.Beta) * (1 - power/(1+g.Beta))
}

// CDF returns the probability of values up to x, ½ ± ½ P(1/β, (|x−μ|/α)^β) with the regularized
// incomplete gamma function P. It returns NaN for NaN.
func (g GeneralizedNormal) CDF(x float64) float64 {
	u := math.Abs(x-g.Mu) / g.Alpha
	power := math.Pow(u, g.Beta)
	var upper float64
	switch {
	case power < seriesBelow:
		upper = (1 - g.center(u, power)) / 2
	case !math.IsInf(power, 1):
		upper = mathext.GammaIncRegComp(1/g.Beta, power) / 2
	}
	if x < g.Mu {
		return upper
	}
	return 1 - upper
}

// Quantile returns the x with CDF(x) = p. It returns NaN unless 0 ≤ p ≤ 1.
func (g GeneralizedNormal) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	tail := 2 * min(p, 1-p)
	if tail == 0 {
		return math.Copysign(math.Inf(1), p-0.5)
	}
	// The first term of the series, corrected by the second.
	u := math.Abs(2*p-1) * math.Gamma(1+1/g.Beta)
	if power := math.Pow(u, g.Beta); power < seriesBelow {
		u *= 1 + power/(1+g.Beta)
	} else {
		u = math.Pow(mathext.GammaIncRegCompInv(1/g.Beta, tail), 1/g.Beta)
	}
	return g.Mu + math.Copysign(g.Alpha*u, p-0.5)
}

// Mean returns μ.
func (g GeneralizedNormal) Mean() float64 { return g.Mu }

// Variance returns α² Γ(3/β)/Γ(1/β).
func (g GeneralizedNormal) Variance() float64 {
	three, _ := math.Lgamma(3 / g.Beta)
	one, _ := math.Lgamma(1 / g.Beta)
	return g.Alpha * g.Alpha * math.Exp(three-one)
}

// Entropy returns the differential entropy 1/β − log(β/(2αΓ(1/β))) in nats.
func (g GeneralizedNormal) Entropy() float64 {
	logGamma, _ := math.Lgamma(1 / g.Beta)
	return 1/g.Beta - math.Log(g.Beta/(2*g.Alpha)) + logGamma
}

// Rand draws a value from Src. |x−μ|^β/α^β has the gamma distribution of shape 1/β, which is the
// distribution of G·V^β with G of shape 1 + 1/β and V uniform on 0 … 1 (Marsaglia and Tsang 2000).
// So x−μ is αVG^(1/β) with a random sign. In this form nothing underflows, while a gamma deviate of
// a small shape would.
func (g GeneralizedNormal) Rand() float64 {
	uniform := rand.Float64
	if g.Src != nil {
		uniform = rand.New(g.Src).Float64
	}
	reach := math.Pow(distuv.Gamma{Alpha: 1 + 1/g.Beta, Beta: 1, Src: g.Src}.Rand(), 1/g.Beta)
	return g.Mu + g.Alpha*(2*uniform()-1)*reach
}
