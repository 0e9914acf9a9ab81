package nn

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// An Optimizer is how gradients change parameters.
type Optimizer string

// The optimizers of the papers' programs.
const (
	SGD   Optimizer = "sgd"   // gradient descent with momentum, also where none is named; the decay is added to the gradient
	AdamW Optimizer = "adamw" // Adam with the decay taken from the parameters directly
	AdamP Optimizer = "adamp" // AdamW without the part of a step that only lengthens weights; the original PCME++

	// Accumulate adds the gradients to the parameters, for objectives that gather sums. Rates have no part in it.
	Accumulate Optimizer = "accumulate"
)

// The constants of AdamW, PyTorch's defaults, which all the programs left alone.
const (
	firstDecay  = 0.9
	secondDecay = 0.999
	adamEpsilon = 1e-8
)

// Check reports an optimizer that does not exist.
func (o Optimizer) Check() error {
	switch o {
	case "", SGD, AdamW, AdamP, Accumulate:
		return nil
	}
	return fmt.Errorf("nn: optimizer %q, want %q, %q or %q", o, SGD, AdamW, AdamP)
}

// memory returns how many vectors an optimizer remembers.
func (o Optimizer) memory() int { return len(o.names()) }

// names returns what those vectors are called.
func (o Optimizer) names() []string {
	switch o {
	case AdamW, AdamP:
		return []string{"first_moment", "second_moment"}
	case Accumulate:
		return nil
	}
	return []string{"velocity"}
}

// update does one step with the gradient that was set.
func (l *learner[F]) update(rate device.Rate) {
	switch l.architecture.Optimizer {
	case SGD, "":
		l.ops.Update(l.parameters, l.memory[0], l.gradient, rate)
		return
	case Accumulate:
		for i, value := range l.gradient {
			l.parameters[i] += value
		}
		return
	case AdamP:
		l.updateAdamP(rate)
		return
	}
	l.ops.UpdateAdam(l.parameters, [2][]F{l.memory[0], l.memory[1]}, l.gradient, device.NewAdamStep(rate, l.steps))
}
