package sphere

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// unitTolerance is the largest accepted difference between 1 and the norm of a mean direction.
// Embeddings that were normalized in float32 are within 1e-6 in any dimension in use.
const unitTolerance = 1e-5

// A VonMisesFisher is the von Mises–Fisher density on the unit sphere in d ≥ 2 dimensions,
//
//	p(x) = c_d(κ) exp(κ μ·x)
//	log c_d(κ) = ν log κ − (d/2) log 2π − log I_ν(κ),   ν = d/2 − 1
//
// with mean direction μ, |μ| = 1, and concentration κ ≥ 0; κ = 0 is the uniform density. The
// natural parameter is η = κμ. Make one with NewVonMisesFisher, VonMisesFisherFromNatural or
// FitVonMisesFisher.
//
// Reference: K. V. Mardia and P. E. Jupp, Directional Statistics, Wiley 2000, section 9.3.
type VonMisesFisher struct {
	mu         []float64
	kappa      float64
	normalizer *VonMisesFisherNormalizer
	src        rand.Source
}

// NewVonMisesFisher returns the density with mean direction mu, which is copied, and concentration
// kappa. Random vectors are drawn from src, or from the global source if src is nil. It returns an
// error if mu has fewer than two coordinates or is not of norm 1 to within 1e-5, or if kappa is
// negative, infinite or NaN.
func NewVonMisesFisher(mu []float64, kappa float64, src rand.Source) (*VonMisesFisher, error) {
	direction, err := unit(mu)
	if err != nil {
		return nil, err
	}
	if err := checkConcentration(kappa); err != nil {
		return nil, err
	}
	normalizer, err := NewVonMisesFisherNormalizer(len(mu))
	if err != nil {
		return nil, err
	}
	return &VonMisesFisher{mu: direction, kappa: kappa, normalizer: normalizer, src: src}, nil
}

// VonMisesFisherFromNatural returns the density with natural parameter η, that is κ = |η| and μ =
// η/κ. For η = 0 the density is uniform and the mean direction, which then has no meaning, is the
// first axis. It returns an error if η has fewer than two coordinates or is not finite.
func VonMisesFisherFromNatural(eta []float64, src rand.Source) (*VonMisesFisher, error) {
	mu, kappa, err := splitNatural(eta)
	if err != nil {
		return nil, err
	}
	return NewVonMisesFisher(mu, kappa, src)
}

// unit returns a copy of a unit vector, scaled to norm 1 at full accuracy.
func unit(mu []float64) ([]float64, error) {
	if err := checkDimension(len(mu)); err != nil {
		return nil, err
	}
	length := length(mu)
	if !(math.Abs(length-1) <= unitTolerance) {
		return nil, fmt.Errorf("sphere: mean direction has length %g, want 1", length)
	}
	direction := make([]float64, len(mu))
	for i, value := range mu {
		direction[i] = value / length
	}
	return direction, nil
}

// splitNatural splits a natural parameter into mean direction and concentration.
func splitNatural(eta []float64) (mu []float64, kappa float64, err error) {
	if err := checkDimension(len(eta)); err != nil {
		return nil, 0, err
	}
	kappa = length(eta)
	if err := checkConcentration(kappa); err != nil {
		return nil, 0, fmt.Errorf("sphere: natural parameter of length %g, want a finite one", kappa)
	}
	mu = make([]float64, len(eta))
	if kappa == 0 {
		mu[0] = 1
		return mu, 0, nil
	}
	for i, value := range eta {
		mu[i] = value / kappa
	}
	return mu, kappa, nil
}

// checkConcentration returns an error unless κ is finite and at least 0.
func checkConcentration(kappa float64) error {
	if !(kappa >= 0) || math.IsInf(kappa, 1) {
		return fmt.Errorf("sphere: concentration %g, want a finite value of at least 0", kappa)
	}
	return nil
}

// Dimension returns d, the number of coordinates.
func (v *VonMisesFisher) Dimension() int { return len(v.mu) }

// MeanDirection writes μ to dst, which is allocated when nil, and returns it. Like all methods with
// a dst, it panics if the length of dst is not d.
func (v *VonMisesFisher) MeanDirection(dst []float64) []float64 {
	dst = sized(dst, len(v.mu))
	copy(dst, v.mu)
	return dst
}

// Concentration returns κ.
func (v *VonMisesFisher) Concentration() float64 { return v.kappa }

// Natural writes η = κμ to dst, which is allocated when nil, and returns it.
func (v *VonMisesFisher) Natural(dst []float64) []float64 { return scaled(dst, v.kappa, v.mu) }

// Uncertainty returns 1/κ, the paper's uncertainty of a text; it is +Inf for the uniform density.
func (v *VonMisesFisher) Uncertainty() float64 { return 1 / v.kappa }

// LogNormalizer returns log c_d(κ) = ν log κ − (d/2) log 2π − log I_ν(κ), exact to rounding. At κ =
// 0 it is minus the log area of the sphere.
func (v *VonMisesFisher) LogNormalizer() float64 { return v.normalizer.LogNormalizer(v.kappa) }

// LogProb returns log p(x) = log c_d(κ) + κ μ·x. It panics if the length of x is not d. It does not
// check that the norm of x is 1.
func (v *VonMisesFisher) LogProb(x []float64) float64 {
	// The two terms in κ nearly cancel for x close to μ. Adding the constant last keeps their
	// digits.
	return v.normalizer.LogNormalizerShifted(v.kappa) + v.kappa*dot(v.mu, x) + v.normalizer.LogNormalizerAtZero()
}

// Prob returns the density p(x).
func (v *VonMisesFisher) Prob(x []float64) float64 { return math.Exp(v.LogProb(x)) }

// Score writes the gradient of log p(x) with respect to the natural parameter, x − A_d(κ)μ, to dst,
// which is allocated when nil, and returns it.
func (v *VonMisesFisher) Score(dst, x []float64) []float64 {
	checkLength(x, len(v.mu))
	dst = sized(dst, len(v.mu))
	resultant := v.MeanResultantLength()
	for i, value := range x {
		dst[i] = value - resultant*v.mu[i]
	}
	return dst
}

// MeanResultantLength returns A_d(κ) = I_{d/2}(κ)/I_{d/2−1}(κ), the norm of the mean of the density
// and the expectation of μ·x.
func (v *VonMisesFisher) MeanResultantLength() float64 {
	return v.normalizer.MeanResultantLength(v.kappa)
}

// Mean writes the expectation of x, A_d(κ)μ, to dst, which is allocated when nil, and returns it.
// The mean lies inside the sphere.
func (v *VonMisesFisher) Mean(dst []float64) []float64 {
	return scaled(dst, v.MeanResultantLength(), v.mu)
}

// Mode writes μ, at which the density is largest, to dst, which is allocated when nil, and returns
// it. The uniform density has no mode, but μ is returned for it as well.
func (v *VonMisesFisher) Mode(dst []float64) []float64 { return v.MeanDirection(dst) }

// Entropy returns the differential entropy −log c_d(κ) − κ A_d(κ) in nats.
func (v *VonMisesFisher) Entropy() float64 { return v.normalizer.Entropy(v.kappa) }

// Rand draws one random vector into dst, which is allocated when nil, and returns it; sample.go
// describes the method. A density with its own source must not draw from two goroutines at once.
func (v *VonMisesFisher) Rand(dst []float64) []float64 {
	random := newRandom(v.src)
	along, across := random.wood(float64(len(v.mu)-1), v.kappa)
	return random.around(sized(dst, len(v.mu)), v.mu, along, across)
}
