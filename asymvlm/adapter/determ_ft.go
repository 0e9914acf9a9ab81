package adapter

import "gosphere/asymvlm/nn"

// DeterministicFineTuning is "Determ. FT" of AsymVLM's paper: the network of asymvlm-vmf without a distribution. No program was
// released.
//
// Learned: the network of asymvlm_vmf.go on the raw texts, whose output is given length 1, μ, and τ from 1. Score
// (nn.cosine): ℓ = μ·x of a unit image x. Loss: InfoNCE of τℓ. Ranking: the cosine ℓ.
//
// Uncertainty: none in the paper. Texts are binned by minus the length of their raw embedding, the cheapest thing to compare
// with: encoders give vague texts shorter embeddings.
//
// Tables: 2, 3, A.4 and A.5 of AsymVLM's paper. Defaults: those of asymvlm-vmf.
const DeterministicFineTuning = "determ-ft"

var deterministicFineTuning = learned{
	about:        About{ID: DeterministicFineTuning, Title: "Determ. FT", Paper: AsymVLMPaper, Tables: "2, 3, A.4, A.5", First: "text.0.weight"},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.Cosine},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
}
