package sphere

import (
	"fmt"
	"math"

	"gosphere/asymvlm/special"
)

// A Normalizer computes log c(κ), the logarithm of the normalizing factor of a density with
// concentration κ in d dimensions. Its methods return NaN if κ is negative or NaN, and are safe for
// concurrent use.
type Normalizer interface {
	// Dimension returns d ≥ 2.
	Dimension() int
	// LogNormalizer returns log c(κ).
	LogNormalizer(kappa float64) float64
	// LogNormalizerAtZero returns log c(0).
	LogNormalizerAtZero() float64
	// LogNormalizerShifted returns log c(κ) − log c(0), accurate even for small κ.
	LogNormalizerShifted(kappa float64) float64
	// Derivative returns the derivative of log c at κ.
	Derivative(kappa float64) float64
}

// checkDimension returns an error if d is below 2.
func checkDimension(d int) error {
	if d < 2 {
		return fmt.Errorf("sphere: dimension %d, want at least 2", d)
	}
	return nil
}

// logArea returns the logarithm of the surface area 2π^{d/2}/Γ(d/2) of the unit sphere in d
// dimensions.
func logArea(d int) float64 {
	half := float64(d) / 2
	gamma, _ := math.Lgamma(half)
	return math.Ln2 + half*math.Log(math.Pi) - gamma
}

// A VonMisesFisherNormalizer is the exact normalizer of the von Mises–Fisher density c_d(κ) exp(κ
// μ·x):
//
//	log c_d(κ) = ν log κ − (d/2) log 2π − log I_ν(κ),   ν = d/2 − 1
//
// (Mardia and Jupp 2000, section 9.3.2), with the quantities that follow from it, for 0 ≤ κ ≤
// 1e100.
type VonMisesFisherNormalizer struct {
	dimension int
	atZero    float64
	bessel    *special.BesselI
}

// NewVonMisesFisherNormalizer prepares the exact normalizer in d dimensions. A dimension below 2 is
// an error.
func NewVonMisesFisherNormalizer(dimension int) (*VonMisesFisherNormalizer, error) {
	if err := checkDimension(dimension); err != nil {
		return nil, err
	}
	return &VonMisesFisherNormalizer{dimension, -logArea(dimension), special.NewBesselI(float64(dimension)/2 - 1)}, nil
}

// Dimension returns d.
func (n *VonMisesFisherNormalizer) Dimension() int { return n.dimension }

// LogNormalizerAtZero returns log c_d(0) = log Γ(d/2) − log 2 − (d/2) log π, minus the log area of
// the sphere.
func (n *VonMisesFisherNormalizer) LogNormalizerAtZero() float64 { return n.atZero }

// LogNormalizerShifted returns log c_d(κ) − log c_d(0), which falls from 0 like −κ²/(2d).
func (n *VonMisesFisherNormalizer) LogNormalizerShifted(kappa float64) float64 {
	return -n.bessel.LogScaled(kappa)
}

// LogNormalizer returns log c_d(κ).
func (n *VonMisesFisherNormalizer) LogNormalizer(kappa float64) float64 {
	return n.LogNormalizerAtZero() + n.LogNormalizerShifted(kappa)
}

// Derivative returns d log c_d/dκ = −A_d(κ).
func (n *VonMisesFisherNormalizer) Derivative(kappa float64) float64 { return -n.bessel.Ratio(kappa) }

// DerivativeOverKappa returns −A_d(κ)/κ, which is smooth and equals −1/d at κ = 0. The gradient of
// log c_d(|η|) with respect to η is η times this value, without a division by |η|.
func (n *VonMisesFisherNormalizer) DerivativeOverKappa(kappa float64) float64 {
	return -n.bessel.RatioOverX(kappa)
}

// MeanResultantLength returns A_d(κ) = I_{d/2}(κ)/I_{d/2−1}(κ), the expectation of μ·x. It rises
// from 0 to 1.
func (n *VonMisesFisherNormalizer) MeanResultantLength(kappa float64) float64 {
	return n.bessel.Ratio(kappa)
}

// MeanResultantSlope returns dA_d/dκ = 1 − A² − (d−1)A/κ, the variance of μ·x, without the
// cancellation of that formula.
func (n *VonMisesFisherNormalizer) MeanResultantSlope(kappa float64) float64 {
	return n.bessel.RatioDerivative(kappa)
}

// Entropy returns −log c_d(κ) − κ A_d(κ) in nats. Its largest value, at κ = 0, is the log area of
// the sphere.
func (n *VonMisesFisherNormalizer) Entropy(kappa float64) float64 {
	return -n.atZero - n.KLToUniform(kappa)
}

