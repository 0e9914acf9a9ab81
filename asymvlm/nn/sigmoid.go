package nn

import (
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// sigmoid is SigLIP's loss of a B×B matrix ℓ whose diagonal holds the true pairs, with y = 1 there and −1 elsewhere:
//
//	−1/B Σ_sr log sigmoid(y_sr (τ ℓ_sr + b))
//
// The papers print the bias with a minus; the sign here is that of SigLIP's program, where b begins at −10. Pairs that the
// mask hides are left out of the sum.
type sigmoid[F device.Float] struct {
	mask *mask
	g    device.Matrix[F]
}

// loss returns the loss and its gradients: g with respect to τℓ, the receiver's memory until the next call, and dBias.
func (s *sigmoid[F]) loss(ell device.Matrix[F], tau, bias float64) (loss float64, g device.Matrix[F], dBias float64) {
	batch := ell.Rows
	s.g = device.Matrix[F]{Rows: batch, Columns: batch, Values: grow(s.g.Values, batch*batch)}
	for at, value := range ell.Values[:batch*batch] {
		if s.mask.hides(at/batch, at%batch) {
			s.g.Values[at] = 0
			continue
		}
		sign := -1.0
		if at%(batch+1) == 0 {
			sign = 1
		}
		h := sign * (tau*float64(value) + bias)
		loss -= special.LogSigmoid(h)
		slope := -sign * special.Sigmoid(-h) / float64(batch)
		s.g.Values[at] = F(slope)
		dBias += slope
	}
	return loss / float64(batch), s.g, dBias
}
