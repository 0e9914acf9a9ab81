package nn

import (
	"cmp"
	"fmt"
	"math"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/sphere"
)

// An Architecture describes the networks and the objective of a learner. The reference
// implementation of AsymVLM has three hidden layers of 1024 (its paper says two).
type Architecture struct {
	Dimension    int        // of the embeddings
	Hidden       int        // width of the hidden layers
	HiddenLayers int        // number of hidden layers, at least 0
	Objective    Objective  // Contrastive if nil
	Likelihood   Likelihood // VonMisesFisher, PowerSpherical, …; only for objectives with a likelihood
	Optimizer    Optimizer
	// FirstTemperature is τ before the first step, for methods that learn one; 0 selects that of
	// the papers' implementations.
	FirstTemperature float64
	// FixedTemperature keeps τ at its first value; only for methods that accept FirstTemperature.
	FixedTemperature bool
	// LogTemperature trains the logarithm of τ, which keeps τ positive; only for methods that
	// accept FirstTemperature. SigmoidLog always does.
	LogTemperature bool
	// Pairs are the weights of ProLIP's objectives; nil selects their defaults.
	Pairs *PairWeights
	// KLWeight is the factor on the divergence of Evidential after its first 15 epochs; nil means 1.
	KLWeight *float64
	// OutputFactor multiplies the outputs of the network of AsymVLM and its variants; 0 means 1, as
	// in the reference implementation.
	OutputFactor float64
	// Residual replaces the network of an objective with a Likelihood by linear layers whose
	// outputs are added to the raw embeddings: x + V·x + c, whose length is κ, and x + W·x + b,
	// whose direction is that of η. V and W, D×D, and b and c, D, are initialized to 0, so that
	// training starts from the unchanged embeddings. The second layer minimizes the loss of the
	// cosine. A Likelihood without a concentration has this layer alone, and η = x + W·x + b.
	// Hidden and HiddenLayers are ignored.
	Residual bool
	// RankerDecay is the factor λ of the penalty ½·λ·(‖W‖² + ‖b‖²) that is added
	// to the loss of the layer for the direction of a residual adapter. It is at least 0.
	RankerDecay float64
	// FirstConcentration is κ of all rows before the first step of a residual adapter, which then
	// learns κ as a function of the direction and the norm of the raw rows. 0 means that κ is ‖x +
	// V·x + c‖ and begins as the norm.
	FirstConcentration float64
	// ConcentrationDecay is the factor of the penalty on the weights of that function. It is at
	// least 0, and 0 without FirstConcentration.
	ConcentrationDecay float64
	// Loss replaces the loss of any objective that minimizes one; nil keeps it. See custom.Batch
	// for its inputs. The first step checks its derivatives. Its numbers are parameters named loss.
	// and their name, instead of tau, bias, a, b or iota; each member of an ensemble has its own.
	Loss custom.Loss
	// Layers are the encoders' last layers, by Side, for Laplace and LaplaceExact; raw rows are
	// then their inputs.
	Layers [2]LastLayer
}

// Check returns an error if no learner can be built from the architecture.
func (a Architecture) Check() error {
	switch {
	case a.Dimension < 2:
		return fmt.Errorf("nn: dimension %d, want at least 2", a.Dimension)
	case a.HiddenLayers < 0 || a.HiddenLayers > 0 && a.Hidden < 1:
		return fmt.Errorf("nn: %d hidden layers of width %d", a.HiddenLayers, a.Hidden)
	}
	if own, able := a.Objective.(interface{ check(a Architecture) error }); able {
		return own.check(a)
	}
	if a.Loss != nil {
		if err := custom.Validate(a.Loss); err != nil {
			return err
		}
		if a.properties().sums {
			return fmt.Errorf("nn: objective %q minimizes no loss and does not accept %q: it accumulates the curvature of the contrastive loss, and a user-defined loss has no second derivatives", a.objective(), a.Loss.Name())
		}
	}
	if err := a.Optimizer.Check(); err != nil {
		return err
	}
	for _, layer := range a.Layers {
		if laplacian := a.properties().sums; layer.Inputs < 0 || layer != (LastLayer{}) && !laplacian || layer.Bias && layer.Inputs == 0 {
			return fmt.Errorf("nn: objective %q with a last layer of %d inputs (bias: %t), want none, or one of %q or %q that has inputs",
				a.objective(), layer.Inputs, layer.Bias, Laplace, LaplaceExact)
		}
	}
	return a.checkStart()
}

