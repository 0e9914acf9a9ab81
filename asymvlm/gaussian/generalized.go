package gaussian

import (
	"fmt"
	"math"

	"gosphere/asymvlm/special"
)

// Constants of ProbVLM's program: the amount added to 1/α and β inside the loss, the bounds of its
// clamp on the residual, and the weight of the likelihood relative to the absolute error.
const (
	positive        = 1e-4
	residualLow     = 1e-4
	residualHigh    = 1e3
	likelihoodShare = 0.05
)

// residualFloor is the smallest |μ−y| of the exact form; smaller residuals have no gradient. For β
// < 1, where training begins, the derivative with respect to μ is unbounded.
const residualFloor = 1e-6

// A Generalized is a batch of generalized Gaussians with independent coordinates, in the parameters
// of ProbVLM's heads,
//
//	p(y) = β/(2αΓ(1/β)) exp(−(|y−μ|/α)^β),   1/α = softplus(RawInverseScale),  β = softplus(RawShape)
//
// β = 2 is the Gaussian and β = 1 the Laplace density. The slices have one value per coordinate and
// row.
type Generalized struct{ Mean, RawInverseScale, RawShape []float64 }

// check returns an error for empty lists, lists of different lengths and values that are not
// finite.
func (g Generalized) check(target []float64) error {
	if n := len(g.Mean); n == 0 || len(g.RawInverseScale) != n || len(g.RawShape) != n || len(target) != n {
		return fmt.Errorf("gaussian: %d means, %d inverse scales, %d shapes and %d targets", n,
			len(g.RawInverseScale), len(g.RawShape), len(target))
	}
	for _, list := range []struct {
		name   string
		values []float64
	}{{"mean", g.Mean}, {"raw inverse scale", g.RawInverseScale}, {"raw shape", g.RawShape}, {"target", target}} {
		if i, value := firstUndefined(list.values); i >= 0 {
			return fmt.Errorf("gaussian: %s %d is %g", list.name, i, value)
		}
	}
	return nil
}

// A GeneralizedLoss is ProbVLM's loss of a batch with its gradients.
type GeneralizedLoss struct {
	Loss     float64     // mean |μ−y| + 0.05 mean NLL
	NLL      []float64   // for each coordinate
	Gradient Generalized // gradients with respect to the means and both raw values
}

// Loss returns ProbVLM's loss against targets. With q = 1/α, and both q and β raised by 1e-4, the
// likelihood term is
//
//	exact     (|μ−y| q)^β − ln q + ln Γ(1/β) − ln β
//	official  clamp(|μ−y| q β, 1e-4, 1e3) − ln q + ln Γ(1/β) − ln β
//
// The exact form is −log p without its constant ln 2. The official form, which the authors ran,
// multiplies by β where the density uses β as an exponent, and is not the likelihood of any
// density. Empty lists, lists of different lengths and values that are not finite are errors.
func (g Generalized) Loss(form Form, target []float64) (*GeneralizedLoss, error) {
	if err := g.check(target); err != nil {
		return nil, err
	}
	n := len(g.Mean)
	result := &GeneralizedLoss{NLL: make([]float64, n), Gradient: Generalized{
		make([]float64, n), make([]float64, n), make([]float64, n)}}
	for i, m := range g.Mean {
		q, beta := special.Softplus(g.RawInverseScale[i])+positive, special.Softplus(g.RawShape[i])+positive
		apart := m - target[i]
		r := linearResidual
		if form == Exact {
			r = powerResidual
		}
		residual, dApart, dQ, dBeta := r(math.Abs(apart), q, beta)
		gamma, _ := math.Lgamma(1 / beta)
		result.NLL[i] = residual - math.Log(q) + gamma - math.Log(beta)
		result.Loss += (math.Abs(apart) + likelihoodShare*result.NLL[i]) / float64(n)
		sign := 0.0
		if apart != 0 {
			sign = math.Copysign(1, apart)
		}
		scale := likelihoodShare / float64(n)
		result.Gradient.Mean[i] = sign * (1/float64(n) + scale*dApart)
		result.Gradient.RawInverseScale[i] = scale * (dQ - 1/q) * special.Sigmoid(g.RawInverseScale[i])
		dBeta -= special.Digamma(1/beta)/(beta*beta) + 1/beta
		result.Gradient.RawShape[i] = scale * dBeta * special.Sigmoid(g.RawShape[i])
	}
	return result, nil
}

// powerResidual returns (|μ−y| q)^β and its derivatives.
func powerResidual(apart, q, beta float64) (residual, dApart, dQ, dBeta float64) {
	inside := 1.0
	if apart < residualFloor {
		apart, inside = residualFloor, 0
	}
	t := apart * q
	residual = math.Pow(t, beta)
	return residual, inside * beta * residual / apart, beta * residual / q, residual * math.Log(t)
}

// linearResidual returns clamp(|μ−y| q β) and its derivatives, which are 0 outside the clamp.
func linearResidual(apart, q, beta float64) (residual, dApart, dQ, dBeta float64) {
	residual = apart * q * beta
	if residual < residualLow || residual > residualHigh {
		return min(max(residual, residualLow), residualHigh), 0, 0, 0
	}
	return residual, q * beta, apart * beta, apart * q
}

// Variances returns the variance of each coordinate with the limits of ProbVLM's program,
//
//	a² Γ(3/b)/Γ(1/b),   a = clip(1/(q+1e-5), 1e-4, 5),  b = clip(β+0.1, 0.1, 5)
//
// from the softplus values without the 1e-4 that the loss adds. The program itself divides by
// Γ(2.8/b), which is no variance of this family.
func (g Generalized) Variances() []float64 {
	variances := make([]float64, len(g.RawInverseScale))
	for i, raw := range g.RawInverseScale {
		a := min(max(1/(special.Softplus(raw)+1e-5), 1e-4), 5)
		b := min(max(special.Softplus(g.RawShape[i])+0.1, 0.1), 5)
		variances[i] = a * a * math.Exp(special.LogGammaDifference(1/b, 2/b))
	}
	return variances
}

// Uncertainties returns the uncertainty of each row, where rows have the given width.
//
// The official form is 1/(mean variance), as in the program that produced the AsymVLM paper's
// table: it ranks the texts with the smallest predicted variance as the most uncertain. The exact
// form is the mean variance. It is an error if the values do not form rows of that width.
func (g Generalized) Uncertainties(form Form, width int) ([]float64, error) {
	if width < 1 || len(g.RawShape) != len(g.RawInverseScale) || len(g.RawShape)%width != 0 {
		return nil, fmt.Errorf("gaussian: %d inverse scales and %d shapes do not form rows of %d",
			len(g.RawInverseScale), len(g.RawShape), width)
	}
	variances := g.Variances()
	uncertainties := make([]float64, len(variances)/width)
	for row := range uncertainties {
		sum := 0.0
		for _, v := range variances[row*width : (row+1)*width] {
			sum += v
		}
		uncertainties[row] = sum / float64(width)
		if form == Official {
			uncertainties[row] = float64(width) / sum
		}
	}
	return uncertainties, nil
}
