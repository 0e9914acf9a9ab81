package adapter

import "gosphere/asymvlm/nn"

// AsymVLMGaussian is the ablation AsymVLM(G) of section 5.2 of the AsymVLM paper: a normal density
// in the ambient space instead of a density on the sphere. No reference implementation was
// released, and the paper's "Gaussian, followed by normalization" is ambiguous; this interpretation
// keeps the network of asymvlm-vmf.
//
// Learned: η = κμ from the raw text, and τ, as in asymvlm_vmf.go. Likelihood of a unit image x
// under N(μ, I/κ) (nn.gaussianNormalizer), with κ bounded below by 1e-6:
//
//	ℓ(x, η) = κ(μ·x − 1) + (D/2) log κ + const
//
// Loss: InfoNCE of τℓ. Ranking: ℓ without τ. Uncertainty: 1/κ of a text; an image query has that of
// the text it retrieves.
//
// Tables: none; figure 4 of the AsymVLM paper shows it. Defaults: those of asymvlm-vmf.
const AsymVLMGaussian = "asymvlm-gauss"

// At the start of training the slope D/2κ of the normalizer is hundreds of times that of κc. The
// first steps then make all κ equal and τ small, and gradient descent does not recover. Reduced
// schedules therefore use AdamW and start in units of κ = D/2, where the normalizer is flat, with a
// temperature of 20/D.
var _ = builtIn(190, learned{
	about:        About{ID: AsymVLMGaussian, Title: "AsymVLM(G)", Paper: AsymVLMPaper, Tables: "Figure 4", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.Gaussian},
	rate:         1e-2, decay: 5e-4, reducedRate: 1e-3, smallRate: 3e-3,
	reduce: func(o *Options) { o.Optimizer, o.ScaledStart = nn.AdamW, true },
	start: func(dimension int) (temperature, factor float64) {
		return 20 / float64(dimension), float64(dimension) / 2
	},
})
