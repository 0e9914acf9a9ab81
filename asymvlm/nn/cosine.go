package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"

	"gosphere/asymvlm/device"
)

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
