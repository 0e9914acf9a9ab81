package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import "gosphere/asymvlm/device"

// matching is the common part of PCME++ and ProLIP on frozen means: networks that compute l = log
// σ², and a loss that treats each pair separately, with a logit that is linear in the cosine of the
// means and in the sum of both traces Σ σ².
type matching[F device.Float] struct {
	ops     device.Operations[F]
	mask    *mask
	cosines device.Matrix[F]
	pairing[F]
	own, none [2][]F // factors of the gradients, by Side
}

func newMatching[F device.Float](b *builder[F]) matching[F] {
	return matching[F]{ops: b.ops, mask: b.mask}
}

func (matching[F]) unit() bool { return true }

// variances sets sums to the traces and leaves the variances in scratch.
func (m *matching[F]) variances(sums []float64, scratch, outputs device.Matrix[F]) {
	m.ops.Exponential(scratch, sums, outputs)
}

// matchingLogits holds the factors of a logit, or the derivatives with respect to them.
type matchingLogits struct {
	cosine, constant, traces float64
	weight                   float64 // of the loss
}

// pairs returns the loss and the derivatives with respect to the factors, and sets the gradients of
// the outputs.
func (m *matching[F]) pairs(b *varianceBatch[F], f matchingLogits) (loss float64, d matchingLogits) {
	batch := b.outputs[Texts].Rows
	m.cosines = device.Matrix[F]{Rows: batch, Columns: batch, Values: grow(m.cosines.Values, batch*batch)}
	m.ops.ProductRightTransposed(m.cosines, b.means[Images], b.means[Texts])
	logits := m.logits(batch)
	logits.Scale, logits.Weight, logits.Groups = F(f.cosine), F(f.weight), m.mask.groups()
	for i := range batch {
		logits.Rows[i] = F(f.constant + f.traces*b.sums[Images][i])
		logits.Columns[i] = F(f.traces * b.sums[Texts][i])
	}
	loss, d.cosine = separatePairs(m.ops, m.mask, m.cosines, logits, m.margins)
	for side, margins := range [2][]float64{Texts: m.margins.Columns, Images: m.margins.Rows} {
		m.own[side], m.none[side] = grow(m.own[side], batch), grow(m.none[side], batch)
		for i, sum := range margins {
			m.own[side][i], m.none[side][i] = F(f.traces*sum), 0
			d.traces += sum * b.sums[side][i]
			if Side(side) == Images {
				d.constant += sum
			}
		}
		// dOutputs holds the variances until Combine overwrites them.
		m.ops.Combine(b.dOutputs[side], b.dOutputs[side], m.own[side], m.none[side])
	}
	return loss, d
}
