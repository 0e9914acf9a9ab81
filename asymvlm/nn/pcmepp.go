package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// matchingProbability is PCME++ as AsymVLM's program has it: every pair of the batch matches with probability
// sigmoid(−a·CSD + b), the closed-form sampled distance being
//
//	CSD = |x−e|² + Σ σ_I² + Σ σ_T²
//
// and the loss is twice the mean cross-entropy over all B² pairs. Both a and b are trained from 5. PCME++ itself adds
// an information bottleneck, smoothing and mixed samples, which that program leaves out.
type matchingProbability[F device.Float] struct {
	logVariances
	ops  device.Operations[F]
	mask *mask
	a, b *tensor[F]
	csd  device.Matrix[F]
}

// firstMatching is the first value of both a and b.
const firstMatching = 5

func newMatchingProbability[F device.Float](b *builder[F]) *matchingProbability[F] {
	return &matchingProbability[F]{ops: b.ops, mask: b.mask, a: b.tensors.take("a"), b: b.tensors.take("b")}
}

func (m *matchingProbability[F]) initialize() {
	m.a.values[0], m.b.values[0] = firstMatching, firstMatching
}

func (m *matchingProbability[F]) scale() float64 { return m.a.number() }

func (m *matchingProbability[F]) gradient(means, outputs, dOutputs [2]device.Matrix[F]) (loss float64) {
	batch := outputs[Texts].Rows
	m.csd = device.Matrix[F]{Rows: batch, Columns: batch, Values: grow(m.csd.Values, batch*batch)}
	m.ops.ProductRightTransposed(m.csd, means[Images], means[Texts])
	ofTexts, ofImages := traces(outputs[Texts]), traces(outputs[Images])
	dTexts, dImages := make([]float64, batch), make([]float64, batch)
	a, b, share := m.a.number(), m.b.number(), 2/float64(batch*batch)
	var dA, dB float64
	for s := range batch {
		row := m.csd.Row(s)
		for r, cosine := range row {
			csd := 2 - 2*float64(cosine) + ofImages[s] + ofTexts[r]
			row[r] = F(csd)
			if m.mask.hides(s, r) {
				continue
			}
			sign := -1.0
			if r == s {
				sign = 1
			}
			h := sign * (b - a*csd)
			loss -= share * special.LogSigmoid(h)
			q := -share * sign * special.Sigmoid(-h)
			dA -= q * csd
			dB += q
			dImages[s] -= a * q
			dTexts[r] -= a * q
		}
	}
	m.a.gradient[0], m.b.gradient[0] = F(dA), F(dB)
	spread(dOutputs[Texts], outputs[Texts], dTexts)
	spread(dOutputs[Images], outputs[Images], dImages)
	return loss
}
