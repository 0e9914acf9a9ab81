package adapter

import "gosphere/asymvlm/nn"

// AsymVLMGaussian is the ablation AsymVLM(G) of AsymVLM's section 5.2: a normal density in the space around the sphere in
// place of one on the sphere. No program was released, and the paper's "Gaussian, followed by normalization" leaves other
// readings open; this one keeps the network of asymvlm-vmf.
//
// Learned: η = κμ from the raw text, and τ, as in asymvlm_vmf.go. Likelihood of a unit image x under N(μ, I/κ)
// (nn.gaussianNormalizer), κ not below 1e-6:
//
//	ℓ(x, η) = κ(μ·x − 1) + (D/2) log κ + const
//
// Loss: InfoNCE of τℓ. Ranking: ℓ without τ. Uncertainty: 1/κ, and of images that of the text they retrieve.
//
// Tables: none; figure 4 of AsymVLM's paper shows it. Defaults: those of asymvlm-vmf.
const AsymVLMGaussian = "asymvlm-gauss"

// Where training begins the slope D/2κ of the normalizer is hundreds of times that of κc, so that the first thing learned is
// to make all κ equal and τ small, from where gradient descent does not come back. Hence AdamW in reduced schedules, and a
// start in units of κ = D/2, where the normalizer is flat, with a temperature of 20/D.
var asymVLMGaussian = learned{
	about:        About{ID: AsymVLMGaussian, Title: "AsymVLM(G)", Paper: AsymVLMPaper, Tables: "Figure 4", First: "text.0.weight", Concentrated: true},
	architecture: nn.Architecture{Objective: nn.Contrastive, Likelihood: nn.Gaussian},
	rate:         1e-2, decay: 5e-4, reducedRate: 1e-3, smallRate: 3e-3,
	reduce: func(o *Options) { o.Optimizer, o.ScaledStart = nn.AdamW, true },
	start: func(dimension int) (temperature, factor float64) {
		return 20 / float64(dimension), float64(dimension) / 2
	},
}
