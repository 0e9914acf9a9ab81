package nn

import (
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// Gaussian is κ(μ·x−1) + (D/2) log κ, a normal density in the ambient space.
var Gaussian Likelihood = ofGaussian{}

type ofGaussian struct{}

func (ofGaussian) String() string { return "gauss" }

func (ofGaussian) density() device.Density { return device.DensityNormal }

func (ofGaussian) concentrated() bool { return true }

func (ofGaussian) linear() (func(dimension int) (sphere.Normalizer, error), bool) { return nil, false }

func (ofGaussian) single(b *builder[float32]) (likelihood[float32], error) {
	return &vonMisesFisher[float32]{ops: b.ops, normalizer: gaussianNormalizer{float64(b.Dimension)}}, nil
}

func (ofGaussian) double(b *builder[float64]) (likelihood[float64], error) {
	return &vonMisesFisher[float64]{ops: b.ops, normalizer: gaussianNormalizer{float64(b.Dimension)}}, nil
}

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

// LogNormalizerShifted returns −κ + (D/2) log κ. It subtracts nothing, because the value at 0 does
// not exist.
func (g gaussianNormalizer) LogNormalizerShifted(kappa float64) float64 {
	kappa = math.Max(kappa, leastPrecision)
	return -kappa + g.dimension/2*math.Log(kappa)
}

// DerivativeOverKappa returns (−1 + D/(2κ))/κ.
func (g gaussianNormalizer) DerivativeOverKappa(kappa float64) float64 {
	kappa = math.Max(kappa, leastPrecision)
	return (-1 + g.dimension/(2*kappa)) / kappa
}
