package sphere

import (
	"fmt"
	"math"
)

// A Density is the set of methods that SampledKL needs. Both families of this package implement it.
type Density interface {
	Dimension() int
	LogProb(x []float64) float64
	Rand(dst []float64) []float64
}

// A SampledDivergence is an estimate from random draws together with its standard error, the
// standard deviation of the estimate over repetitions. About two of three estimates lie within one
// standard error of the true value.
type SampledDivergence struct {
	KL            float64
	StandardError float64
	Draws         int
}

// SampledKL estimates KL(p‖q) in nats as the mean of log p(x) − log q(x) over draws x from p. It
// serves pairs without a closed form: power spherical densities with different directions, or
// densities of different families. It draws from p's source. The estimate may be negative, and it
// is +Inf if q vanishes at a draw. Fewer than two draws and different dimensions are errors.
func SampledKL(p, q Density, draws int) (SampledDivergence, error) {
	if draws < 2 {
		return SampledDivergence{}, fmt.Errorf("sphere: divergence from %d draws, want at least 2", draws)
	}
	if p.Dimension() != q.Dimension() {
		return SampledDivergence{}, fmt.Errorf("sphere: densities of %d and %d dimensions", p.Dimension(), q.Dimension())
	}
	x := make([]float64, p.Dimension())
	// Welford's running mean and sum of squares: the difference of two sums would cancel for
	// similar densities.
	mean, squares := 0.0, 0.0
	for i := range draws {
		p.Rand(x)
		value := p.LogProb(x) - q.LogProb(x)
		step := value - mean
		mean += step / float64(i+1)
		squares += step * (value - mean)
	}
	n := float64(draws)
	return SampledDivergence{KL: mean, StandardError: math.Sqrt(squares / (n - 1) / n), Draws: draws}, nil
}

// Product returns the density proportional to the product of v and other, as for two independent
// observations of one direction. The result is again von Mises–Fisher, with the sum of the natural
// parameters. The logarithm of the factor, log ∫pq, is LogInnerProduct. The result draws from v's
// source. Product returns an error if the dimensions differ.
func (v *VonMisesFisher) Product(other *VonMisesFisher) (*VonMisesFisher, error) {
	if len(v.mu) != len(other.mu) {
		return nil, fmt.Errorf("sphere: densities of %d and %d dimensions", len(v.mu), len(other.mu))
	}
	eta := make([]float64, len(v.mu))
	for i, value := range v.mu {
		eta[i] = v.kappa*value + other.kappa*other.mu[i]
	}
	return VonMisesFisherFromNatural(eta, v.src)
}

// GaussianLogLikelihood returns the log density that replaces the density on the sphere in the
// AsymVLM paper's ablation with a Gaussian: the log density of N(μ, I/κ), in all d dimensions, at a
// unit vector with the given cosine to μ,
//
//	κ(cos − 1) + (d/2) log(κ/2π),   κ > 0.
//
// The value omits no constant, so it is a log density in d dimensions. As a density on the sphere
// it does not integrate to 1; see GaussianExcess.
func GaussianLogLikelihood(dimension int, kappa, cosine float64) float64 {
	return kappa*(cosine-1) + float64(dimension)/2*math.Log(kappa/(2*math.Pi))
}

// GaussianSlope returns the derivative of GaussianLogLikelihood with respect to κ, cos − 1 +
// d/(2κ). The ablation's concentrations are drawn to its zero, κ = d/(2(1−cos)), which is in the
// hundreds for d = 512, whatever the cosine. The von Mises–Fisher likelihood has its maximum at
// A_d(κ) = cos instead.
func GaussianSlope(dimension int, kappa, cosine float64) float64 {
	return cosine - 1 + float64(dimension)/(2*kappa)
}

// GaussianExcess returns the Gaussian log-likelihood minus the von Mises–Fisher log-likelihood of
// the same κ, which is the same for every x: (d/2) log(κ/2π) − κ − log c_d(κ). It is −Inf at κ = 0
// and grows like (log κ)/2 for large κ, because the Gaussian also spreads along the radius.
func (n *VonMisesFisherNormalizer) GaussianExcess(kappa float64) float64 {
	return float64(n.dimension)/2*math.Log(kappa/(2*math.Pi)) - n.bessel.Deficit(kappa) - n.LogNormalizerAtZero()
}
