// Package cells makes the sessions of the subcommands that run cells.
package cells

import (
	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/encoder"
	"gosphere/internal/command/process"
	"gosphere/runtime/display"
	"gosphere/runtime/session"
)

// NewSession returns a session with all preloaded packages. Trainings, studies and encoders without
// a Progress of their own show a progress bar in the output of the cell that started them,
// trainings also a figure if figures is set, and stop with the cell.
func NewSession(figures bool) (*session.Session, error) {
	return session.New(session.Options{Packages: process.Preloaded, Version: process.Versions, Offers: []any{progress{figures}}})
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
	if session.Stopped() {
		return session.ErrStopped
	}
	return err
}
