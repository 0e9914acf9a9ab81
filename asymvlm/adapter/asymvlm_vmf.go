package adapter

import "gosphere/asymvlm/nn"

// AsymVLM with the von Mises–Fisher density (AsymVLM paper, sections 4.1 to 4.3), and its variants.
//
// Learned: a network D-1024-1024-1024-D with ReLU between layers (nn.asymmetric) maps the raw,
// unnormalized embedding of a text to η; κ = |η| is the concentration of the text and μ = η/κ its
// direction, without softplus, bound or ε. Images keep their embedding, normalized: x. The
// temperature τ is also learned, as a plain scalar initialized to 1.
//
// Likelihood (nn.vonMisesFisher), up to a constant that does not affect InfoNCE:
//
//	ℓ(x, η) = η·x + F(κ),  F(κ) − F(0) = Σ_b (a/2) log(1 + t/(a+b)) − t/2,  t = κ²/(√(b²+κ²)+b), b ∈ {a, a+1}, a = (D−1)/2
//
// F is the closed form of the paper's equation (4), correct as printed, which replaces log c_D(κ) =
// (D/2−1) log κ − log I_{D/2−1}(κ) + const; its error is at most 0.0966 (sphere.PaperNormalizer).
// asymvlm-vmf-exact uses log c_D itself (sphere.VonMisesFisherNormalizer).
//
// Loss (nn.contrastive, the paper's equation (6)): half the mean over images of the cross-entropy
// of τℓ over the texts of the batch, plus half the mean over texts of the cross-entropy over its
// images. κ and τ trade off against each other in this loss, so κ orders texts but is not a
// calibrated concentration. The siglip-* ids use the loss of appendix A.3 instead, −1/B Σ_sr log
// sigmoid(y_sr (τℓ_sr + b)) with y = 1 for pairs and −1 otherwise (nn.sigmoid). There b is trained
// from −10, and τ from 1 as in AsymVLM's reference implementation, or as log τ from log 10 as in
// SigLIP's.
//
// Ranking: ℓ with the normalizer and without τ. Uncertainty of a text: u = 1/κ; an image query has
// that of the text it retrieves.
//
// Tables: 1, 2, 3 and A.2 to A.5 of the AsymVLM paper contain asymvlm-vmf. No table contains the
// exact normalizer or, as far as A.3 indicates, SigLIP's loss: "SigLIP embeddings" most plainly
// means InfoNCE on other embeddings. Errata: table 1 exchanges its headings T2I and I2T (A.2 is
// right); appendix B.1 says two hidden layers, the reference implementation has three; A.3 and the
// SigLIP paper print the bias with a minus, and the sign here is that of SigLIP's implementation.
//
// Defaults: stochastic gradient descent with rate 0.01, momentum 0.9, and decay 5e-4 on all
// parameters, including biases and τ.
const (
	AsymVLMVonMisesFisher      = "asymvlm-vmf"       // the paper's closed-form normalizer
	AsymVLMVonMisesFisherExact = "asymvlm-vmf-exact" // the exact normalizer; not in the paper
	SigLIPVonMisesFisher       = "siglip-vmf"        // SigLIP's loss, τ initialized to 1
	SigLIPVonMisesFisherLog    = "siglip-vmf-logtau" // SigLIP's loss, log τ initialized to log 10
)

var asymVLMVonMisesFisher = builtIn(10, learned{
	about:        About{ID: AsymVLMVonMisesFisher, Title: "AsymVLM_vMF", Paper: AsymVLMPaper, Tables: "1, 2, 3, A.2, A.3, A.4, A.5", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.VonMisesFisher},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
})

var _ = builtIn(50, learned{
	about:        About{ID: AsymVLMVonMisesFisherExact, Title: "AsymVLM_vMF, exact normalizer", Form: Exact, First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.VonMisesFisherExact},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
})

// Reduced schedules of SigLIP's loss use AdamW, as SigLIP's implementation does. Starting from a
// bias of −10, plain gradient descent raises all pairs together until the temperature becomes
// negative (ErrMirrored); at rates too low for that it learns almost nothing.
var _ = builtIn(200, learned{
	about:        About{ID: SigLIPVonMisesFisher, Title: "AsymVLM_vMF, SigLIP's loss", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Sigmoid, Likelihood: nn.VonMisesFisher},
	rate:         1e-2, decay: 5e-4, reducedRate: 1e-3, smallRate: 2e-3,
	reduce: descendWithAdam,
})

var _ = builtIn(220, learned{
	about:        About{ID: SigLIPVonMisesFisherLog, Title: "AsymVLM_vMF, SigLIP's loss with log τ", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.SigmoidLog, Likelihood: nn.VonMisesFisher},
	rate:         1e-2, decay: 5e-4, reducedRate: 5e-4, smallRate: 1e-3,
	reduce: descendWithAdam,
})
