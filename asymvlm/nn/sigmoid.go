package nn

import "gosphere/asymvlm/device"

// sigmoid is SigLIP's loss of a B×B matrix ℓ whose diagonal holds the true pairs, with y = 1 there
// and for other positives, and −1 elsewhere:
//
//	−1/B Σ_sr log sigmoid(y_sr (τ ℓ_sr + b))
//
// The papers print the bias with a minus; the sign here is that of SigLIP's implementation, where b
// is initialized to −10. Pairs hidden by the mask are omitted from the sum.
type sigmoid[F device.Float] struct {
	ops  device.Operations[F]
	mask *mask
	pairing[F]
}

// loss returns the loss and its gradients with respect to τℓ, τ and b. The gradient overwrites ell.
func (s *sigmoid[F]) loss(ell device.Matrix[F], tau, bias float64) (loss float64, result slopes[F]) {
	logits := s.logits(ell.Rows)
	logits.Scale, logits.Weight, logits.Groups = F(tau), 1/F(ell.Rows), s.mask.groups()
	for i := range logits.Rows {
		logits.Rows[i], logits.Columns[i] = F(bias), 0
	}
	result.g, result.columns = ell, s.margins.Columns
	loss, result.dScale = separatePairs(s.ops, s.mask, ell, logits, s.margins)
	for _, sum := range s.margins.Columns {
		result.dBias += sum
	}
	return loss, result
}

// pairing holds the buffers of a loss that treats each pair separately.
type pairing[F device.Float] struct {
	rows, columns []F
	margins       device.Margins
}

// logits returns logits for a batch, to be filled by the caller.
func (p *pairing[F]) logits(batch int) device.Logits[F] {
	p.rows, p.columns = grow(p.rows, batch), grow(p.columns, batch)
	p.margins.Rows, p.margins.Columns = grow(p.margins.Rows, batch), grow(p.margins.Columns, batch)
	return device.Logits[F]{Rows: p.rows, Columns: p.columns}
}

// separatePairs computes the loss of separate pairs with all positives of the batch. The gradient
// overwrites a.
func separatePairs[F device.Float](ops device.Operations[F], m *mask, a device.Matrix[F], logits device.Logits[F], margins device.Margins) (loss, dScale float64) {
	if !m.several() {
		return ops.SigmoidPairs(a, a, logits, margins)
	}
	before := kept(m, a)
	loss, dScale = ops.SigmoidPairs(a, a, logits, margins)
	more, dMore := right(m, a, before, logits, margins)
	return loss + more, dScale + dMore
}
