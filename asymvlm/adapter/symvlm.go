package adapter

import "gosphere/asymvlm/nn"

// SymVLM is the ablation of section 5.2 of the AsymVLM paper that has networks on both sides
// (nn.symmetric). No reference implementation was released; the paper says "symmetrised
// log-likelihood", and the mutual likelihood is the other interpretation.
//
// Learned: a network like that of asymvlm-vmf on the raw texts and another on the raw images, η_T =
// κ_T μ_T and η_I = κ_I μ_I, and τ. With c = μ_I·μ_T,
//
//	symvlm         ℓ = ½ [log p_T(μ_I) + log p_I(μ_T)] = ½ [(κ_I+κ_T) c + F(κ_I) + F(κ_T)],  F the paper's closed form
//	symvlm-mutual  ℓ = log ∫ p_I p_T = log c_D(κ_I) + log c_D(κ_T) − log c_D(|η_I+η_T|),     c_D the exact normalizer
//
// both shifted to be 0 at κ = 0. Loss: InfoNCE of τℓ. Ranking: ℓ without τ. Uncertainty: 1/κ of
// either side; an image query has that of the text it retrieves, as in AsymVLM's reference
// implementation.
//
// Tables: none; figure 4 of the AsymVLM paper shows SymVLM. Defaults: those of asymvlm-vmf.
const (
	SymVLM       = "symvlm"        // symmetrized log-likelihood
	SymVLMMutual = "symvlm-mutual" // integral of the product of both densities
)

// With unit images recall stayed at chance, so reduced schedules rescale them to the norm of the
// texts.
var _ = builtIn(170, learned{
	about:        About{ID: SymVLM, Title: "SymVLM", Paper: AsymVLMPaper, Tables: "Figure 4", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Symmetrized},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
	reduce: matchLengths,
})

// With κ about 0.6, as at the start of training, the mutual likelihood of two texts is κκ′c/D to
// first order, which is D times smaller than the likelihood of the other methods. A first
// temperature of D compensates for it. From the default start no rate was sufficient.
var _ = builtIn(180, learned{
	about:        About{ID: SymVLMMutual, Title: "SymVLM, mutual likelihood", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Mutual},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
	reduce: func(o *Options) { o.MatchLengths, o.ScaledStart = true, true },
	start:  func(dimension int) (temperature, factor float64) { return float64(dimension), 0 },
})
