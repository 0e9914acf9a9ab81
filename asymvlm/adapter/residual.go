package adapter

import "gosphere/asymvlm/nn"

// The residual adapters are the AsymVLM methods and determ-ft with one linear layer added to the
// identity instead of the network of three hidden layers. They are not in the paper. They are
// intended for sets of some hundred to some thousand pairs, for which the paper's network ends
// below the recall of the embeddings without training, because it must learn the embeddings'
// geometry from scratch.
//
// Learned: η = x + W·x + b of the raw text x, with W, D×D, and b, D, initialized to 0
// (nn.Architecture.Residual), and τ, initialized to 1. Before the first step η is the raw
// embedding, so the ranking of the cosine equals that of clip, and κ is the norm of the raw text.
// The weight decay pulls W and b toward 0, the adapter that changes nothing. The seed determines
// only the order of the pairs.
//
// Likelihood, loss and ranking: those of asymvlm_vmf.go, asymvlm_psd.go and determ_ft.go.
//
// Ranking: ℓ without τ. Uncertainty: 1/κ of a text; an image query has that of the text it
// retrieves. The cosine has none.
//
// Tables: none in a paper; RESULTS.md contains results on the data of this repository.
//
// Defaults: gradient descent with rate 0.01, momentum 0.9, decay 5e-4, as for asymvlm-vmf. The
// reduced and the small schedules use the rate among 0.001, 0.01, 0.03 and 0.1 with the largest R@1
// − S·R², summed over both directions and over the val splits of both built-in sets, with seed 0.
// On 400 pairs of COCO only 0.001 kept the recall of all three without training.
const (
	ResidualVonMisesFisher = "asymvlm-vmf-residual" // the likelihood of asymvlm-vmf
	ResidualPowerSpherical = "asymvlm-psd-residual" // the likelihood of asymvlm-psd
	ResidualCosine         = "determ-ft-residual"   // the cosine of determ-ft
)

var _ = builtIn(260, residual(ResidualVonMisesFisher, "AsymVLM_vMF, residual", nn.VonMisesFisher, 0.03))

var _ = builtIn(270, residual(ResidualPowerSpherical, "AsymVLM_PS, residual", nn.PowerSpherical, 0.03))

var _ = builtIn(280, residual(ResidualCosine, "Determ. FT, residual", nn.Cosine, 0.1))

// residual returns a residual method with a likelihood and the rate of its short schedules.
func residual(id, title string, likelihood nn.Likelihood, shortRate float64) learned {
	return learned{
		about:        About{ID: id, Title: title, First: "text.0.weight", Concentrated: likelihood != nn.Cosine},
		architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: likelihood, Residual: true},
		rate:         1e-2, decay: 5e-4, reducedRate: shortRate, smallRate: shortRate,
	}
}
