package adapter

import "gosphere/asymvlm/nn"

// SymVLM is the ablation of AsymVLM's section 5.2 that has networks on both sides (nn.symmetric). No program was released; the
// paper says "symmetrised log-likelihood", and the mutual likelihood is the other reading.
//
// Learned: a network as that of asymvlm-vmf on the raw texts and another on the raw images, η_T = κ_T μ_T and η_I = κ_I μ_I, and
// τ. With c = μ_I·μ_T,
//
//	symvlm         ℓ = ½ [log p_T(μ_I) + log p_I(μ_T)] = ½ [(κ_I+κ_T) c + F(κ_I) + F(κ_T)],  F the paper's closed form
//	symvlm-mutual  ℓ = log ∫ p_I p_T = log c_D(κ_I) + log c_D(κ_T) − log c_D(|η_I+η_T|),     c_D the exact normalizer
//
// both zero-based. Loss: InfoNCE of τℓ. Ranking: ℓ without τ. Uncertainty: 1/κ of either side; as queries, images have that of
// the text they retrieve, as in AsymVLM's program.
//
// Tables: none; figure 4 of AsymVLM's paper shows SymVLM. Defaults: those of asymvlm-vmf.
const (
	SymVLM       = "symvlm"        // symmetrised log-likelihood
	SymVLMMutual = "symvlm-mutual" // integral of both densities
)

// With images of length 1 it stayed at chance: reduced schedules give them the length of the texts.
var symVLM = learned{
	about:        About{ID: SymVLM, Title: "SymVLM", Paper: AsymVLMPaper, Tables: "Figure 4", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Symmetrized},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
	reduce: matchLengths,
}

// With κ about 0.6, where networks begin, the mutual likelihood of two texts is κκ′c/D to first order, D times smaller than
// the likelihood of the others; a first temperature of D makes up for it. From the program's start no rate helped.
var symVLMMutual = learned{
	about:        About{ID: SymVLMMutual, Title: "SymVLM, mutual likelihood", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Mutual},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
	reduce: func(o *Options) { o.MatchLengths, o.ScaledStart = true, true },
	start:  func(dimension int) (temperature, factor float64) { return float64(dimension), 0 },
}
