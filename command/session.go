package command

import (
	"fmt"

	"gosphere/asymvlm/adapter"
	"gosphere/runtime/display"
	"gosphere/runtime/generic"
	"gosphere/runtime/guard"
	"gosphere/runtime/packages"
	"gosphere/runtime/session"
)

// newSession makes a session with everything that the program brings along. Trainings that
// its cells start show a bar in the cell's output and stop with the cell.
func newSession() (*session.Session, error) {
	store, err := packages.Open(preloaded.Archive())
	if err != nil {
		return nil, fmt.Errorf("the embedded type information: %w", err)
	}
	adapter.SetDefaultProgress(func() adapter.Progress {
		return cellProgress{adapter.ShowOn(new(display.Progress))}
	})
	return session.New(session.Options{Tables: preloaded.Tables(), Packages: store, Generic: generic.Source, Instance: generic.Compiled, Version: Versions})
}

// cellProgress shows a training in the cell that started it, and ends it when that cell is
// interrupted; the training then keeps its checkpoint.
type cellProgress struct{ adapter.Progress }

// Advance shows a step, or stops the training.
func (p cellProgress) Advance(update adapter.Update) error {
	if guard.Stopped() {
		return guard.ErrStopped
	}
	return p.Progress.Advance(update)
}
