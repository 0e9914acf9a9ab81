package sphere

import (
	"fmt"
	"math"
)

// A Density is what SampledKL needs of a density; both families here have it.
type Density interface {
	Dimension() int
	LogProb(x []float64) float64
	Rand(dst []float64) []float64
}

// A SampledDivergence is an estimate from draws with its standard error, the standard deviation that the estimate
// itself has over repetitions. About two of three estimates lie within one of it from the truth.
type SampledDivergence struct {
	KL            float64
	StandardError float64
	Draws         int
}

// SampledKL estimates KL(p‖q) in nats as the mean of log p(x) − log q(x) over draws x of p, for pairs without a closed
// form: power spherical densities of different directions, or densities of different families. It draws from p's
// source. The estimate may be negative; it is +Inf when q vanishes on a draw.
func SampledKL(p, q Density, draws int) (SampledDivergence, error) {
	if draws < 2 {
		return SampledDivergence{}, fmt.Errorf("sphere: divergence from %d draws, want at least 2", draws)
	}
	if p.Dimension() != q.Dimension() {
		return SampledDivergence{}, fmt.Errorf("sphere: densities of %d and %d dimensions", p.Dimension(), q.Dimension())
	}
	x := make([]float64, p.Dimension())
	// Welford's running mean and sum of squares: the difference of two sums would cancel for close densities.
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

// Product returns the density in proportion to the product of the two, as for two independent observations of one
// direction: again von Mises–Fisher, with the sum of the natural parameters. The logarithm of the factor, log ∫pq, is
// LogInnerProduct. The product draws from v's source. It is an error when the dimensions differ.
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

// GaussianLogLikelihood returns what the AsymVLM paper's ablation with a Gaussian puts in place of the density on the
// sphere: the log density of N(μ, I/κ), in all d dimensions, at a unit vector with the given cosine to μ,
//
//	κ(cos − 1) + (d/2) log(κ/2π),   κ > 0.
//
// The constant −(d/2) log 2π is kept, so that it is a log density; as one on the sphere it does not integrate to 1.
// See GaussianExcess.
func GaussianLogLikelihood(dimension int, kappa, cosine float64) float64 {
	return kappa*(cosine-1) + float64(dimension)/2*math.Log(kappa/(2*math.Pi))
}

// GaussianSlope returns the derivative of GaussianLogLikelihood with respect to κ, cos − 1 + d/(2κ). Its zero, κ =
// d/(2(1−cos)), is where that ablation's concentrations are drawn: in the hundreds for d = 512, whatever the cosine,
// while the von Mises–Fisher likelihood has its maximum at A_d(κ) = cos.
func GaussianSlope(dimension int, kappa, cosine float64) float64 {
	return cosine - 1 + float64(dimension)/(2*kappa)
}

// GaussianExcess returns how far the Gaussian's log-likelihood lies above the von Mises–Fisher one of the same κ, for
// every x alike: (d/2) log(κ/2π) − κ − log c_d(κ). It is minus infinity at κ = 0 and grows like (log κ)/2 when κ is
// large, since the Gaussian also spreads along the radius.
func (n *VonMisesFisherNormalizer) GaussianExcess(kappa float64) float64 {
	return float64(n.dimension)/2*math.Log(kappa/(2*math.Pi)) - n.bessel.Deficit(kappa) - n.AtZero()
}
