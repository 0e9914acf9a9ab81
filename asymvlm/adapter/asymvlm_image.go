package adapter

import (
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// AsymVLMImage is the ablation AsymVLM(image) of AsymVLM's section 5.2: the network is on the images, and texts keep their
// embedding with length 1. No program was released; this is the mirror image of asymvlm-vmf (asymvlm_vmf.go).
//
// Learned: the network of asymvlm-vmf takes the raw embedding of an image to η, κ = |η| (nn.asymmetric with its side turned),
// and τ. Likelihood of a unit text e: ℓ(η, e) = η·e + F(κ) with the paper's closed form F. Loss: InfoNCE of τℓ.
//
// Ranking: ℓ without τ. Uncertainty of an image: 1/κ; a text as a query has that of the image it retrieves, and by itself none
// (ErrNoTextUncertainty).
//
// Tables: none; figure 4 of AsymVLM's paper shows it, trained and measured on CC-200k. Defaults: those of asymvlm-vmf.
const AsymVLMImage = "asymvlm-image"

// An imageNetwork is a method whose texts have no uncertainty of their own.
type imageNetwork struct{ learned }

// In vectors of length 1 the network sees hardly more than its own biases, so reduced schedules give images the texts' length;
// with images of length 1 it nearly stayed at chance.
var asymVLMImage = imageNetwork{learned{
	about:        About{ID: AsymVLMImage, Title: "AsymVLM(image)", Paper: AsymVLMPaper, Tables: "Figure 4", First: "image.0.weight"},
	architecture: nn.Architecture{Objective: nn.ContrastiveImages, Likelihood: nn.VonMisesFisher},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
	reduce: matchLengths,
}}

// Uncertainty is ErrNoTextUncertainty.
func (imageNetwork) Uncertainty(embedding.Matrix, nn.Representation) ([]float64, error) {
	return nil, ErrNoTextUncertainty
}
