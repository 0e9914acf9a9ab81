package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
)

// symmetricGradient sets the gradients of the outputs of both networks, which are eta by Side, and
// of the numbers. It overwrites the log-likelihoods with their derivatives.
func (c *customLoss[F]) symmetricGradient(s *symmetric[F], eta [2]device.Matrix[F], ell, likeness, pulls device.Matrix[F]) (float64, error) {
	batch, loss, err := c.evaluate(ell.Rows,
		func(pairs int) *custom.Batch { return custom.NewSymmetricBatch(pairs, s.width(), len(c.numbers)) },
		func(b *custom.Batch) {
			for i := range b.Pairs() {
				widen(b.Natural[i], eta[Texts].Row(i))
				widen(b.NaturalImages[i], eta[Images].Row(i))
				widen(b.LogLikelihoods[i], ell.Row(i)[:b.Pairs()])
			}
		})
	if err != nil {
		return loss, err
	}
	for i, row := range batch.DLogLikelihoods {
		narrow(ell.Row(i), row)
	}
	s.gradient(ell, likeness, pulls, 1)
	for side, rows := range [2][][]float64{Texts: batch.DNatural, Images: batch.DNaturalImages} {
		for r, row := range rows {
			addScaled(s.dEta[side].Row(r), row, 1)
		}
	}
	return loss, nil
}

// reconstructionGradient sets the gradients of the heads of both sides, which are outputs by Side,
// and of the numbers. With the outputs r before softplus, 1/α = log(1+eʳ) and β = log(1+eʳ).
func (c *customLoss[F]) reconstructionGradient(towers [2]*tower[F], raw [2]device.Matrix[F], outputs [2]device.Heads[F]) (float64, error) {
	first := raw[Texts]
	batch, loss, err := c.evaluate(first.Rows,
		func(pairs int) *custom.Batch { return custom.NewGeneralizedBatch(pairs, first.Columns, len(c.numbers)) },
		func(b *custom.Batch) {
			for side, heads := range outputs {
				for i := range b.Pairs() {
					widen(b.Targets[side][i], raw[side].Row(i))
					widen(b.Means[side][i], heads[0].Row(i))
					for j := range first.Columns {
						b.LogScales[side][i][j] = -logSoftplus(float64(heads[1].Row(i)[j]))
						b.LogShapes[side][i][j] = logSoftplus(float64(heads[2].Row(i)[j]))
					}
				}
			}
		})
	if err != nil {
		return loss, err
	}
	for side, t := range towers {
		for i := range first.Rows {
			narrow(t.dOutputs[0].Row(i), batch.DMeans[side][i])
			for j := range first.Columns {
				scale, shape := float64(outputs[side][1].Row(i)[j]), float64(outputs[side][2].Row(i)[j])
				t.dOutputs[1].Row(i)[j] = F(-batch.DLogScales[side][i][j] * logSoftplusSlope(scale))
				t.dOutputs[2].Row(i)[j] = F(batch.DLogShapes[side][i][j] * logSoftplusSlope(shape))
			}
		}
	}
	return loss, nil
}
