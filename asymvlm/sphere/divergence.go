package sphere

import (
	"fmt"
	"math"

	"gosphere/asymvlm/special"
)

// KLDivergence returns the Kullback–Leibler divergence in nats of the von Mises–Fisher density with
// concentration kappa1 from the one with kappa2, where cosine is the cosine between their mean
// directions:
//
//	KL(1‖2) = log c(κ₁) − log c(κ₂) + A(κ₁)(κ₁ − κ₂ μ₁·μ₂)
func (n *VonMisesFisherNormalizer) KLDivergence(kappa1, kappa2, cosine float64) float64 {
	return n.divergence(kappa1, kappa2, 1-cosine)
}

// divergence returns KLDivergence as a function of apart = 1 − μ₁·μ₂. The part that depends on the
// concentrations alone is at least 0 because log c is concave, so rounding must not make it
// negative.
func (n *VonMisesFisherNormalizer) divergence(kappa1, kappa2, apart float64) float64 {
	resultant := n.MeanResultantLength(kappa1)
	radial := n.LogNormalizerShifted(kappa1) - n.LogNormalizerShifted(kappa2) + resultant*(kappa1-kappa2)
	if n.isSharp(max(kappa1, kappa2)) {
		radial = n.bessel.Deficit(kappa1) - n.bessel.Deficit(kappa2) - n.bessel.OneMinusRatio(kappa1)*(kappa1-kappa2)
	}
	return max(radial, 0) + resultant*kappa2*apart
}

// LogInnerProduct returns the logarithm of the integral of the product of two von Mises–Fisher
// densities,
//
//	log c(κ₁) + log c(κ₂) − log c(|κ₁μ₁ + κ₂μ₂|),
//
// known as the mutual likelihood in face recognition. It is large if both densities are sharp and
// point in the same direction.
func (n *VonMisesFisherNormalizer) LogInnerProduct(kappa1, kappa2, cosine float64) float64 {
	difference := kappa1 - kappa2
	square := difference*difference + 2*kappa1*kappa2*(1+cosine)
	return n.innerProduct(kappa1, kappa2, math.Sqrt(max(square, 0)), 1-cosine)
}

// innerProduct returns LogInnerProduct as a function of the norm of the sum of the natural
// parameters and of apart = 1 − μ₁·μ₂.
func (n *VonMisesFisherNormalizer) innerProduct(kappa1, kappa2, sum, apart float64) float64 {
	if n.isSharp(max(kappa1, kappa2)) {
		shorter := 2 * kappa1 * (kappa2 / (kappa1 + kappa2 + sum)) * apart // κ₁ + κ₂ − sum
		return n.bessel.Deficit(kappa1) + n.bessel.Deficit(kappa2) - n.bessel.Deficit(sum) - shorter + n.LogNormalizerAtZero()
	}
	return n.LogNormalizerShifted(kappa1) + n.LogNormalizerShifted(kappa2) - n.LogNormalizerShifted(sum) + n.LogNormalizerAtZero()
}

// KLDivergence returns the Kullback–Leibler divergence KL(v‖other) in nats, which is at least 0. It
// panics if the dimensions differ.
func (v *VonMisesFisher) KLDivergence(other *VonMisesFisher) float64 {
	checkLength(other.mu, len(v.mu))
	return v.normalizer.divergence(v.kappa, other.kappa, halfSquare(v.mu, other.mu))
}

// KLToUniform returns the Kullback–Leibler divergence from the uniform density, log c_d(κ) +
// κA_d(κ) − log c_d(0), in nats.
func (v *VonMisesFisher) KLToUniform() float64 { return v.normalizer.KLToUniform(v.kappa) }

// LogInnerProduct returns log ∫ p(x) q(x) dx for the densities p of v and q of other. It panics if
// the dimensions differ.
func (v *VonMisesFisher) LogInnerProduct(other *VonMisesFisher) float64 {
	checkLength(other.mu, len(v.mu))
	square := 0.0
	for i, value := range v.mu {
		sum := v.kappa*value + other.kappa*other.mu[i]
		square += sum * sum
	}
	return v.normalizer.innerProduct(v.kappa, other.kappa, math.Sqrt(square), halfSquare(v.mu, other.mu))
}

// KLSameDirection returns the Kullback–Leibler divergence in nats of the power spherical density
// with concentration kappa1 from the one with kappa2 and the same mean direction:
//
//	KL(1‖2) = log c(κ₁) − log c(κ₂) + (κ₁ − κ₂) E₁[log(1 + μ·x)]
func (n *PowerSphericalNormalizer) KLSameDirection(kappa1, kappa2 float64) float64 {
	if n.isSharp(max(kappa1, kappa2)) {
		alpha1, alpha2 := n.beta+kappa1, n.beta+kappa2
		rise := special.LogGammaDifference(alpha1, n.beta) - special.LogGammaDifference(alpha2, n.beta)
		return max(rise-(kappa1-kappa2)*special.DigammaDifference(alpha1, n.beta), 0)
	}
	return max(n.LogNormalizerShifted(kappa1)-n.LogNormalizerShifted(kappa2)-(kappa1-kappa2)*n.Derivative(kappa1), 0)
}

// KLDivergence returns the Kullback–Leibler divergence KL(p‖other) in nats if both densities have
// the same mean direction. For different directions there is no closed form and KLDivergence
// returns an error; use SampledKL instead. It panics if the dimensions differ.
func (p *PowerSpherical) KLDivergence(other *PowerSpherical) (float64, error) {
	checkLength(other.mu, len(p.mu))
	if apart := halfSquare(p.mu, other.mu); apart > unitTolerance*unitTolerance {
		return 0, fmt.Errorf("sphere: no closed form for power spherical densities whose directions have cosine %g", 1-apart)
	}
	return p.normalizer.KLSameDirection(p.kappa, other.kappa), nil
}

// KLToUniform returns the Kullback–Leibler divergence from the uniform density in nats.
func (p *PowerSpherical) KLToUniform() float64 { return p.normalizer.KLToUniform(p.kappa) }

// halfSquare returns |a−b|²/2, which for unit vectors equals 1 − a·b without cancellation.
func halfSquare(a, b []float64) float64 {
	sum := 0.0
	for i, value := range a {
		sum += (value - b[i]) * (value - b[i])
	}
	return sum / 2
}
