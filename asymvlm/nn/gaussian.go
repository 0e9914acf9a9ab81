package nn

import "math"

// A gaussianNormalizer replaces the von Mises–Fisher density by the normal density N(μ, I/κ) at a
// unit vector x:
//
//	log p = −κ|x−μ|²/2 + (D/2) log κ + const = η·x − κ + (D/2) log κ + const
//
// It is the ablation AsymVLM(G). The paper says "Gaussian, followed by normalization", which is
// ambiguous.
type gaussianNormalizer struct{ dimension float64 }

// leastPrecision is the lower bound of κ. The density has no limit at 0.
const leastPrecision = 1e-6

// LogNormalizerShifted returns −κ + (D/2) log κ. It subtracts nothing, because the value at 0 does not exist.
func (g gaussianNormalizer) LogNormalizerShifted(kappa float64) float64 {
	kappa = math.Max(kappa, leastPrecision)
	return -kappa + g.dimension/2*math.Log(kappa)
}

// DerivativeOverKappa returns (−1 + D/(2κ))/κ.
func (g gaussianNormalizer) DerivativeOverKappa(kappa float64) float64 {
	kappa = math.Max(kappa, leastPrecision)
	return (-1 + g.dimension/(2*kappa)) / kappa
}
