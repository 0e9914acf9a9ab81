// Package cells makes the sessions of the subcommands that run cells.
package cells

import (
	"fmt"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/sweep"
	"gosphere/internal/command/process"
	"gosphere/internal/runtime/generic"
	"gosphere/internal/runtime/guard"
	"gosphere/internal/runtime/packages"
	"gosphere/internal/runtime/session"
	"gosphere/runtime/display"
)

// NewSession returns a session with all preloaded packages. Trainings started by its cells show a
// progress bar and a figure in the output of the cell and stop with the cell.
func NewSession() (*session.Session, error) {
	store, err := packages.Open(process.Brought.Archives()...)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded type information: %w", err)
	}
	carried, err := process.Brought.Store()
	if err != nil {
		return nil, err
	}
	ShowTrainings(true)
	showEncoders()
	sweep.SetDefaultProgress(func() adapter.Bar { return new(display.Progress) })
	sweep.SetStop(stopReason)
	return session.New(session.Options{Symbol: process.Brought.Symbol, Packages: store, Generic: generic.Source, Instance: generic.Compiled, Carried: carried, Licenses: process.Brought.LicensesByModule(), Version: process.Versions})
}

// showEncoders makes encoders show a progress bar and stop with the cell that runs them.
func showEncoders() {
	encoder.SetDefaultProgress(func() encoder.Progress { return new(display.Progress) })
	encoder.SetStop(stopReason)
}

// stopReason reports why the cell of the calling goroutine must end, or nil.
func stopReason() error {
	if guard.Stopped() {
		return guard.ErrStopped
	}
	return nil
}

// ShowTrainings makes trainings without a Progress of their own show a progress bar and, if figures
// is set, a figure.
func ShowTrainings(figures bool) {
	adapter.SetDefaultProgress(func() adapter.Progress {
		all := multiProgress{adapter.ShowOn(new(display.Progress))}
		if figures {
			all = append(all, newTrainingFigure())
		}
		return cellProgress{all}
	})
}

// cellProgress shows a training in the cell that started it. It stops the training when that cell
// is interrupted; the training then keeps its checkpoint.
type cellProgress struct{ adapter.Progress }

// Advance shows a step. It returns an error, which stops the training, once the cell is
// interrupted.
func (p cellProgress) Advance(update adapter.Update) error {
	err := p.Progress.Advance(update) // called first, so that the bar counts the last step of a stopped training
	if guard.Stopped() {
		return guard.ErrStopped
	}
	return err
}
