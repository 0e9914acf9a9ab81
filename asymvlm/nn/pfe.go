package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// mutualLikelihood is PFE as AsymVLM's program has it: raw means, σ² = softplus of the output, and over matching pairs
// only
//
//	mean_b Σ_j [ (μ_I−μ_T)²/s + log s ],  s = σ_I² + σ_T²
//
// Face embeddings, where it comes from, used one scale and shift for all variances instead.
type mutualLikelihood[F device.Float] struct{}

func (mutualLikelihood[F]) unit() bool { return false }

func (mutualLikelihood[F]) variance(output float64) float64 { return special.Softplus(output) }

func (mutualLikelihood[F]) initialize() {}

func (mutualLikelihood[F]) scale() float64 { return 1 }

func (mutualLikelihood[F]) gradient(means, outputs, dOutputs [2]device.Matrix[F]) (loss float64) {
	batch := float64(outputs[Texts].Rows)
	for at, text := range outputs[Texts].Values {
		text, image := float64(text), float64(outputs[Images].Values[at])
		apart := float64(means[Images].Values[at]) - float64(means[Texts].Values[at])
		s := special.Softplus(text) + special.Softplus(image)
		far := apart * apart / s
		loss += far + math.Log(s)
		slope := (1 - far) / (s * batch)
		dOutputs[Texts].Values[at] = F(slope * special.Sigmoid(text))
		dOutputs[Images].Values[at] = F(slope * special.Sigmoid(image))
	}
	return loss / batch
}
