package adapter

import "gosphere/asymvlm/nn"

// ProLIP (Chun and others 2025) on cached embeddings (nn.frozen with nn.probabilisticPairs).
//
// Learned: as in pcmepp.go, networks on unit embeddings compute l = log σ² on either side, and the
// means do not change. Loss: the pairwise contrastive loss, with y = 1 for pairs and −1 otherwise,
//
//	PPCL = −1/B Σ_sr log sigmoid(y_sr (a (x·e − ½ Σ σ_I² − ½ Σ σ_T²) + b))
//
// plus w times the information bottleneck of either side, the mean over batch and coordinates of
//
//	exact     −½ (1 + l − μ² − exp l)      = KL(N(μ, σ²) ‖ N(0, 1))
//	official   ½ (μ² + exp(l/2) − 1 − l/2)    which halves l first and is no divergence for l = log σ²
//
// dropped above 1e4 (gaussian.Bottleneck), and in the full forms α times the inclusion of images in
// texts, the mean over batch and coordinates of −log sigmoid(c·H), dropped above 1e5
// (gaussian.Inclusion), with H(I in T) = inc(I,T) − inc(T,I) and, for variances u, v and the
// difference D of the means,
//
//	exact     inc = −log u − ½ log v − ½ log(1/u + 1/(2v)) − exp(eps) D²/(u+2v)
//	official  the same with −2 log u − log v, as equation (3) prints it
//
//	prolip                official bottleneck, w = 1e-5, a = 1, b = 0, no inclusion: AsymVLM's reference implementation
//	prolip-exact          the same with the exact bottleneck
//	prolip-full           exact bottleneck and inclusion; log a from log 10 and b from −10 are trained; w = 1e-4, α = 0.1, eps −2, c 10
//	prolip-full-official  the same with the official bottleneck and inclusion
//
// ProLIP's own α = 1e-7, eps = −20 and c = 1000 have no effect on embeddings of this size. H has
// the sign of v−u per coordinate for any means: it orders variances. The loss of masked inputs
// needs their embeddings, which are not cached.
//
// Ranking: the cosine of the means, hence the recall of zero-shot CLIP; ProLIP itself ranks by the
// cosine minus ½ Σ σ² of the candidate, see Options.Ranking. Uncertainty: the mean of exp l_T; an
// image query has that of the text it retrieves.
//
// Tables: 1, A.2 and A.3 of the AsymVLM paper contain prolip; none contains the others. Errata:
// equation (1) means Σ(σ₁²+σ₂²); equation (2) prints b with the other sign; equation (3) doubles
// the log variances; table A.1 omits ProLIP; with frozen means the R@1 of 0.678 in A.3 is
// impossible.
//
// Defaults: AdamW with rate 5e-4 and decay 5e-4.
const (
	ProLIP             = "prolip"
	ProLIPExact        = "prolip-exact"
	ProLIPFull         = "prolip-full"
	ProLIPFullOfficial = "prolip-full-official"
)

var _ = builtIn(80, learned{
	about:        About{ID: ProLIP, Title: "ProLIP", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", Form: Official, First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.ProLIP, Optimizer: nn.AdamW},
	rate:         5e-4, decay: 5e-4, reducedRate: 5e-4, smallRate: 2e-3,
})

var _ = builtIn(120, learned{
	about:        About{ID: ProLIPExact, Title: "ProLIP, exact bottleneck", Form: Exact, First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.ProLIPExact, Optimizer: nn.AdamW},
	rate:         5e-4, decay: 5e-4, reducedRate: 5e-4, smallRate: 2e-3,
})

var _ = builtIn(130, learned{
	about:        About{ID: ProLIPFull, Title: "ProLIP with inclusion", Form: Exact, First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.ProLIPFull, Optimizer: nn.AdamW},
	rate:         5e-4, decay: 5e-4, reducedRate: 5e-4, smallRate: 2e-3,
})

var _ = builtIn(140, learned{
	about:        About{ID: ProLIPFullOfficial, Title: "ProLIP with inclusion, as its program", Form: Official, First: "text.0.weight", Gaussian: true},
	architecture: nn.Architecture{Objective: nn.ProLIPFullOfficial, Optimizer: nn.AdamW},
	rate:         5e-4, decay: 5e-4, reducedRate: 5e-4, smallRate: 2e-3,
})
