package adapter

import "gosphere/asymvlm/nn"

// ProbVLM (Upadhyay and others 2023) as in AsymVLM's reference implementation (nn.reconstruction).
//
// Learned, on either side: a trunk D-1024-1024-D with a residual connection, and three heads D-D-D
// on the sum, for μ, q = 1/α and β of a generalized Gaussian of every coordinate, with softplus on
// the last two. Inputs and targets are raw embeddings. With 1e-4 added to q and β in the loss, and
// r one of the two forms below,
//
//	L(y) = mean |μ−y| + 0.05 mean (r − log q + log Γ(1/β) − log β)
//	official  r = |μ−y| q β, clamped to 1e-4 … 1e3: no likelihood of a density
//	exact     r = (|μ−y| q)^β, |μ−y| not below 1e-6: the negative log-likelihood
//
// (gaussian.Generalized). Loss: L_I(x) + L_T(e) + 1e-4 [L_I(e) + L_T(x)]: the heads of each side
// against their own embeddings, x of images and e of texts, plus a small cross term. There are no
// wrong candidates, so nothing can be masked.
//
// Ranking: the cosine of the predicted μ. Uncertainty, from var = α² Γ(3/β)/Γ(1/β) with α =
// 1/(q+1e-5) clamped to 1e-4 … 5 and β+0.1 clamped to 0.1 … 5: official 1/mean var, as in AsymVLM's
// reference implementation, so a large predicted variance counts as certain; exact the mean of var.
// An image query has that of the text it retrieves.
//
// Tables: 1, A.2 and A.3 of the AsymVLM paper contain the official form, none the exact one.
// ProbVLM itself has a hidden width of 256, dropout and rectified heads, and uses the reciprocal
// for texts only; its scheduler is stepped once after the loop, and its levels drop an item at each
// boundary.
//
// Defaults: AdamW with rate 1e-4 and decay 5e-4. Options.Hidden is the width of the trunk; depths
// are fixed.
const (
	ProbVLM      = "probvlm"
	ProbVLMExact = "probvlm-exact"
)

var _ = builtIn(90, learned{
	about:        About{ID: ProbVLM, Title: "ProbVLM", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", Form: Official, First: "text.trunk.0.weight"},
	architecture: nn.Architecture{Objective: nn.ProbVLM, Optimizer: nn.AdamW},
	rate:         1e-4, decay: 5e-4, reducedRate: 5e-4, smallRate: 1.5e-3,
	reduce: matchLengths,
})

var _ = builtIn(150, learned{
	about:        About{ID: ProbVLMExact, Title: "ProbVLM, exact likelihood", Form: Exact, First: "text.trunk.0.weight"},
	architecture: nn.Architecture{Objective: nn.ProbVLMExact, Optimizer: nn.AdamW},
	rate:         1e-4, decay: 5e-4, reducedRate: 5e-4, smallRate: 1.5e-3,
	reduce: matchLengths,
})
