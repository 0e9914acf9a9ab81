package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import "gosphere/asymvlm/device"

// PCMEPP is PCME++ on frozen means.
var PCMEPP Objective = &onFrozenMeans{
	name: "matching-probability", of: properties{unit: [2]bool{true, true}},
	loss32: newMatchingProbability[float32], loss64: newMatchingProbability[float64],
}

// matchingProbability is PCME++ as in AsymVLM's reference implementation: every pair of the batch
// matches with probability sigmoid(−a·CSD + b), where the closed-form sampled distance is
//
//	CSD = |x−e|² + Σ σ_I² + Σ σ_T²
//
// and the loss is twice the mean cross-entropy over all B² pairs. Both a and b are trained from 5.
// PCME++ itself adds an information bottleneck, label smoothing and mixed samples, which the
// reference implementation omits.
type matchingProbability[F device.Float] struct {
	matching[F]
	a, b *tensor[F]
}

// firstMatching is the initial value of a and b.
const firstMatching = 5

func newMatchingProbability[F device.Float](b *builder[F]) varianceLoss[F] {
	return &matchingProbability[F]{matching: newMatching(b), a: b.tensors.take("a"), b: b.tensors.take("b")}
}

func (m *matchingProbability[F]) described() device.TrainingLoss { return device.MatchingLoss{} }

func (m *matchingProbability[F]) initialize() {
	m.a.values[0], m.b.values[0] = firstMatching, firstMatching
}

func (m *matchingProbability[F]) scale() float64 { return m.a.number() }

// gradient uses that for unit means CSD = 2 − 2c + S for a cosine c and the sum S of the traces, so
// that the logit is 2a·c + b − 2a − a·S.
func (m *matchingProbability[F]) gradient(b *varianceBatch[F]) (loss float64) {
	a, size := m.a.number(), float64(b.outputs[Texts].Rows)
	loss, d := m.pairs(b, matchingLogits{cosine: 2 * a, constant: m.b.number() - 2*a, traces: -a, weight: 2 / (size * size)})
	m.a.gradient[0] = F(2*d.cosine - 2*d.constant - d.traces)
	m.b.gradient[0] = F(d.constant)
	return loss
}
