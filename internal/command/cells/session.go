// Package cells makes the sessions of the subcommands that run cells.
package cells

import (
	"fmt"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/encoder"
	"gosphere/internal/command/process"
	"gosphere/internal/runtime/engine"
	"gosphere/internal/runtime/generic"
	"gosphere/internal/runtime/guard"
	"gosphere/internal/runtime/packages"
	"gosphere/internal/runtime/session"
	"gosphere/runtime/display"
)

// NewSession returns a session with all preloaded packages. Trainings, studies and encoders without
// a Progress of their own show a progress bar in the output of the cell that started them,
// trainings also a figure if figures is set, and stop with the cell.
func NewSession(figures bool) (*session.Session, error) {
	store, err := packages.Open(process.Brought.Archives()...)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded type information: %w", err)
	}
	carried, err := process.Brought.Store()
	if err != nil {
		return nil, err
	}
	skeletons, err := engine.NewSkeletons(session.RunOperation)
	if err != nil {
		return nil, err
	}
	return session.New(session.Options{Process: session.TakeProcess(), Skeletons: skeletons, Symbol: process.Brought.Symbol, Packages: store, Generic: generic.Source, Instance: generic.Compiled, Carried: carried, Licenses: process.Brought.LicensesByModule(), Version: process.Versions, Offers: []any{progress{figures}}})
}

// progress is what cells offer to the packages of the laboratory.
type progress struct{ figures bool }

// TrainingProgress returns the progress of a training.
func (p progress) TrainingProgress() adapter.Progress {
	all := multiProgress{adapter.ShowOn(new(display.Progress))}
	if p.figures {
		all = append(all, newTrainingFigure())
	}
	return cellProgress{all}
}

// StudyProgress returns the progress of a study.
func (progress) StudyProgress() adapter.Bar { return new(display.Progress) }

// EncoderProgress returns the progress of an encoder.
func (progress) EncoderProgress() encoder.Progress { return new(display.Progress) }

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