// KLToUniform returns the Kullback–Leibler divergence from the uniform density, log c_d(κ) +
// κA_d(κ) − log c_d(0), in nats.
func (n *VonMisesFisherNormalizer) KLToUniform(kappa float64) float64 {
	if n.isSharp(kappa) {
		return n.bessel.Deficit(kappa) - kappa*n.bessel.OneMinusRatio(kappa)
	}
	return kappa*n.bessel.Ratio(kappa) - n.bessel.LogScaled(kappa)
}

// isSharp reports whether κ is so large that log c_d(κ) is nearly −κ and A_d(κ) nearly 1.
// Quantities that depend on both are then computed from κ + log c_d(κ) and 1 − A_d(κ), because
// differences of terms of the size of κ would keep no digits.
func (n *VonMisesFisherNormalizer) isSharp(kappa float64) bool {
	return kappa > float64(n.dimension+40)
}

// A PaperNormalizer is the closed form F_d(κ) with which the AsymVLM paper replaces the exact von
// Mises–Fisher normalizer (its equation 4). With a = (d−1)/2 and s_b = √(b²+κ²),
//
//	F_d(κ) = Σ_{b = (d−1)/2, (d+1)/2}  (a/2) log(a + s_b) − s_b/2
//
// It is the exact antiderivative of the mean of two bounds on −A_d(κ) (Ruiz-Antolín and Segura
// 2016). Up to its constant, its error is 2.4e-5 at κ = 5 and below 0.0966 everywhere, for d = 512
// and 768. It is defined for 0 ≤ κ ≤ 1e150.
type PaperNormalizer struct{ a, low, high float64 }

// NewPaperNormalizer prepares F_d in d dimensions. A dimension below 2 is an error.
func NewPaperNormalizer(dimension int) (*PaperNormalizer, error) {
	if err := checkDimension(dimension); err != nil {
		return nil, err
	}
	half := float64(dimension-1) / 2
	return &PaperNormalizer{a: half, low: half, high: half + 1}, nil
}

// Dimension returns d.
func (n *PaperNormalizer) Dimension() int { return int(2*n.a) + 1 }

// LogNormalizerAtZero returns F_d(0), which is 1337.6 for d = 512. This is not the logarithm of an
// area; see Offset.
func (n *PaperNormalizer) LogNormalizerAtZero() float64 {
	return n.a/2*(math.Log(n.a+n.low)+math.Log(n.a+n.high)) - (n.low+n.high)/2
}

// Offset returns log c_d(0) − F_d(0), the constant that the paper's equation omits. F_d plus Offset
// approximates log c_d and is exact at κ = 0.
func (n *PaperNormalizer) Offset() float64 { return -logArea(n.Dimension()) - n.LogNormalizerAtZero() }

// LogNormalizerShifted returns F_d(κ) − F_d(0). Each of its two terms is
//
//	(a/2) log(1 + t/(a+b)) − t/2   with   t = s_b − b = κ²/(s_b + b).
func (n *PaperNormalizer) LogNormalizerShifted(kappa float64) float64 {
	if !(kappa >= 0) {
		return math.NaN()
	}
	return n.term(kappa, n.low) + n.term(kappa, n.high)
}

func (n *PaperNormalizer) term(kappa, b float64) float64 {
	t := kappa * kappa / (math.Sqrt(b*b+kappa*kappa) + b)
	return n.a/2*math.Log1p(t/(n.a+b)) - t/2
}

// LogNormalizer returns F_d(κ) as printed, without the constant Offset.
func (n *PaperNormalizer) LogNormalizer(kappa float64) float64 {
	return n.LogNormalizerAtZero() + n.LogNormalizerShifted(kappa)
}

// Derivative returns F_d′(κ) = −(κ/2) [1/(a+s₁) + 1/(a+s₂)].
func (n *PaperNormalizer) Derivative(kappa float64) float64 {
	return kappa * n.DerivativeOverKappa(kappa)
}

// DerivativeOverKappa returns φ(κ) = F_d′(κ)/κ, which is smooth at 0. The gradient of F_d(|η|) with
// respect to η is φη.
func (n *PaperNormalizer) DerivativeOverKappa(kappa float64) float64 {
	if !(kappa >= 0) {
		return math.NaN()
	}
	square := kappa * kappa
	return -(1/(n.a+math.Sqrt(n.low*n.low+square)) + 1/(n.a+math.Sqrt(n.high*n.high+square))) / 2
}

