package adapter

import "gosphere/asymvlm/nn"

// PFE is PFE* of AsymVLM's tables: probabilistic face embeddings (Shi and Jain 2019) as that paper's program adapts them
// (nn.frozen with nn.mutualLikelihood).
//
// Learned: a network as that of asymvlm-vmf on either side takes raw embeddings to variances σ² = softplus(output) of every
// coordinate; the means μ are the raw embeddings and stay. Loss, over the pairs alone, without ½ and ε:
//
//	mean over pairs of Σ_j [ (μ_I−μ_T)_j²/s_j + log s_j ],  s = σ_I² + σ_T²
//
// Ranking: the cosine of the means, hence the recall of zero-shot CLIP. Uncertainty: the mean of σ_T² over coordinates; an image
// as a query has that of the text it retrieves.
//
// Tables: 1, A.2 and A.3 of AsymVLM's paper. Face recognition itself learns one scale and one shift for all log variances, from
// 1e-4 and −7, over batches with several positives, and fuses by inverse variances. Errata: appendix B.5 says three layers, the
// program has four.
//
// Defaults: stochastic gradient descent with rate 1e-3, momentum 0.9, decay 5e-4.
const PFE = "pfe"

// Where the given embeddings are close, both variances shrink to nothing and then the loss to NaN: with the paper's rate that
// took 100 steps on the built-in scenes, hence a tenth of it in reduced schedules.
var pfe = learned{
	about:        About{ID: PFE, Title: "PFE*", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.MutualLikelihood},
	rate:         1e-3, decay: 5e-4, reducedRate: 1e-4, smallRate: 1e-4,
	reduce: matchLengths,
}
