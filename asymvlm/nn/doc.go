// Package nn implements the trained parts of an adapter: small networks on the embeddings, the
// losses of AsymVLM, of its ablations and of the methods it is compared with, and the optimizers.
// The backward passes are written by hand; tests compare them with finite differences and with
// PyTorch.
//
// It does not handle data sets, epochs or files; package adapter does.
//
// Read schedule.go and network.go first, then objective.go, which has the interfaces Objective and
// Likelihood. Each of their values is defined in the file of its mathematics, with its properties,
// its computation and its description for devices that run whole steps. likelihood.go is followed
// by vonmisesfisher.go, powerspherical.go and cosine.go, contrastive.go and asymmetric.go, which
// combines them into AsymVLM; learner.go runs the steps. The other objectives are in symmetric.go,
// frozen.go (with pfe.go, pcmepp.go and prolip.go), probvlm.go, bottleneck.go (ELIP), ensemble.go,
// bayes.go with cosines.go, and own.go (user-defined models).
//
//	learner, err := nn.NewLearner(device.NewCPU(0), nn.Architecture{Dimension: 512, Hidden: 1024, HiddenLayers: 3,
//		Objective: nn.Contrastive, Likelihood: nn.VonMisesFisher}, 2048)
//	learner.Initialize(rand.New(rand.NewPCG(0, 0)))
//	result, err := learner.Step(texts, images, device.Rate{Rate: 0.01, Momentum: 0.9, WeightDecay: 5e-4})
//
// Dimensions: B batch, D embedding width, H hidden width, N images, M texts. Symbols: η the
// network's output for a text, κ = |η| its concentration, μ = η/κ its mean direction, x a unit
// image embedding, ℓ the N×M matrix of log-likelihoods, τ the temperature that multiplies ℓ in the
// loss. Gradients are named d and a name: dEta is the derivative of the loss with respect to η.
//
// The same code runs in float32 on a device and in float64 on the reference; exported names are the
// float32 form.
package nn
