package adapter

import (
	"fmt"
	"log"
	"time"

	"gosphere/asymvlm/retrieval"
	"gosphere/internal/host"
)

// An Update describes the progress of a training and its last step.
type Update struct {
	Step, Steps       int // completed, and total
	Epoch, Epochs     int // current, from 1, and total
	Loss              float64
	Temperature       float64
	MeanConcentration float64
	LearningRate      float64
	Pairs             int // in this step

	Validation *Measurement // the last measurement on the validation set, nil if there is none
}

// String formats the update in one line.
func (u Update) String() string {
	text := fmt.Sprintf("epoch %d/%d, loss %s, tau %s, kappa %s", u.Epoch, u.Epochs, retrieval.Decimal(u.Loss, 3), retrieval.Decimal(u.Temperature, 2),
		retrieval.Decimal(u.MeanConcentration, 2))
	if u.Validation != nil {
		text += ", " + u.Validation.String()
	}
	return text
}

// A Progress observes a training. All methods are called from the goroutine that called Train:
// Begin once, Advance after every step, and End once with the error that Train returns. An error
// from Advance stops the training before its next step; Train then writes a checkpoint and returns
// that error. A training makes 20 steps per second or more; Advance may display only some of them.
type Progress interface {
	Begin(task string, steps int)
	Advance(update Update) error
	End(err error)
}

// A Noter is a Progress that also receives notes, after Begin, about unexpected conditions, such as
// a GPU that computes only part of the training. If a Progress is not a Noter, notes are written to
// the output of package log, without a time, so that notebooks have the same output in every run.
type Noter interface{ Note(text string) }

// note passes text to the progress, or to the log if progress is not a Noter.
func note(progress any, text string) {
	if noter, able := progress.(Noter); able {
		noter.Note(text)
		return
	}
	fmt.Fprintln(log.Writer(), "adapter: "+text)
}

// progress returns the progress for a training with these options, never nil. The default is that
// of the host of the calling goroutine, such as a bar in the output of a cell.
func (o Options) progress() Progress {
	if o.Progress != nil {
		return o.Progress
	}
	if h, ok := host.Of[interface{ TrainingProgress() Progress }](); ok {
		if p := h.TrainingProgress(); p != nil {
			return p
		}
	}
	return silent{}
}

// silent is a Progress that shows nothing.
type silent struct{}

func (silent) Begin(string, int)    {}
func (silent) Advance(Update) error { return nil }
func (silent) End(error)            {}

// quiet is a Progress that also discards notes, for trainings whose result is only measured.
type quiet struct{ silent }

func (quiet) Note(string) {}

// A Bar displays the number of completed steps with a note, as the progress display of notebooks
// does. If a Bar has a method Skip(done int), it is called with the number of steps completed
// before a resumed training, so that the bar can exclude them from its rate.
type Bar interface {
	Begin(task string, steps int)
	Step(done int, note string)
	End(err error)
}

// ShowOn returns a Progress that shows a training on a bar. Its note contains the epoch, the loss,
// τ, the mean κ and the pairs per second.
func ShowOn(bar Bar) Progress { return &barProgress{Bar: bar, now: time.Now} }

// Watch returns a Progress that calls a function after every step. An error from the function stops
// the training before its next step.
func Watch(advance func(Update) error) Progress { return watcher{advance: advance} }

type watcher struct {
	silent
	advance func(Update) error
}

// Advance calls the function.
func (w watcher) Advance(update Update) error { return w.advance(update) }

type barProgress struct {
	Bar
	now     func() time.Time
	started time.Time
	pairs   int
	begun   bool
}

// Begin shows the empty bar.
func (b *barProgress) Begin(task string, steps int) {
	b.begun, b.pairs, b.started = false, 0, b.now()
	b.Bar.Begin(task, steps)
}

// Note passes text to the bar, or to the log if the bar is not a Noter.
func (b *barProgress) Note(text string) { note(b.Bar, text) }

// Advance moves the bar.
func (b *barProgress) Advance(update Update) error {
	if skipping, ok := b.Bar.(interface{ Skip(done int) }); ok && !b.begun && update.Step > 1 {
		skipping.Skip(update.Step - 1)
	}
	b.begun = true
	b.pairs += update.Pairs
	// A thousand notes are enough for any bar, and formatting one is as expensive as a small step.
	if update.Step%max(1, update.Steps/1000) == 0 || update.Step == update.Steps {
		note := update.String()
		if seconds := b.now().Sub(b.started).Seconds(); seconds > 0 && b.pairs > 0 {
			note += fmt.Sprintf(", %.0f samples/s", float64(b.pairs)/seconds)
		}
		b.Step(update.Step, note)
	}
	return nil
}
