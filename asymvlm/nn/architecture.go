package nn

import (
	"fmt"
	"math"

	"gosphere/asymvlm/custom"
)

// An Architecture is the shape of what is learned. The paper's program has three hidden layers of 1024 (its text says
// two).
type Architecture struct {
	Dimension    int    // of the embeddings
	Hidden       int    // width of the hidden layers
	HiddenLayers int    // their number, at least 0
	Objective    string // Contrastive where empty; see the constants
	Likelihood   string // VonMisesFisher, PowerSpherical, …; only for objectives that have one
	Optimizer    Optimizer
	// FirstTemperature is τ before the first step, where the method learns one; 0 for that of the papers' programs.
	FirstTemperature float64
	// FixedTemperature leaves τ as it is before the first step; only where FirstTemperature may be given.
	FixedTemperature bool
	// Pairs are the weights of ProLIP's objectives; nil for their own.
	Pairs *PairWeights
	// OutputFactor multiplies the outputs of the network of AsymVLM and its kin; 0 for 1, as in the paper's program.
	OutputFactor float64
	// Residual makes the network of an objective with a Likelihood one linear layer whose outputs are added to the raw embeddings:
	// η = x + W·x + b, with W, D×D, and b, D, 0 at the start, so that training begins with the embeddings as they are. Hidden and
	// HiddenLayers have no part in it.
	Residual bool
	// Loss replaces the loss of every objective that descends one; nil for its own. See custom.Batch for what it is given. The
	// first step checks its derivatives. Its numbers are parameters called loss. and their name, instead of tau, bias, a, b or
	// iota; each member of an ensemble has numbers of its own.
	Loss custom.Loss
	// Own takes the place of the objective: networks, loss and all; nil for the objective. Nothing else but Dimension and Optimizer is then
	// read.
	Own *custom.Model
	// Layers are the encoders' last layers, by Side, which Laplace and LaplaceExact are about; raw rows are then their inputs.
	Layers [2]LastLayer
}

// Check reports what makes an architecture impossible.
func (a Architecture) Check() error {
	switch {
	case a.Dimension < 2:
		return fmt.Errorf("nn: dimension %d, want at least 2", a.Dimension)
	case a.HiddenLayers < 0 || a.HiddenLayers > 0 && a.Hidden < 1:
		return fmt.Errorf("nn: %d hidden layers of width %d", a.HiddenLayers, a.Hidden)
	}
	if a.Own != nil {
		return a.checkOwn()
	}
	if a.Loss != nil {
		if err := custom.Validate(a.Loss); err != nil {
			return err
		}
		if !a.takesLoss() {
			return fmt.Errorf("nn: objective %q descends no loss and cannot take %q: it sums up the curvature of the contrastive loss, and a loss of one's own gives no second derivatives", a.Objective, a.Loss.Name())
		}
	}
	if err := a.Optimizer.Check(); err != nil {
		return err
	}
	for _, layer := range a.Layers {
		if laplacian := !a.takesLoss(); layer.Inputs < 0 || layer != (LastLayer{}) && !laplacian || layer.Bias && layer.Inputs == 0 {
			return fmt.Errorf("nn: objective %q with a last layer of %d inputs (bias: %t), want none, or one of %q or %q that has inputs",
				a.Objective, layer.Inputs, layer.Bias, Laplace, LaplaceExact)
		}
	}
	return a.checkStart()
}

// checkOwn reports wrong fields beside a model of one's own.
func (a Architecture) checkOwn() error {
	if a.Loss != nil {
		return fmt.Errorf("nn: a model of one's own has its own loss and cannot take %q", a.Loss.Name())
	}
	if a.FirstTemperature != 0 || a.FixedTemperature || a.Pairs != nil || a.OutputFactor != 0 || a.Residual || a.Layers != [2]LastLayer{} {
		return fmt.Errorf("nn: a model of one's own says itself where it starts; leave temperatures, factors, Residual and Layers out")
	}
	if err := a.Optimizer.Check(); err != nil {
		return err
	}
	return a.Own.Check(a.Dimension)
}

