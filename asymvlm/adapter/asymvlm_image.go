package adapter

import (
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// AsymVLMImage is the ablation AsymVLM(image) of section 5.2 of the AsymVLM paper: the network
// adapts the images, and texts keep their embedding, normalized. No reference implementation was
// released; this is the mirror image of asymvlm-vmf (asymvlm_vmf.go).
//
// Learned: the network of asymvlm-vmf maps the raw embedding of an image to η, κ = |η|
// (nn.asymmetric with the sides exchanged), and τ. Likelihood of a unit text e: ℓ(η, e) = η·e +
// F(κ) with the paper's closed form F. Loss: InfoNCE of τℓ.
//
// Ranking: ℓ without τ. Uncertainty of an image: 1/κ. A text query has that of the image it
// retrieves; a single text has none (ErrNoTextUncertainty).
//
// Tables: none; figure 4 of the AsymVLM paper shows it, trained and measured on CC-200k. Defaults:
// those of asymvlm-vmf.
const AsymVLMImage = "asymvlm-image"

// An imageNetwork is a method without an uncertainty of single texts.
type imageNetwork struct{ learned }

// For unit inputs the network output depends on little more than its biases, so reduced schedules
// rescale images to the norm of the texts. With unit images recall stayed near chance.
var _ = builtIn(160, imageNetwork{learned{
	about:        About{ID: AsymVLMImage, Title: "AsymVLM(image)", Paper: AsymVLMPaper, Tables: "Figure 4", First: "image.0.weight"},
	architecture: nn.Architecture{Objective: nn.ContrastiveImages, Likelihood: nn.VonMisesFisher},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
	reduce: matchLengths,
}})

// Uncertainty returns ErrNoTextUncertainty.
func (imageNetwork) Uncertainty(embedding.Matrix, nn.Representation) ([]float64, error) {
	return nil, ErrNoTextUncertainty
}
