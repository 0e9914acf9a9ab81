package adapter

import (
	"fmt"
	"strings"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/nn"
)

// architecture returns what the method's network and loss are made from, without the sizes.
func (o Options) architecture() nn.Architecture {
	a := recipes[o.Method].architecture
	a.Loss = o.Loss
	if o.Optimizer != "" {
		a.Optimizer = o.Optimizer
	}
	return a
}

// checkChoices reports a loss, an optimiser or a warm-up that the method cannot have.
func (o Options) checkChoices() error {
	own := recipes[o.Method].architecture.Optimizer
	switch {
	case o.Optimizer != "" && o.Optimizer != own && (own == nn.Accumulate || o.Optimizer == nn.Accumulate):
		return fmt.Errorf("adapter: optimiser %q for %s, which sums up and does not descend, or the other way round", o.Optimizer, o.Method)
	case o.Loss != nil && own == nn.Accumulate:
		return fmt.Errorf("adapter: %s takes no loss, %q: it descends none, but sums up the curvature of the contrastive loss in one pass, "+
			"and a loss of one's own gives no second derivatives; train asymvlm-vmf or determ-ft with it", o.Method, o.Loss.Name())
	case o.Loss != nil && o.MaskSameImage:
		return fmt.Errorf("adapter: loss %q sees all pairs of a batch; captions of the same image are masked in the methods' own losses only", o.Loss.Name())
	case o.WarmUp < 0:
		return fmt.Errorf("adapter: warm-up of %d steps, want a number from 0", o.WarmUp)
	}
	a := o.architecture()
	a.Dimension = 2 // the sizes are checked when they are known
	if err := a.Check(); err != nil {
		return fmt.Errorf("adapter: %s: %w", o.Method, err)
	}
	return nil
}

// describeLoss returns the name of a loss and those of its numbers, as checkpoints store them.
func describeLoss(loss custom.Loss) (name, numbers string) {
	if loss == nil {
		return "", ""
	}
	var names []string
	for _, n := range loss.Numbers() {
		names = append(names, n.Name)
	}
	return loss.Name(), strings.Join(names, " ")
}

// storedLoss stands for the loss that an adapter from a file was trained with: its numbers are known, the loss is not.
func storedLoss(name, numbers string) custom.Loss {
	if name == "" {
		return nil
	}
	loss := custom.Func{Label: name}
	for _, n := range strings.Fields(numbers) {
		loss.Parameters = append(loss.Parameters, custom.Number{Name: n})
	}
	return loss
}