// A PowerSphericalNormalizer is the normalizer of the power spherical density c(κ) (1 + μ·x)^κ (De
// Cao and Aziz 2020). With α = (d−1)/2 + κ and β = (d−1)/2,
//
//	log c(κ) = −(α+β) log 2 − β log π − log Γ(α) + log Γ(α+β)
//
// for κ ≥ 0. The paper's L_PS omits β log π, which does not affect training.
type PowerSphericalNormalizer struct{ beta, atZero float64 }

// NewPowerSphericalNormalizer prepares the normalizer in d dimensions. A dimension below 2 is an
// error.
func NewPowerSphericalNormalizer(dimension int) (*PowerSphericalNormalizer, error) {
	if err := checkDimension(dimension); err != nil {
		return nil, err
	}
	return &PowerSphericalNormalizer{beta: float64(dimension-1) / 2, atZero: -logArea(dimension)}, nil
}

// Dimension returns d.
func (n *PowerSphericalNormalizer) Dimension() int { return int(2*n.beta) + 1 }

// LogNormalizerAtZero returns log c(0), minus the log area of the sphere.
func (n *PowerSphericalNormalizer) LogNormalizerAtZero() float64 { return n.atZero }

// LogNormalizerShifted returns log c(κ) − log c(0). It is positive between its zeros κ = 0 and κ =
// 1 (the mean of 1 + μ·x under the uniform density is 1) and falls for κ > 1.
//
// In the definition, terms of size κ log d cancel. The duplication formula of the gamma function
// turns it into a second difference of log Γ with steps κ/2 and (κ−1)/2, in which both zeros are
// explicit factors.
func (n *PowerSphericalNormalizer) LogNormalizerShifted(kappa float64) float64 {
	if !(kappa >= 0) {
		return math.NaN()
	}
	return -special.LogGammaSecondDifference(n.beta+0.5, kappa/2, (kappa-1)/2)
}

// LogNormalizer returns log c(κ).
func (n *PowerSphericalNormalizer) LogNormalizer(kappa float64) float64 {
	return n.LogNormalizerAtZero() + n.LogNormalizerShifted(kappa)
}

// Derivative returns d log c/dκ = −log 2 − ψ(α) + ψ(α+β), which is minus the expectation of log(1 +
// μ·x). The duplication formula removes the log 2 here as well.
func (n *PowerSphericalNormalizer) Derivative(kappa float64) float64 {
	if !(kappa >= 0) {
		return math.NaN()
	}
	y := n.beta + kappa/2
	return -(special.DigammaDifference(y, kappa/2) + special.DigammaDifference(y+0.5, (kappa-1)/2)) / 2
}

// MeanResultantLength returns the expectation of μ·x, κ/(d−1+κ).
func (n *PowerSphericalNormalizer) MeanResultantLength(kappa float64) float64 {
	if !(kappa >= 0) {
		return math.NaN()
	}
	return kappa / (2*n.beta + kappa)
}

// Variance returns the variance of μ·x, 4αβ/((α+β)²(α+β+1)).
func (n *PowerSphericalNormalizer) Variance(kappa float64) float64 {
	if !(kappa >= 0) {
		return math.NaN()
	}
	alpha, sum := n.beta+kappa, 2*n.beta+kappa
	return 4 * (alpha / sum) * (n.beta / sum) / (sum + 1)
}

// Entropy returns −log c(κ) − κ E[log(1 + μ·x)] in nats.
func (n *PowerSphericalNormalizer) Entropy(kappa float64) float64 {
	return -n.atZero - n.KLToUniform(kappa)
}

// KLToUniform returns the Kullback–Leibler divergence from the uniform density in nats.
func (n *PowerSphericalNormalizer) KLToUniform(kappa float64) float64 {
	if n.isSharp(kappa) {
		alpha := n.beta + kappa
		gamma, _ := math.Lgamma(n.beta)
		return special.LogBeta(n.beta, n.beta) - gamma + special.LogGammaDifference(alpha, n.beta) - kappa*special.DigammaDifference(alpha, n.beta)
	}
	return n.LogNormalizerShifted(kappa) - kappa*n.Derivative(kappa)
}

// isSharp reports whether κ is so large that log c(κ) is nearly −κ log 2. Divergences are then
// computed as those of the beta distributions of (1 + μ·x)/2, which do not contain that term.
func (n *PowerSphericalNormalizer) isSharp(kappa float64) bool { return kappa > 2*n.beta+40 }
