package adapter

import "gosphere/asymvlm/nn"

// PCMEpp is PCME++* of AsymVLM's tables: PCME++ (Chun 2024) as adapted by that paper's reference
// implementation (nn.frozen with nn.matchingProbability).
//
// Learned: a network like that of asymvlm-vmf on either side maps unit embeddings to log variances
// l = log σ² (called "std" in the reference implementation); the means are those unit embeddings
// and do not change. Also learned are a and b, both initialized to 5. The closed-form sampled
// distance of image x and text e is
//
//	CSD = |x−e|² + Σ_j exp l_I + Σ_j exp l_T
//
// and the loss is twice the mean over all B² pairs of the cross-entropy of sigmoid(−a·CSD + b), 1
// for pairs and 0 otherwise. The information bottleneck, the label smoothing and the mixed samples
// of PCME++ itself have weight 0.
//
// Ranking: the cosine of the means, hence the recall of zero-shot CLIP; PCME++ itself ranks by
// −CSD, see Options.Ranking. Uncertainty: the mean of exp l_T; an image query has that of the text
// it retrieves.
//
// Tables: 1, A.2 and A.3 of the AsymVLM paper. Errata: table A.1 prints stochastic gradient
// descent, the reference implementation has AdamW; PFE* and PCME++* should rank identically (0.680
// and 0.679 on Flickr) but differ by the remainder of the levels.
//
// Defaults: AdamW with rate 5e-4 and decay 1e-4. PCME++ itself uses AdamP (nn.AdamP), which
// Options.Optimizer accepts.
const PCMEpp = "pcmepp"

var _ = builtIn(70, learned{
	about:        About{ID: PCMEpp, Title: "PCME++*", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.PCMEPP, Optimizer: nn.AdamW},
	rate:         5e-4, decay: 1e-4, reducedRate: 5e-4, smallRate: 2e-3,
})
