package adapter

import (
	"strings"

	"gosphere/asymvlm/custom"
)

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