// checkStart returns an error for invalid fields that set initial values.
func (a Architecture) checkStart() error {
	asymmetric := a.properties().density
	if a.Residual && (!asymmetric || a.OutputFactor != 0) {
		return fmt.Errorf("nn: objective %q with an output factor of %g cannot be residual; want one with a likelihood, and no factor", a.objective(), a.OutputFactor)
	}
	if !(a.RankerDecay >= 0) || math.IsInf(a.RankerDecay, 1) || a.RankerDecay > 0 && !a.Residual {
		return fmt.Errorf("nn: ranker decay %g (residual: %t), want a number from 0, and 0 for other networks", a.RankerDecay, a.Residual)
	}
	if !(a.FirstConcentration >= 0) || math.IsInf(a.FirstConcentration, 1) || a.FirstConcentration > 0 && !a.Residual {
		return fmt.Errorf("nn: first concentration %g (residual: %t), want a number from 0, and 0 for other networks", a.FirstConcentration, a.Residual)
	}
	if !(a.ConcentrationDecay >= 0) || math.IsInf(a.ConcentrationDecay, 1) || a.ConcentrationDecay > 0 && a.FirstConcentration == 0 {
		return fmt.Errorf("nn: concentration decay %g, want a number from 0, and 0 without a first concentration", a.ConcentrationDecay)
	}
	for _, start := range []struct {
		name  string
		value float64
		taken bool
	}{{"first temperature", a.FirstTemperature, a.HasTemperature()}, {"output factor", a.OutputFactor, asymmetric}} {
		switch {
		case start.value != 0 && !start.taken:
			return fmt.Errorf("nn: objective %q takes no %s, %g given", a.objective(), start.name, start.value)
		case !(start.value >= 0) || math.IsInf(start.value, 1):
			return fmt.Errorf("nn: %s %g, want a positive number, or 0 for the paper's", start.name, start.value)
		}
	}
	if a.Pairs != nil {
		if _, has := a.OwnPairs(); !has {
			return fmt.Errorf("nn: objective %q has no weights of ProLIP", a.objective())
		}
		if err := a.Pairs.Check(); err != nil {
			return err
		}
	}
	if a.KLWeight != nil && (!a.HasDivergence() || !(*a.KLWeight >= 0) || math.IsInf(*a.KLWeight, 1)) {
		return fmt.Errorf("nn: weight %g of the divergence of objective %q, want a number from 0 for %q", *a.KLWeight, a.objective(), Evidential)
	}
	if (a.FixedTemperature || a.LogTemperature) && !a.HasTemperature() {
		return fmt.Errorf("nn: objective %q has no temperature to fix, or to take the logarithm of", a.objective())
	}
	return nil
}

// objective returns the objective, or the default.
func (a Architecture) objective() Objective {
	if a.Objective == nil {
		return Contrastive
	}
	return a.Objective
}

func (a Architecture) properties() properties { return a.objective().properties() }

// OwnPairs returns the objective's default weights of ProLIP, and whether it has any. A custom loss
// has none.
func (a Architecture) OwnPairs() (PairWeights, bool) {
	weights := a.properties().weights
	if weights == nil || a.Loss != nil {
		return PairWeights{}, false
	}
	return *weights, true
}

// HasDivergence reports whether the loss has the divergence whose factor is KLWeight.
func (a Architecture) HasDivergence() bool { return a.Loss == nil && a.objective() == Evidential }

// HasTemperature reports whether the loss has a temperature τ whose first value the architecture
// determines. A user-defined loss has its own numbers, and the losses of other papers have
// different ones.
func (a Architecture) HasTemperature() bool { return a.Loss == nil && a.properties().temperature }

// TrainsLogarithm reports whether the parameter is the logarithm of τ in any case.
func (a Architecture) TrainsLogarithm() bool { return a.HasTemperature() && a.properties().logTau }

// Free reports whether the width and the number of hidden layers can be chosen. ProbVLM's trunk has
// a fixed depth, adapters of ELIP are half as wide as the embeddings, residual adapters have no
// hidden layers, and Laplace has no networks.
func (a Architecture) Free() (width, depth bool) {
	p := a.properties()
	return !a.Residual && !p.fixedWidth, !a.Residual && !p.fixedDepth
}

// SeesLength reports whether the norms of one side's raw embeddings affect training. Otherwise the
// embeddings are normalized first.
func (a Architecture) SeesLength(side Side) bool { return !a.properties().unit[side] }

// Linear reports whether scores are inner products η·x + F(|η|) of unit images x and the outputs η
// of the texts, or, without a concentration, the cosines of both. newNormalizer returns F; it is
// nil for cosines.
func (a Architecture) Linear() (newNormalizer func(dimension int) (sphere.Normalizer, error), ok bool) {
	if p := a.properties(); !p.density || !p.unit[Images] || a.Likelihood == nil {
		return nil, false
	}
	return a.Likelihood.linear()
}

// logTau reports whether the parameter is the logarithm of τ.
func (a Architecture) logTau() bool { return a.LogTemperature || a.properties().logTau }

// firstTau returns τ before the first step.
func (a Architecture) firstTau() float64 {
	return cmp.Or(a.FirstTemperature, a.properties().firstTau, 1)
}
