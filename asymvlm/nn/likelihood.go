package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// The likelihoods that a learner can have: ℓ(x, η), what is learned to be large for an image and its own caption.
const (
	VonMisesFisher      = "vmf"       // η·x + F(κ), F the paper's closed form, zero-based
	VonMisesFisherExact = "vmf-exact" // the same with the exact normalizer
	PowerSpherical      = "ps"        // κ log(1+μ·x) + log c(κ), zero-based
	Cosine              = "cosine"    // μ·x, which has no concentration
	Gaussian            = "gauss"     // κ(μ·x−1) + (D/2) log κ, a normal density in the space around the sphere
)

// A likelihood is ℓ for a batch and its gradient. prepare comes first, with the outputs of the network; it and the
// others keep what they need until the next prepare.
type likelihood[F device.Float] interface {
	// prepare takes the texts, one row η each. The matrix must stay unchanged until gradient was called.
	prepare(eta device.Matrix[F])
	// fill sets ell, N×M, for N unit image embeddings and the prepared texts.
	fill(ell, images device.Matrix[F])
	// gradient sets dEta to τ·∂/∂η Σ g·ℓ, after a fill with the same images, N = M. It may overwrite g.
	gradient(dEta device.Matrix[F], s slopes[F], images device.Matrix[F], tau F)
	// concentrations returns κ of the prepared texts, valid until the next prepare.
	concentrations() []float64
}

// newLikelihood prepares a likelihood by name.
func newLikelihood[F device.Float](ops device.Operations[F], name string, dimension, batch int) (likelihood[F], error) {
	switch name {
	case VonMisesFisher:
		normalizer, err := sphere.NewPaperNormalizer(dimension)
		return &vonMisesFisher[F]{ops: ops, normalizer: normalizer}, err
	case VonMisesFisherExact:
		normalizer, err := sphere.NewVonMisesFisherNormalizer(dimension)
		return &vonMisesFisher[F]{ops: ops, normalizer: normalizer}, err
	case PowerSpherical:
		normalizer, err := sphere.NewPowerSphericalNormalizer(dimension)
		return &powerSpherical[F]{ops: ops, normalizer: normalizer, cosines: device.NewMatrix[F](batch, batch)}, err
	case Cosine:
		return &cosine[F]{ops: ops}, nil
	case Gaussian:
		return &vonMisesFisher[F]{ops: ops, normalizer: gaussianNormalizer{float64(dimension)}}, nil
	}
	return nil, fmt.Errorf("nn: likelihood %q, want %q, %q, %q, %q or %q",
		name, VonMisesFisher, VonMisesFisherExact, PowerSpherical, Cosine, Gaussian)
}

// grow returns a slice of the wanted length, the old one where it is large enough.
func grow[E any](s []E, length int) []E {
	if cap(s) < length {
		return make([]E, length)
	}
	return s[:length]
}

// norm returns the length of a row, summed in float64.
func norm[F device.Float](row []F) float64 {
	sum := 0.0
	for _, value := range row {
		sum += float64(value) * float64(value)
	}
	return math.Sqrt(sum)
}

// inner returns a·b, summed in float64.
func inner[F device.Float](a, b []F) float64 {
	sum := 0.0
	for i, value := range a {
		sum += float64(value) * float64(b[i])
	}
	return sum
}

// directions are the unit vectors and lengths of the rows of a matrix.
type directions[F device.Float] struct {
	kappa []float64
	mu    device.Matrix[F]
}

// set takes the rows apart.
func (d *directions[F]) set(ops device.Operations[F], eta device.Matrix[F]) {
	d.kappa = grow(d.kappa, eta.Rows)
	d.mu = device.Matrix[F]{Rows: eta.Rows, Columns: eta.Columns, Values: grow(d.mu.Values, eta.Rows*eta.Columns)}
	ops.Units(d.mu, d.kappa, eta)
}

// least is the length below which a row counts as this long: a zero row then has no direction but no NaN.
const least = 1e-12

// slopes are the gradient of a loss of all pairs.
type slopes[F device.Float] struct {
	g       device.Matrix[F] // with respect to the logits
	columns []float64        // the sums of g's columns
	dScale  float64          // with respect to the factor on the similarities
	dBias   float64          // with respect to what is added to the logits; only of losses that have it
}
