package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import "gosphere/asymvlm/device"

// PFE is PFE on frozen means.
var PFE Objective = &onFrozenMeans{
	name: "mutual-likelihood", of: properties{unmaskable: true, separate: true},
	loss32: newMutualLikelihood[float32], loss64: newMutualLikelihood[float64],
}

func newMutualLikelihood[F device.Float](b *builder[F]) varianceLoss[F] {
	return mutualLikelihood[F]{b.ops}
}

// mutualLikelihood is PFE as in AsymVLM's reference implementation: raw means, σ² = softplus of the
// output, and the loss over matching pairs only
//
//	mean_b Σ_j [ (μ_I−μ_T)²/s + log s ],  s = σ_I² + σ_T²
//
// The original for face embeddings uses one scale and shift for all variances.
type mutualLikelihood[F device.Float] struct{ ops device.Operations[F] }

func (mutualLikelihood[F]) described() device.TrainingLoss { return device.MatchedLoss{} }

func (mutualLikelihood[F]) unit() bool { return false }

func (m mutualLikelihood[F]) variances(sums []float64, _, outputs device.Matrix[F]) {
	m.ops.SoftplusSums(sums, outputs)
}

func (mutualLikelihood[F]) initialize() {}

func (mutualLikelihood[F]) scale() float64 { return 1 }

func (m mutualLikelihood[F]) gradient(b *varianceBatch[F]) (loss float64) {
	return m.ops.MatchedVariances(b.dOutputs, b.outputs, b.means)
}
