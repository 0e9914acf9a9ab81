package adapter

import "gosphere/asymvlm/nn"

// The residual adapters are the AsymVLM methods and determ-ft with one linear layer beside the identity in the place of the network of
// three hidden layers. They are not in the paper. They are for sets of some hundred to some thousand pairs, on which the paper's network
// ends below the recall of the embeddings without training, because it has to learn the embeddings' geometry anew.
//
// Learned: η = x + W·x + b of the raw text x, with W, D×D, and b, D, from 0 (nn.Architecture.Residual), and τ from 1. Before the first
// step η is the raw embedding, so that the ranking is that of clip for the cosine, and κ is the length of the raw text. The weight decay
// pulls W and b to 0, which is the adapter that changes nothing. The seed decides on the order of the pairs alone.
//
// Likelihood, loss and ranking: those of asymvlm_vmf.go, asymvlm_psd.go and determ_ft.go.
//
// Ranking: ℓ without τ. Uncertainty: 1/κ, and of images that of the text they retrieve; none for the cosine.
//
// Tables: none of a paper; RESULTS.md has them on the data of this repository.
//
// Defaults: gradient descent with rate 0.01, momentum 0.9, decay 5e-4, as asymvlm-vmf. Of the rates 0.001, 0.01, 0.03 and 0.1, the
// reduced and the small schedule have the one with the largest R@1 − S·R², summed over both directions and over the val splits of both
// built-in sets, with seed 0. On 400 pairs of COCO only 0.001 kept the recall of all three without training.
const (
	ResidualVonMisesFisher = "asymvlm-vmf-residual" // the likelihood of asymvlm-vmf
	ResidualPowerSpherical = "asymvlm-psd-residual" // the likelihood of asymvlm-psd
	ResidualCosine         = "determ-ft-residual"   // the cosine of determ-ft
)

var residualVonMisesFisher = residual(ResidualVonMisesFisher, "AsymVLM_vMF, residual", nn.VonMisesFisher, 0.03)

var residualPowerSpherical = residual(ResidualPowerSpherical, "AsymVLM_PS, residual", nn.PowerSpherical, 0.03)

var residualCosine = residual(ResidualCosine, "Determ. FT, residual", nn.Cosine, 0.1)

// residual is a residual method with a likelihood and the rate of its short schedules.
func residual(id, title, likelihood string, shortRate float64) learned {
	return learned{
		about:        About{ID: id, Title: title, First: "text.0.weight", Concentrated: likelihood != nn.Cosine},
		architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: likelihood, Residual: true},
		rate:         1e-2, decay: 5e-4, reducedRate: shortRate, smallRate: shortRate,
	}
}
