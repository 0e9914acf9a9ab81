package world

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/sphere"
)

// A Noise is the distribution of captions around their scene.
type Noise string

const (
	// VonMisesFisher draws a caption x from the density c_D(κ) exp(κ μ·x) around its scene μ.
	VonMisesFisher Noise = "vmf"
	// Elliptical draws x = (μ + A z/√κ) / |μ + A z/√κ|. The coordinates of z are independent with
	// Laplace's density, mean 0 and variance 1. A is the same for all captions of a world: a random
	// rotation of a diagonal matrix whose squared entries have the mean 1 and fall from the first
	// to the last by a factor of 16. The cosine of x and μ is then about 1/√(1 + D/κ), from 0.33 to
	// 0.82 for the default concentrations, which is more than with VonMisesFisher for κ below D.
	// The density is not von Mises–Fisher and does not depend on μ·x alone.
	Elliptical Noise = "elliptical"
)

// eccentricity is the largest variance of elliptical noise along an axis divided by the smallest.
const eccentricity = 16

// noiseStream is the random number stream for the axes of elliptical noise; tasks use streams from
// taskStream on.
const noiseStream = 1 << 63

// name returns the name of worlds with the noise of o.
func (o Options) name() string {
	if o.Noise == Elliptical {
		return "world_elliptical"
	}
	return "world"
}

// captions returns a function that draws a caption around a scene with random numbers from src.
func (o Options) captions(src rand.Source) func(dst, mu []float64, kappa float64) error {
	if o.Noise != Elliptical {
		return func(dst, mu []float64, kappa float64) error {
			density, err := sphere.NewVonMisesFisher(mu, kappa, src)
			if err == nil {
				density.Rand(dst)
			}
			return err
		}
	}
	random, scaled := rand.New(src), o.noiseAxes()
	return func(dst, mu []float64, kappa float64) error {
		copy(dst, mu)
		for _, axis := range scaled {
			z := random.ExpFloat64() / math.Sqrt(2*kappa)
			if random.Uint64()&1 == 0 {
				z = -z
			}
			for i, value := range axis {
				dst[i] += z * value
			}
		}
		normalize(dst)
		return nil
	}
}

// noiseAxes returns the columns of A.
func (o Options) noiseAxes() [][]float64 {
	axes := subspace(o.Dimension, o.Dimension, rand.New(rand.NewPCG(o.Seed, noiseStream)))
	variances, sum := make([]float64, o.Dimension), 0.0
	for i := range variances {
		variances[i] = math.Pow(eccentricity, -float64(i)/float64(max(1, o.Dimension-1)))
		sum += variances[i]
	}
	for i, axis := range axes {
		deviation := math.Sqrt(variances[i] * float64(o.Dimension) / sum)
		for j := range axis {
			axis[j] *= deviation
		}
	}
	return axes
}