// checkStart reports wrong fields that set where a training starts.
func (a Architecture) checkStart() error {
	asymmetric := a.hasLikelihood()
	if a.Residual && (!asymmetric || a.OutputFactor != 0) {
		return fmt.Errorf("nn: objective %q with an output factor of %g cannot be residual; want one with a likelihood, and no factor", a.Objective, a.OutputFactor)
	}
	for _, start := range []struct {
		name  string
		value float64
		taken bool
	}{{"first temperature", a.FirstTemperature, a.HasTemperature()}, {"output factor", a.OutputFactor, asymmetric}} {
		switch {
		case start.value != 0 && !start.taken:
			return fmt.Errorf("nn: objective %q takes no %s, %g given", a.Objective, start.name, start.value)
		case !(start.value >= 0) || math.IsInf(start.value, 1):
			return fmt.Errorf("nn: %s %g, want a positive number, or 0 for the paper's", start.name, start.value)
		}
	}
	if a.Pairs != nil {
		if _, has := a.OwnPairs(); !has {
			return fmt.Errorf("nn: objective %q has no weights of ProLIP", a.Objective)
		}
		if err := a.Pairs.Check(); err != nil {
			return err
		}
	}
	if a.FixedTemperature && !a.HasTemperature() {
		return fmt.Errorf("nn: objective %q has no temperature to fix", a.Objective)
	}
	return nil
}

// OwnPairs returns the weights of ProLIP that the objective has by itself, and whether it has any. A custom loss has none.
func (a Architecture) OwnPairs() (PairWeights, bool) {
	switch {
	case a.Own != nil || a.Loss != nil:
	case a.Objective == ProbabilisticPairs || a.Objective == ProbabilisticPairsExact:
		return adapterWeights, true
	case a.Objective == ProbabilisticPairsFull || a.Objective == ProbabilisticPairsFullOfficial:
		return fullWeights, true
	}
	return PairWeights{}, false
}

// HasTemperature reports whether the loss has a temperature τ whose first value is for the architecture to say. A loss of one's own has
// numbers of its own, and the losses of other papers have other numbers.
func (a Architecture) HasTemperature() bool {
	return a.Own == nil && a.Loss == nil && (a.hasLikelihood() || a.Objective == Symmetrized || a.Objective == Mutual)
}

// hasLikelihood reports whether the objective is a Likelihood with a loss of the pairs.
func (a Architecture) hasLikelihood() bool {
	switch a.Objective {
	case Contrastive, "", ContrastiveImages, Sigmoid, SigmoidLog:
		return true
	}
	return false
}

// Free reports whether the width of hidden layers and their number are for the architecture to say: ProbVLM's trunk has a fixed depth, and
// adapters of ELIP are half as wide as the embeddings. Residual adapters have no hidden layers, Laplace no layers of its own.
func (a Architecture) Free() (width, depth bool) {
	if a.Residual || a.Own != nil {
		return false, false
	}
	switch a.Objective {
	case Reconstruction, ReconstructionExact:
		return true, false
	case Evidential, EvidentialITC, Ensemble, Laplace, LaplaceExact:
		return false, false
	}
	return true, true
}

// SeesLength reports whether the lengths of one side's raw embeddings have a part in what is learned; otherwise they are given length 1 first.
func (a Architecture) SeesLength(side Side) bool {
	if a.Own != nil {
		return true
	}
	switch a.Objective {
	case MatchingProbability, ProbabilisticPairs, ProbabilisticPairsExact, ProbabilisticPairsFull, ProbabilisticPairsFullOfficial:
		return false
	case Contrastive, "", Sigmoid, SigmoidLog:
		return side == Texts
	case ContrastiveImages:
		return side == Images
	}
	return true
}

// takesLoss reports whether another loss can take the place of the objective's own: there must be one that is descended.
func (a Architecture) takesLoss() bool { return a.Objective != Laplace && a.Objective != LaplaceExact }

// firstTau returns τ before the first step.
func (a Architecture) firstTau() float64 {
	switch {
	case a.FirstTemperature != 0:
		return a.FirstTemperature
	case a.Objective == SigmoidLog:
		return firstTemperature
	}
	return 1
}
