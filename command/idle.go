package command

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
)

// A trainingFlag is a flag of a recipe that not every method uses.
type trainingFlag struct {
	name    string
	given   bool
	gathers bool // methods that pass over the pairs once use it, too
}

// checkIdle reports a flag that would change nothing in any method of a list. In a list with others, such as all, a flag is for those that
// use it, and the schedule that is printed for each training tells which do.
func (r recipe) checkIdle(methods []string) error {
	for _, flag := range []trainingFlag{
		{"--epochs", r.Epochs != 0 && !(r.Epochs == 1 && slices.ContainsFunc(methods, adapter.IsOnePass)), false},
		{"--batch", r.Batch != 0, true},
		{"--lr", r.Lr != 0, false},
		{"--constant", r.Constant, false},
		{"--optimizer", r.Optimizer != "", false},
		{"--warm-up", r.WarmUp != 0, false},
		{"--hidden", r.Hidden != 0, false},
		{"--mask-same-image", r.MaskSameImage, false},
		{"--match-lengths", r.MatchLengths, true},
		{"--text-length", r.TextLength != 0, true},
	} {
		if flag.given && !slices.ContainsFunc(methods, flag.isUsedBy) {
			return fmt.Errorf("%s changes nothing in %s: leave it out", flag.name, idlers(methods))
		}
	}
	return nil
}

// isUsedBy tells whether a method uses the flag.
func (f trainingFlag) isUsedBy(method string) bool {
	m, err := adapter.Lookup(method)
	return err == nil && m.About().Trained && (f.gathers || !m.About().OnePass)
}

// idlers names methods that descend no loss, and says what they do instead.
func idlers(methods []string) string {
	var list []string
	for _, method := range methods {
		if adapter.IsOnePass(method) {
			list = append(list, method+", which passes over the pairs once and descends no loss")
		} else {
			list = append(list, method+", which is not trained")
		}
	}
	return strings.Join(list, ", nor in ")
}
