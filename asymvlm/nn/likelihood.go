package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"

	"gosphere/asymvlm/device"
)

// A likelihood is the computation of a Likelihood in one precision: ℓ for a batch and its gradient.
// Call prepare first, with the outputs of the network; state is kept until the next prepare.
type likelihood[F device.Float] interface {
	// prepare sets the texts, one row η each. The matrix must not change until gradient has been
	// called.
	prepare(eta device.Matrix[F])
	// fill sets ell, N×M, for N unit image embeddings and the prepared texts.
	fill(ell, images device.Matrix[F])
	// gradient sets dEta to τ·∂/∂η Σ g·ℓ, after a fill with the same images, N = M. It may
	// overwrite g.
	gradient(dEta device.Matrix[F], s slopes[F], images device.Matrix[F], tau F)
	// concentrations returns κ of the prepared texts, valid until the next prepare.
	concentrations() []float64
}

// grow returns a slice of the given length, reusing s if its capacity suffices.
func grow[E any](s []E, length int) []E {
	if cap(s) < length {
		return make([]E, length)
	}
	return s[:length]
}

// norm returns the Euclidean norm of a row, summed in float64.
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

// directions holds the unit vectors and norms of the rows of a matrix.
type directions[F device.Float] struct {
	kappa []float64
	mu    device.Matrix[F]
}

// set computes the norms and unit vectors of the rows.
func (d *directions[F]) set(ops device.Operations[F], eta device.Matrix[F]) {
	d.kappa = grow(d.kappa, eta.Rows)
	d.mu = device.Matrix[F]{Rows: eta.Rows, Columns: eta.Columns, Values: grow(d.mu.Values, eta.Rows*eta.Columns)}
	ops.Units(d.mu, d.kappa, eta)
}

// least is the lower bound of norms in divisions. It keeps a zero row from becoming NaN.
const least = 1e-12

// slopes holds the gradient of a loss of all pairs.
type slopes[F device.Float] struct {
	g       device.Matrix[F] // with respect to the logits
	columns []float64        // the sums of g's columns
	dScale  float64          // with respect to the factor on the similarities
	dBias   float64          // with respect to the bias of the logits; only for losses that have one
}
