package device

// A TrainingLoss describes what the steps of a training on a Trainer minimize. Its values are of
// the types in this file, and package nn fills them in. A Trainer rejects types that it does not
// support.
type TrainingLoss interface{ loss() }

// ContrastiveLoss is InfoNCE, or SigLIP's loss of separate pairs, of a network on one side and unit
// embeddings on the other. Its numbers are τ and, for SigLIP's loss, the bias.
type ContrastiveLoss struct {
	Density        Density
	Sigmoid        bool // SigLIP's loss
	LogTemperature bool // the first number is the logarithm of τ
}

// A Density is the likelihood of a unit embedding under the output of a network.
type Density int

// The densities; see package nn for the formulas.
const (
	DensityPaper Density = iota // von Mises–Fisher with the closed form of the AsymVLM paper
	DensityExact                // von Mises–Fisher with the exact normalizer
	DensityPowerSpherical
	DensityNormal // a normal density in the ambient space
	DensityNone   // the cosine, which ignores the norm of the output
)

// SymmetricLoss is InfoNCE of von Mises–Fisher distributions on both sides: of the mean of both
// log-likelihoods, or if Mutual of the logarithm of the integral of both densities. Its number is
// τ.
type SymmetricLoss struct{ Mutual bool }

// MatchingLoss is the loss of PCME++ on frozen means. Its numbers are a and b.
type MatchingLoss struct{}

// PairsLoss is ProLIP's loss on frozen means. If Scaled, its numbers are log a and b, and the
// inclusion loss is part of it.
type PairsLoss struct {
	Exact, Scaled                         bool // Exact is the mathematical form of bottleneck and inclusion
	Bottleneck, Inclusion, Eps, Sharpness float32
}

// MatchedLoss is that of PFE: variances of matching raw embeddings.
type MatchedLoss struct{}

// ReconstructionLoss is ProbVLM's, with the likelihood of the generalized Gaussian if Exact.
type ReconstructionLoss struct{ Exact bool }

// AdapterLoss is the loss of ELIP's adapters: contrastive, with a factor ι for each of several
// members, or evidential with one member.
type AdapterLoss struct {
	Members    int
	Evidential bool
	Divergence float64 // factor on the divergence of Evidential after its first epochs
}

func (ContrastiveLoss) loss()    {}
func (SymmetricLoss) loss()      {}
func (MatchingLoss) loss()       {}
func (PairsLoss) loss()          {}
func (MatchedLoss) loss()        {}
func (ReconstructionLoss) loss() {}
func (AdapterLoss) loss()        {}
