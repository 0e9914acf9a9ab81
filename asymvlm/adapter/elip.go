package adapter

import "gosphere/asymvlm/nn"

// ELIP on cached embeddings (nn.bottleneck). No reference implementation is available. This
// implementation follows the paper, whose adapters follow every attention and MLP block of both
// encoders; on cached embeddings there is one adapter for each side.
//
// Learned, on either side: an adapter D-D/2-D with ReLU in parallel with the raw embedding, all its
// parameters initialized from N(0, 0.001²); the sum is normalized to v for an image and w for a
// text. Also learned is ι, the factor of similarities ρ = ι v·w, initialized to 1/0.07. For a query
// with the batch's M candidates, of which y is the right one, the evidence is exp ρ_j (ρ clamped at
// 20), α = 1 + exp ρ, S = Σ α:
//
//	elip      ψ(S) − ψ(α_y) + λ KL[Dir(α̃) ‖ Dir(1)],  α̃ = α but 1 at y,  λ = min(1, t/15) in epoch t, from 1
//	elip-itc  the cross-entropy of ρ: "ELIP w/o EV"
//
// averaged over both directions (evidence.Loss, in the form without cancellation; nn.contrastive).
// elip masks nothing.
//
// Ranking: ρ. Uncertainty of elip: M/S of a query over the gallery, for images and texts. It
// depends on M, so compare values only at equal M. elip-itc has none: texts are binned by minus the
// norm of their raw embedding.
//
// Tables: 1 to 7 of the ELIP paper are for encoders with adapters in every layer, not for this
// method. See package published for their errata. Equations (3) to (10) are right as printed.
//
// Defaults: AdamW with a constant rate of 5e-5, decay 0.02, 15 epochs, batches of 280. The width of
// the adapters is fixed: another Options.Hidden is rejected.
const (
	ELIP    = "elip"
	ELIPITC = "elip-itc"
)

// An elipMethod is a method with the schedule of the ELIP paper.
type elipMethod struct{ learned }

var _ = builtIn(240, elipMethod{learned{
	about:        About{ID: ELIPITC, Title: "ELIP w/o EV", Paper: ELIPPaper, First: "text.down.weight"},
	architecture: nn.Architecture{Objective: nn.EvidentialITC, Optimizer: nn.AdamW},
	rate:         5e-5, decay: 0.02, reducedRate: 1e-3, smallRate: 1e-3,
	reduce: matchLengths,
}})

// Published returns the schedule of the ELIP paper.
func (m elipMethod) Published() Options {
	o := m.learned.Published()
	o.Label, o.Epochs, o.Batch, o.FinalRate = "paper: 15 epochs, batch 280", 15, 280, m.rate
	return o
}

// Reduced returns 320 steps on the built-in scenes.
func (m elipMethod) Reduced() Options { return m.shortened(m.Published(), 20, 512, m.reducedRate) }

// An evidential is elip, which has a different reduced schedule.
type evidential struct{ elipMethod }

var _ = builtIn(230, evidential{elipMethod{learned{
	about:        About{ID: ELIP, Title: "ELIP", Paper: ELIPPaper, First: "text.down.weight"},
	architecture: nn.Architecture{Objective: nn.Evidential, Optimizer: nn.AdamW},
	rate:         5e-5, decay: 0.02, smallRate: 1e-3,
	reduce: matchLengths,
}}})

// Reduced returns batches of 64. Among 512 candidates the Kullback–Leibler term outweighs the few
// thousand pairs, and all similarities collapse to the same value; the paper's own schedule has the
// same effect in part.
func (m evidential) Reduced() Options { return m.shortened(m.Published(), 5, 64, m.rate) }
