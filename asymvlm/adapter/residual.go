package adapter

import "gosphere/asymvlm/nn"

// The residual adapters add linear layers to the identity where the AsymVLM methods and determ-ft
// have networks of three hidden layers. They are not in the paper. They are intended for sets of
// some hundred to some thousand pairs, for which the paper's network ends below the recall of the
// embeddings without training, because it must learn their geometry from scratch.
//
// Learned (nn.Architecture.Residual): two parts, which are trained on the same batches. The ranker
// x + W·x + b of the raw text x minimizes the loss of determ-ft, and its direction is μ; W, D×D,
// and b, D, begin at 0, so that the first ranking is that of clip. The estimator minimizes the loss
// of its likelihood around μ, as a function of the direction u = x/|x| and the standardized
// logarithm r of the norm:
//
//	log κ = log 100 + a + v·r + w·u + u·A·u
//
// with A, D×D, w, D, a and v from 0, so that κ begins as 100 for all texts. Before revision 2, κ
// was the length of x + V·x + c, began as the norm of the text and stayed near it, also on sets
// where long texts fail more often. Both parts have a τ; that of the ranker begins at 1, and that
// of the estimator, whose logarithm is trained, at 0.3. determ-ft-residual is the ranker alone. The
// seed determines only the order of the pairs.
//
// Likelihood and loss: those of asymvlm_vmf.go, asymvlm_psd.go and determ_ft.go. To the ranker's
// loss on n pairs is added ½·λ·(‖W‖² + ‖b‖²), λ = 4000/n, as from a normal prior, and to that of
// the estimator ½·λ·(‖A‖² + ‖w‖² + v²), λ = 10/n.
//
// Ranking: the cosine of μ, so the three adapters have the same recall; by RankLikelihood ℓ without
// τ. Uncertainty: 1/κ of a text, and for an image query the entropy of the estimator's posterior
// over the texts, p(t|v) ∝ exp(τℓ(v, t)), which depends on the gallery. The cosine has none.
// Revision 2 gave an image query 1/κ of the text it retrieves, as the other methods do. On the
// training parts of the built-in sets that order was the wrong one. Tables: none in a paper;
// RESULTS.md contains results on the data of this repository.
//
// In the loss, the softmax over the images of a text identifies only τκ, the sharpness of that
// text's answers, and the softmax over the texts of an image identifies κ apart from τ, through the
// normalizer. With τ = 1 or without the second softmax, κ ordered texts worse in a cross-validation
// over images of the training parts.
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

// firstConcentration is κ of all texts before the first step. At κ of the size of the dimension a
// change of κ makes a text's likelihood sharper or flatter. Far below it, it adds nearly the same
// to the likelihoods of all images, and κ learns how often a text is retrieved: beginning at 10,
// the order of the captions of world is the wrong one. A user-defined loss, or another
// first temperature, that ends with a mean below a tenth of it is ErrCollapsed: at a temperature
// that is too large for this start the slopes are so large that the first steps take κ to 0.
const firstConcentration = 100

// concentrationDecay returns the factor of the penalty on the weights of κ for a number of pairs.
func concentrationDecay(pairs int) float64 { return 10 / float64(max(pairs, 400)) }

// headed reports whether a method learns κ apart from its outputs, as residual adapters do from
// revision 2.
func headed(m learned, shape Shape) bool {
	return m.architecture.Residual && m.about.Concentrated && shape.Revision >= 2
}

// residual returns a residual method with a likelihood. Revision 0 had one layer for both and no
// penalty; in revision 1, κ was the length of the estimator's outputs; until revision 2, validation
// measured image queries by the concentration of the text that they retrieve.
func residual(id, title string, likelihood nn.Likelihood) learned {
	return learned{
		about:        About{ID: id, Title: title, First: "text.0.weight", Revision: 3, Concentrated: likelihood != nn.Cosine},
		architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: likelihood, Residual: true},
		rate:         1e-2, decay: 5e-4, reducedRate: 0.03, smallRate: 0.03,
	}
}
