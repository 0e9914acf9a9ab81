package adapter

import "gosphere/asymvlm/nn"

// AsymVLM with the power spherical density (AsymVLM paper, section 4.2 and equation (3)), and with
// SigLIP's loss.
//
// Everything except the likelihood (nn.powerSpherical) is as in asymvlm-vmf (asymvlm_vmf.go). With
// c = μ·x, α = (D−1)/2 + κ and β = (D−1)/2,
//
//	ℓ(x, η) = κ log(1+c) + log C(κ) − log C(0),  log C(κ) = −(α+β) log 2 − β log π − log Γ(α) + log Γ(α+β)
//
// The normalizer is exact (sphere.PowerSphericalNormalizer). c is clamped at −1+1e-6, because the
// gradient κ/(1+c) is unbounded there, and μ at κ = 0 is η/1e-12. The reference implementation
// guards neither.
//
// Ranking: ℓ with the normalizer and without τ. Uncertainty: 1/κ of a text; an image query has that
// of the text it retrieves.
//
// Tables: 1, 2, 3 and A.2 to A.5 of the AsymVLM paper contain asymvlm-psd, called AsymVLM_PS; none
// contains SigLIP's loss. Errata: in equation (3) the parenthesis should close after CosSim; L_PS
// omits β log π, which does not affect InfoNCE.
//
// Defaults: those of asymvlm-vmf.
const (
	AsymVLMPowerSpherical = "asymvlm-psd" // InfoNCE
	SigLIPPowerSpherical  = "siglip-psd"  // SigLIP's loss, τ initialized to 1
)

var _ = builtIn(20, learned{
	about:        About{ID: AsymVLMPowerSpherical, Title: "AsymVLM_PS", Paper: AsymVLMPaper, Tables: "1, 2, 3, A.2, A.3, A.4, A.5", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.PowerSpherical},
	rate:         1e-2, decay: 5e-4, reducedRate: 0.1, smallRate: 0.1,
})

var _ = builtIn(210, learned{
	about:        About{ID: SigLIPPowerSpherical, Title: "AsymVLM_PS, SigLIP's loss", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Sigmoid, Likelihood: nn.PowerSpherical},
	rate:         1e-2, decay: 5e-4, reducedRate: 1e-3, smallRate: 2e-3,
	reduce: descendWithAdam, // see asymvlm_vmf.go
})
