package nn

import "gosphere/asymvlm/device"

// contrastive is the symmetric InfoNCE loss of a B×B matrix ℓ whose diagonal holds the true pairs, with Λ = τℓ:
//
//	½ [ mean_s (log Σ_r exp Λ_sr − Λ_ss) + mean_r (log Σ_s exp Λ_sr − Λ_rr) ]
//
// Captions of the same image in a batch count as wrong ones, as in the paper's program, unless the mask hides them.
type contrastive[F device.Float] struct {
	ops           device.Operations[F]
	mask          *mask
	rows, columns []F
	g             device.Matrix[F]
}

// loss returns the loss and its gradients: g with respect to Λ, and dTau with respect to τ. The matrix g is the
// receiver's memory until the next call.
func (c *contrastive[F]) loss(ell device.Matrix[F], tau F) (loss float64, g device.Matrix[F], dTau float64) {
	if c.mask.active() {
		return c.maskedLoss(ell, float64(tau))
	}
	batch := ell.Rows
	c.rows, c.columns = grow(c.rows, batch), grow(c.columns, batch)
	c.square(batch)
	c.ops.LogSumExpRows(c.rows, ell, tau)
	c.ops.LogSumExpColumns(c.columns, ell, tau)
	c.ops.SoftmaxPair(c.g, ell, tau, c.rows, c.columns)
	for i := range batch {
		at := i * (batch + 1)
		// Differences first: both logarithms are close to Λ_ii once the pair is learned.
		own := float64(tau) * float64(ell.Values[at])
		loss += (float64(c.rows[i]) - own) + (float64(c.columns[i]) - own)
		c.g.Values[at] -= 1 / F(batch)
	}
	return loss / float64(2*batch), c.g, c.ops.Dot(c.g, ell)
}

// square returns the memory of g for a batch.
func (c *contrastive[F]) square(batch int) device.Matrix[F] {
	c.g = device.Matrix[F]{Rows: batch, Columns: batch, Values: grow(c.g.Values, batch*batch)}
	return c.g
}
