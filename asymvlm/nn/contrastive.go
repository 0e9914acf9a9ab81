package nn

import "gosphere/asymvlm/device"

// contrastive is the symmetric InfoNCE loss of a B×B matrix ℓ whose diagonal holds the true pairs,
// with Λ = τℓ:
//
//	½ [ mean_s (log Σ_r exp Λ_sr − Λ_ss) + mean_r (log Σ_s exp Λ_sr − Λ_rr) ]
//
// Other captions of the same image in a batch count as wrong pairs, as in the reference
// implementation, unless the mask hides them.
type contrastive[F device.Float] struct {
	ops     device.Operations[F]
	mask    *mask
	columns []float64
}

// loss returns the loss and its gradients with respect to Λ and τ. The gradient overwrites ell.
func (c *contrastive[F]) loss(ell device.Matrix[F], tau F) (loss float64, s slopes[F]) {
	c.columns = grow(c.columns, ell.Columns)
	loss, dTau := c.ops.Contrast(ell, ell, tau, c.mask.groups(), c.columns)
	return loss, slopes[F]{g: ell, columns: c.columns, dScale: dTau}
}
