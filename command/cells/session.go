// Package cells makes the sessions of the subcommands that run cells, with all that the program brings along.
package cells

import (
	"fmt"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/encoder"
	"gosphere/command/process"
	"gosphere/runtime/display"
	"gosphere/runtime/generic"
	"gosphere/runtime/guard"
	"gosphere/runtime/packages"
	"gosphere/runtime/session"
)

// NewSession makes a session with everything that the program brings along. Trainings that
// its cells start show a bar and a figure in the cell's output and stop with the cell.
func NewSession() (*session.Session, error) {
	store, err := packages.Open(process.Brought.Archive())
	if err != nil {
		return nil, fmt.Errorf("the embedded type information: %w", err)
	}
	ShowTrainings(true)
	showEncoders()
	return session.New(session.Options{Symbol: process.Brought.Symbol, Packages: store, Generic: generic.Source, Instance: generic.Compiled, Version: process.Versions})
}

// showEncoders makes encoders show a bar, and end with the cell that they work for.
func showEncoders() {
	encoder.SetDefaultProgress(func() encoder.Progress { return new(display.Progress) })
	encoder.SetStop(func() error {
		if guard.Stopped() {
			return guard.ErrStopped
		}
		return nil
	})
}

// ShowTrainings makes trainings without a progress of their own show a bar and, where pictures can be seen, a figure.
func ShowTrainings(figures bool) {
	adapter.SetDefaultProgress(func() adapter.Progress {
		all := watched{adapter.ShowOn(new(display.Progress))}
		if figures {
			all = append(all, newTrainingFigure())
		}
		return cellProgress{all}
	})
}

// cellProgress shows a training in the cell that started it, and ends it when that cell is
// interrupted; the training then keeps its checkpoint.
type cellProgress struct{ adapter.Progress }

// Advance shows a step, or stops the training.
func (p cellProgress) Advance(update adapter.Update) error {
	err := p.Progress.Advance(update) // the bar of a training that stops counts its last step, too
	if guard.Stopped() {
		return guard.ErrStopped
	}
	return err
}
