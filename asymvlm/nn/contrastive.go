package nn

import "gosphere/asymvlm/device"

// contrastive is the symmetric InfoNCE loss of a B×B matrix ℓ whose diagonal holds the true pairs,
// with Λ = τℓ:
//
//	½ [ mean_s (log Σ_r exp Λ_sr − Λ_ss) + mean_r (log Σ_s exp Λ_sr − Λ_rr) ]
//
// Other captions of the same image in a batch count as wrong pairs, as in the reference
// implementation, unless the mask hides them. With several positives, −Λ_ss is replaced by the
// mean of −Λ over the positives of the row or column, the cross-entropy with a distribution over
// them: with n_r images for text r, 1/n_r in its column, and in the rows shares proportional to
// 1/n_r, as if each text were written about one of its images at random.
type contrastive[F device.Float] struct {
	ops     device.Operations[F]
	mask    *mask
	columns []float64
}

// loss returns the loss and its gradients with respect to Λ and τ. The gradient overwrites ell.
func (c *contrastive[F]) loss(ell device.Matrix[F], tau F) (loss float64, s slopes[F]) {
	c.columns = grow(c.columns, ell.Columns)
	var before []float64
	if c.mask.several() {
		before = kept(c.mask, ell)
	}
	loss, dTau := c.ops.Contrast(ell, ell, tau, c.mask.groups(), c.columns)
	if before != nil {
		more, dMore := c.mask.spread(matrixOf[F]{ell}, before, float64(tau), c.columns)
		loss, dTau = loss+more, dTau+dMore
	}
	return loss, slopes[F]{g: ell, columns: c.columns, dScale: dTau}
}
