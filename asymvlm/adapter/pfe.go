package adapter

import "gosphere/asymvlm/nn"

// PFE is PFE* of AsymVLM's tables: probabilistic face embeddings (Shi and Jain 2019) as adapted by
// that paper's reference implementation (nn.frozen with nn.mutualLikelihood).
//
// Learned: a network like that of asymvlm-vmf on either side maps raw embeddings to variances σ² =
// softplus(output) of every coordinate; the means μ are the raw embeddings and do not change. Loss,
// over the pairs only, without ½ and ε:
//
//	mean over pairs of Σ_j [ (μ_I−μ_T)_j²/s_j + log s_j ],  s = σ_I² + σ_T²
//
// Ranking: the cosine of the means, hence the recall of zero-shot CLIP. Uncertainty: the mean of
// σ_T² over coordinates; an image query has that of the text it retrieves.
//
// Tables: 1, A.2 and A.3 of the AsymVLM paper. The original for faces learns one scale and one
// shift for all log variances, initialized to 1e-4 and −7, uses batches with several positives, and
// fuses by inverse variances. Errata: appendix B.5 says three layers, the reference implementation
// has four.
//
// Defaults: stochastic gradient descent with rate 1e-3, momentum 0.9, decay 5e-4.
const PFE = "pfe"

// If the given embeddings are close, both variances shrink to 0 and the loss becomes NaN. With the
// paper's rate that took 100 steps on the built-in scenes, so reduced schedules use a tenth of it.
var _ = builtIn(60, learned{
	about:        About{ID: PFE, Title: "PFE*", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.PFE},
	rate:         1e-3, decay: 5e-4, reducedRate: 1e-4, smallRate: 1e-4,
	reduce: matchLengths,
})
