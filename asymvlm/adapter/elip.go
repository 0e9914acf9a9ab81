package adapter

import "gosphere/asymvlm/nn"

// ELIP on cached embeddings (nn.bottleneck). Its program was not to be had; this follows the paper, whose adapters are behind
// every attention and MLP block of both encoders. What is left of them here is one for each side.
//
// Learned, on either side: an adapter D-D/2-D with ReLU beside the raw embedding, all its parameters from N(0, 0.001²); the sum is
// given length 1, v of an image and w of a text. Also ι, the factor of similarities ρ = ι v·w, from 1/0.07. For a query with the
// batch's M candidates, of which y is the right one, the evidence is exp ρ_j (ρ cut off at 20), α = 1 + exp ρ, S = Σ α:
//
//	elip      ψ(S) − ψ(α_y) + λ KL[Dir(α̃) ‖ Dir(1)],  α̃ = α but 1 at y,  λ = min(1, t/15) in epoch t, from 1
//	elip-itc  the cross-entropy of ρ: "ELIP w/o EV"
//
// the mean of both directions (evidence.Loss, in the form that does not cancel; nn.contrastive). elip masks nothing.
//
// Ranking: ρ. Uncertainty of elip: M/S of a query over the gallery, of images and of texts; it depends on M, so compare at equal
// M only. elip-itc has none: texts are binned by minus the length of their raw embedding.
//
// Tables: 1 to 7 of ELIP's paper are of encoders with adapters in every layer, and not of this. Errata of those tables: see package
// published. Equations (3) to (10) are right as printed.
//
// Defaults: AdamW with a constant rate of 5e-5, decay 0.02, 15 epochs, batches of 280. The adapters' width is not free: another
// Options.Hidden is refused.
const (
	ELIP    = "elip"
	ELIPITC = "elip-itc"
)

// An elipMethod is a method with the schedule of ELIP's paper.
type elipMethod struct{ learned }

var elipITC = elipMethod{learned{
	about:        About{ID: ELIPITC, Title: "ELIP w/o EV", Paper: ELIPPaper, First: "text.down.weight"},
	architecture: nn.Architecture{Objective: nn.EvidentialITC, Optimizer: nn.AdamW},
	rate:         5e-5, decay: 0.02, reducedRate: 1e-3, smallRate: 1e-3,
	reduce: matchLengths,
}}

// Published returns the schedule of ELIP's paper.
func (m elipMethod) Published() Options {
	o := m.learned.Published()
	o.Schedule, o.Epochs, o.Batch, o.FinalRate = "paper: 15 epochs, batch 280", 15, 280, m.rate
	return o
}

// Reduced returns 320 steps on the built-in scenes.
func (m elipMethod) Reduced() Options { return m.shortened(m.Published(), 20, 512, m.reducedRate) }

// An evidential is elip itself, with a reduced schedule of its own.
type evidential struct{ elipMethod }

var elip = evidential{elipMethod{learned{
	about:        About{ID: ELIP, Title: "ELIP", Paper: ELIPPaper, First: "text.down.weight"},
	architecture: nn.Architecture{Objective: nn.Evidential, Optimizer: nn.AdamW},
	rate:         5e-5, decay: 0.02, smallRate: 1e-3,
	reduce: matchLengths,
}}}

// Reduced returns batches of 64: among 512 candidates the divergence from no evidence outweighs the few thousand pairs, and all
// similarities fall to the same value; so did they with the paper's own schedule, in part.
func (m evidential) Reduced() Options { return m.shortened(m.Published(), 5, 64, m.rate) }
