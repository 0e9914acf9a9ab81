package adapter

import "gosphere/asymvlm/nn"

// The residual adapters add linear layers to the identity where the AsymVLM methods and determ-ft
// have networks of three hidden layers. They are not in the paper. They are intended for sets of
// some hundred to some thousand pairs, for which the paper's network ends below the recall of the
// embeddings without training, because it must learn their geometry from scratch.
//
// Learned (nn.Architecture.Residual): two layers, which are trained on the same batches. The
// estimator x + V·x + c of the raw text x minimizes the loss of its likelihood, and its length is
// κ. The ranker x + W·x + b minimizes that of determ-ft, and its direction is μ. Both have a τ,
// initialized to 1; V and W, D×D, and b and c, D, begin at 0, so that the first ranking is that of
// clip, and κ the norm of the raw text. determ-ft-residual is the ranker alone. The seed determines
// only the order of the pairs.
//
// Likelihood and loss: those of asymvlm_vmf.go, asymvlm_psd.go and determ_ft.go. To the ranker's
// loss on n pairs is added ½·λ·(‖W‖² + ‖b‖²), λ = 4000/n, as from a normal prior.
//
// Ranking: the cosine of μ, so the three adapters have the same recall; by RankLikelihood ℓ without
// τ. Uncertainty: 1/κ of a text; an image query has that of the text it retrieves. The cosine has
// none. Tables: none in a paper; RESULTS.md contains results on the data of this repository.
//
// Defaults: gradient descent with rate 0.01, momentum 0.9, decay 5e-4, as for asymvlm-vmf, and rate
// 0.03 in the reduced and the small schedules. λ·n is the one of 1000, 2000, 4000, 8000 and 16000
// with the largest Recall@1 of those that lost none from text to image on any built-in set, in a
// cross-validation with five folds over the images of the training part (seed 0).
const (
	ResidualVonMisesFisher = "asymvlm-vmf-residual" // the likelihood of asymvlm-vmf
	ResidualPowerSpherical = "asymvlm-psd-residual" // the likelihood of asymvlm-psd
	ResidualCosine         = "determ-ft-residual"   // the cosine of determ-ft
)

var _ = builtIn(260, residual(ResidualVonMisesFisher, "AsymVLM_vMF, residual", nn.VonMisesFisher))

var _ = builtIn(270, residual(ResidualPowerSpherical, "AsymVLM_PS, residual", nn.PowerSpherical))

var _ = builtIn(280, residual(ResidualCosine, "Determ. FT, residual", nn.Cosine))

// rankerDecay returns λ for a number of pairs. Below 400 it stays the same, so that steps do not
// overshoot.
func rankerDecay(pairs int) float64 { return 4000 / float64(max(pairs, 400)) }

// residual returns a residual method with a likelihood. Revision 0 had one layer for both and no
// penalty.
func residual(id, title string, likelihood nn.Likelihood) learned {
	return learned{
		about:        About{ID: id, Title: title, First: "text.0.weight", Revision: 1, Concentrated: likelihood != nn.Cosine},
		architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: likelihood, Residual: true},
		rate:         1e-2, decay: 5e-4, reducedRate: 0.03, smallRate: 0.03,
	}
}
