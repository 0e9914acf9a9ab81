package adapter

import "gosphere/asymvlm/nn"

// CLIPEnsemble is the baseline of the ELIP paper (section 5): five pairs of the adapters of
// elip-itc (elip.go) with independent weights, trained independently on the same batches
// (nn.ensemble).
//
// Loss: the sum of the members' cross-entropies of ρ = ι v·w. Ranking: the mean of the members'
// cosines. Uncertainty of a query: the population variance over the members of its cosine with the
// item it retrieves; the paper has no formula. Single texts have no uncertainty and are assigned
// minus the norm of their raw embedding.
//
// Tables: 1 to 7 of the ELIP paper are for encoders with adapters in every layer, not for this
// method. Defaults: those of elip.
const CLIPEnsemble = "clip-ensemble"

var _ = builtIn(250, elipMethod{learned{
	about:        About{ID: CLIPEnsemble, Title: "CLIP-ensemble", Paper: ELIPPaper, First: "member.0.text.down.weight"},
	architecture: nn.Architecture{Objective: nn.Ensemble, Optimizer: nn.AdamW},
	rate:         5e-5, decay: 0.02, reducedRate: 1e-3, smallRate: 1e-3,
	reduce: matchLengths,
}})
