package nn

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// An Optimizer is the name of an update rule.
type Optimizer string

// The optimizers of the reference implementations.
const (
	SGD   Optimizer = "sgd"   // gradient descent with momentum (default); the decay is added to the gradient
	AdamW Optimizer = "adamw" // Adam with the decay applied to the parameters directly
	AdamP Optimizer = "adamp" // AdamW without the component of a step that only increases the norm of weights; used by the original PCME++

	// Accumulate adds the gradients to the parameters, for objectives that compute sums. It ignores
	// rates.
	Accumulate Optimizer = "accumulate"
)

// Constants of AdamW. They are PyTorch's defaults, which all reference implementations use.
const (
	firstDecay  = 0.9
	secondDecay = 0.999
	adamEpsilon = 1e-8
)

// Check returns an error if the optimizer does not exist.
func (o Optimizer) Check() error {
	switch o {
	case "", SGD, AdamW, AdamP, Accumulate:
		return nil
	}
	return fmt.Errorf("nn: optimizer %q, want %q, %q or %q", o, SGD, AdamW, AdamP)
}

// memory returns the number of state vectors of the optimizer.
func (o Optimizer) memory() int { return len(o.names()) }

// names returns the names of the state vectors.
func (o Optimizer) names() []string {
	switch o {
	case AdamW, AdamP:
		return []string{"first_moment", "second_moment"}
	case Accumulate:
		return nil
	}
	return []string{"velocity"}
}

// update performs one step with the current gradient.
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
