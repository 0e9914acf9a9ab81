package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/sphere"
)

// Cosine is μ·x, without a concentration.
var Cosine Likelihood = ofCosine{}

type ofCosine struct{}

func (ofCosine) String() string { return "cosine" }

func (ofCosine) density() device.Density { return device.DensityNone }

func (ofCosine) concentrated() bool { return false }

func (ofCosine) linear() (func(dimension int) (sphere.Normalizer, error), bool) { return nil, true }

func (ofCosine) single(b *builder[float32]) (likelihood[float32], error) {
	return &cosine[float32]{ops: b.ops}, nil
}

func (ofCosine) double(b *builder[float64]) (likelihood[float64], error) {
	return &cosine[float64]{ops: b.ops}, nil
}

// cosine is ℓ = μ·x: a deterministic adapter that ignores the norm of its output.
type cosine[F device.Float] struct {
	ops device.Operations[F]
	directions[F]
}

func (c *cosine[F]) prepare(eta device.Matrix[F]) { c.set(c.ops, eta) }

func (c *cosine[F]) concentrations() []float64 { return c.kappa }

func (c *cosine[F]) fill(ell, images device.Matrix[F]) {
	c.ops.ProductRightTransposed(ell, images, c.mu)
}

// gradient computes dη = τ (t − (t·μ)μ)/κ with t_r = Σ_s g_sr x_s, which is orthogonal to μ.
func (c *cosine[F]) gradient(dEta device.Matrix[F], s slopes[F], images device.Matrix[F], tau F) {
	c.ops.ProductLeftTransposed(dEta, s.g, images)
	for r := range dEta.Rows {
		mu, d := c.mu.Row(r), dEta.Row(r)
		along := F(inner(d, mu))
		scale := F(float64(tau) / math.Max(c.kappa[r], least))
		for j, value := range mu {
			d[j] = scale * (d[j] - along*value)
		}
	}
}
