package adapter

import (
	"fmt"
	"log"
	"sync"
	"time"

	"gosphere/asymvlm/retrieval"
)

// An Update tells how far a training is and what its last step saw.
type Update struct {
	Step, Steps       int // done, and in all
	Epoch, Epochs     int // under way, from 1, and in all
	Loss              float64
	Temperature       float64
	MeanConcentration float64
	LearningRate      float64
	Pairs             int // in this step

	Validation *Measurement // the last on the validation set, nil where there is none
}

// String gives the update in one line.
func (u Update) String() string {
	text := fmt.Sprintf("epoch %d/%d, loss %s, tau %s, kappa %s", u.Epoch, u.Epochs, retrieval.Decimal(u.Loss, 3), retrieval.Decimal(u.Temperature, 2),
		retrieval.Decimal(u.MeanConcentration, 2))
	if u.Validation != nil {
		text += ", " + u.Validation.String()
	}
	return text
}

// Progress watches a training. All methods are called from the goroutine that called Train: Begin once, Advance after
// every step, and End once with the error that Train returns. An error from Advance stops the training before its
// next step; Train then writes a checkpoint and returns that error. A training takes 20 steps a second or more, so
// showing each of them is for Advance to decide.
type Progress interface {
	Begin(task string, steps int)
	Advance(update Update) error
	End(err error)
}

// A Noter is a Progress that is told, after Begin, what somebody who watches would not expect of the training: that a card takes only a
// part of it. Where a progress is none, the line goes to package log.
type Noter interface{ Note(text string) }

// note tells the progress something, or the log.
func note(progress any, text string) {
	if noter, able := progress.(Noter); able {
		noter.Note(text)
		return
	}
	log.Print("adapter: " + text)
}

var (
	defaultMutex    sync.Mutex // guards defaultProgress
	defaultProgress func() Progress
)

// SetDefaultProgress sets what makes the progress for trainings whose options name none: a bar in a terminal, a
// display in a notebook. It is called once for every training and may return nil; nil instead of a function switches
// the default off.
func SetDefaultProgress(make func() Progress) {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	defaultProgress = make
}

// progress returns what watches a training with these options, never nil.
func (o Options) progress() Progress {
	if o.Progress != nil {
		return o.Progress
	}
	defaultMutex.Lock()
	make := defaultProgress
	defaultMutex.Unlock()
	if make != nil {
		if p := make(); p != nil {
			return p
		}
	}
	return silent{}
}

// silent is the progress that shows nothing.
type silent struct{}

func (silent) Begin(string, int)    {}
func (silent) Advance(Update) error { return nil }
func (silent) End(error)            {}

// A Bar is anything that shows how many of a number of steps are done, with a note; the notebook's progress display
// is one. A bar with a method Skip(done int) is told how many steps a training that is resumed begins with, so that it
// can leave them out of its rate.
type Bar interface {
	Begin(task string, steps int)
	Step(done int, note string)
	End(err error)
}

// ShowOn makes a bar watch a training: its note has the epoch, the loss, τ, the mean κ and the pairs in a second.
func ShowOn(bar Bar) Progress { return &barProgress{Bar: bar, now: time.Now} }

// Watch makes a function watch a training: it is called after every step, and an error from it stops the training before
// its next step.
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

// Note hands it to the bar, if that can show it.
func (b *barProgress) Note(text string) { note(b.Bar, text) }

// Advance moves the bar.
func (b *barProgress) Advance(update Update) error {
	if skipping, ok := b.Bar.(interface{ Skip(done int) }); ok && !b.begun && update.Step > 1 {
		skipping.Skip(update.Step - 1)
	}
	b.begun = true
	b.pairs += update.Pairs
	// A thousand notes are enough for any bar, and formatting one costs as much as a small step.
	if update.Step%max(1, update.Steps/1000) == 0 || update.Step == update.Steps {
		note := update.String()
		if seconds := b.now().Sub(b.started).Seconds(); seconds > 0 && b.pairs > 0 {
			note += fmt.Sprintf(", %.0f samples/s", float64(b.pairs)/seconds)
		}
		b.Step(update.Step, note)
	}
	return nil
}
