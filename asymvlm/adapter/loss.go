package adapter

import (
	"strings"

	"gosphere/asymvlm/custom"
)

// describeLoss returns the name of a loss and the names of its numbers, as stored in checkpoints.
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

// storedLoss returns a placeholder for the loss that a loaded adapter was trained with. The file
// contains its numbers but not the function.
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
