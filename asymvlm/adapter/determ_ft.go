package adapter

import "gosphere/asymvlm/nn"

// DeterministicFineTuning is "Determ. FT" of the AsymVLM paper: the network of asymvlm-vmf without
// a distribution. No reference implementation was released.
//
// Learned: the network of asymvlm_vmf.go on the raw texts, whose normalized output is μ, and τ,
// initialized to 1. Score (nn.cosine): ℓ = μ·x for a unit image x. Loss: InfoNCE of τℓ. Ranking:
// the cosine ℓ.
//
// Uncertainty: none in the paper. Texts are binned by minus the norm of their raw embedding, which
// is the simplest baseline because encoders map vague texts to embeddings with smaller norms.
//
// Tables: 2, 3, A.4 and A.5 of the AsymVLM paper. Defaults: those of asymvlm-vmf.
const DeterministicFineTuning = "determ-ft"

var _ = builtIn(30, learned{
	about:        About{ID: DeterministicFineTuning, Title: "Determ. FT", Paper: AsymVLMPaper, Tables: "2, 3, A.4, A.5", First: "text.0.weight"},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.Cosine},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
})
