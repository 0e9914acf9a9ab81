package sphere

import (
	"math"
	"math/rand/v2"
)

// A PowerSpherical is the power spherical density on the unit sphere in d ≥ 2 dimensions,
//
//	p(x) = c(κ) (1 + μ·x)^κ
//	log c(κ) = −(α+β) log 2 − β log π − log Γ(α) + log Γ(α+β),   α = (d−1)/2 + κ,   β = (d−1)/2
//
// with mean direction μ, |μ| = 1, and concentration κ ≥ 0; κ = 0 is the uniform density. Its
// normalizer needs no Bessel function, and (1 + μ·x)/2 is Beta(α, β), so sampling needs no
// rejection. For κ much smaller than d it is close to the von Mises–Fisher density with the same κ.
//
// Reference: N. De Cao and W. Aziz, The Power Spherical distribution, 2020.
type PowerSpherical struct {
	mu         []float64
	kappa      float64
	normalizer *PowerSphericalNormalizer
	src        rand.Source
}

// NewPowerSpherical returns the density with mean direction mu, which is copied, and concentration
// kappa. Random vectors are drawn from src, or from the global source if src is nil. It returns the
// same errors as NewVonMisesFisher.
func NewPowerSpherical(mu []float64, kappa float64, src rand.Source) (*PowerSpherical, error) {
	direction, err := unit(mu)
	if err != nil {
		return nil, err
	}
	if err := checkConcentration(kappa); err != nil {
		return nil, err
	}
	normalizer, err := NewPowerSphericalNormalizer(len(mu))
	if err != nil {
		return nil, err
	}
	return &PowerSpherical{mu: direction, kappa: kappa, normalizer: normalizer, src: src}, nil
}

// PowerSphericalFromNatural returns the density with κ = |η| and μ = η/κ, which is how the adapters
// interpret their output. For η = 0 the density is uniform and the mean direction is the first
// axis. It returns an error if η has fewer than two coordinates or is not finite.
func PowerSphericalFromNatural(eta []float64, src rand.Source) (*PowerSpherical, error) {
	mu, kappa, err := splitNatural(eta)
	if err != nil {
		return nil, err
	}
	return NewPowerSpherical(mu, kappa, src)
}

// Dimension returns d, the number of coordinates.
func (p *PowerSpherical) Dimension() int { return len(p.mu) }

// MeanDirection writes μ to dst, which is allocated when nil, and returns it.
func (p *PowerSpherical) MeanDirection(dst []float64) []float64 {
	dst = sized(dst, len(p.mu))
	copy(dst, p.mu)
	return dst
}

// Concentration returns κ.
func (p *PowerSpherical) Concentration() float64 { return p.kappa }

// Uncertainty returns 1/κ; it is +Inf for the uniform density.
func (p *PowerSpherical) Uncertainty() float64 { return 1 / p.kappa }

// LogNormalizer returns log c(κ); at κ = 0 it is minus the log area of the sphere.
func (p *PowerSpherical) LogNormalizer() float64 { return p.normalizer.LogNormalizer(p.kappa) }

// LogProb returns log p(x) = log c(κ) + κ log(1 + μ·x), which is −Inf at x = −μ. It panics if the
// length of x is not d. It does not check that |x| = 1.
func (p *PowerSpherical) LogProb(x []float64) float64 {
	if p.kappa == 0 { // 0·log 0 at x = −μ would be NaN
		checkLength(x, len(p.mu))
		return p.normalizer.LogNormalizerAtZero()
	}
	// Rounding can make the dot product of two unit vectors less than −1.
	cosine := max(dot(p.mu, x), -1)
	return p.normalizer.LogNormalizerShifted(p.kappa) + p.kappa*math.Log1p(cosine) + p.normalizer.LogNormalizerAtZero()
}

// Prob returns the density p(x).
func (p *PowerSpherical) Prob(x []float64) float64 { return math.Exp(p.LogProb(x)) }

// MeanResultantLength returns κ/(d−1+κ), the norm of the mean of the density and the expectation of
// μ·x.
func (p *PowerSpherical) MeanResultantLength() float64 {
	return p.normalizer.MeanResultantLength(p.kappa)
}

// Mean writes the expectation of x to dst, which is allocated when nil, and returns it.
func (p *PowerSpherical) Mean(dst []float64) []float64 {
	return scaled(dst, p.MeanResultantLength(), p.mu)
}

// Mode writes μ, at which the density is largest, to dst, which is allocated when nil, and returns
// it.
func (p *PowerSpherical) Mode(dst []float64) []float64 { return p.MeanDirection(dst) }

// Entropy returns the differential entropy −log c(κ) − κ (log 2 + ψ(α) − ψ(α+β)) in nats.
func (p *PowerSpherical) Entropy() float64 { return p.normalizer.Entropy(p.kappa) }

// Rand draws one random vector into dst, which is allocated when nil, and returns it; sample.go
// describes the method. A density with its own source must not draw from two goroutines at once.
func (p *PowerSpherical) Rand(dst []float64) []float64 {
	random := newRandom(p.src)
	beta := float64(len(p.mu)-1) / 2
	z, rest := random.beta(beta+p.kappa, beta)
	return random.around(sized(dst, len(p.mu)), p.mu, z-rest, 2*math.Sqrt(z*rest))
}
