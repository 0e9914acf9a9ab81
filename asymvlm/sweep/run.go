package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/baseline"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/host"
)

// progress returns the progress bar of the study, and a function that says why the calling
// goroutine should end, or nil. Both may be nil. The default of the bar is that of the host of the
// calling goroutine, such as the cell of a notebook, which can stop a study whatever its context
// is.
func (s Study) progress() (bar adapter.Bar, reason func() error) {
	if bar = s.Progress; bar == nil {
		if h, ok := host.Of[interface{ StudyProgress() adapter.Bar }](); ok {
			bar = h.StudyProgress()
		}
	}
	if h, ok := host.Of[interface{ Stopped() error }](); ok {
		reason = h.Stopped
	}
	return bar, reason
}

// parts is the number of progress steps per training.
const parts = 1000

// A message reports the progress or the end of a task.
type message struct {
	task int
	done int // of parts
	run  *Trained
	err  error
}

// Run trains every task of a study and evaluates each on the test set. It returns an error before
// the first training if options are invalid. A failed training does not stop the others: the
// result contains the completed ones, and the error names the failed ones. If ctx is canceled or
// the cell ends, trainings with a folder write a checkpoint, and Run returns the completed
// trainings together with the reason.
func Run(ctx context.Context, s Study) (*Result, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	tasks := s.Tasks()
	options := make([]adapter.Options, len(tasks))
	for i, t := range tasks {
		var err error
		if options[i], err = s.options(t); err != nil {
			return nil, err
		}
	}
	result := &Result{Axes: make([]string, len(s.Axes)), Validated: s.Validation != nil}
	var err error
	if result.Baseline, err = adapter.BaselineOf(s.Test); err != nil {
		return nil, err
	}
	if result.Untrained, err = baseline.Evaluate(s.Test, s.levels()); err != nil {
		return nil, err
	}
	bar, reason := s.progress()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	messages, left := make(chan message), make(chan int, len(tasks))
	for i := range tasks {
		left <- i
	}
	close(left)
	var workers sync.WaitGroup
	for range max(1, s.Jobs) {
		// Ends with the tasks or with the context; messages are read until all have ended.
		workers.Go(func() {
			for i := range left {
				if ctx.Err() == nil {
					s.do(ctx, tasks[i], options[i], func(m message) { m.task = i; messages <- m })
				}
			}
		})
	}
	go func() { // ends after the workers
		workers.Wait()
		close(messages)
	}()
	return s.follow(tasks, result, following{messages, bar, reason, cancel, ctx})
}

// following is what a study is watched by.
type following struct {
	messages <-chan message
	bar      adapter.Bar
	reason   func() error
	cancel   context.CancelCauseFunc
	ctx      context.Context
}

// follow shows the progress and gathers the runs in the order of the tasks.
func (s Study) follow(tasks []Task, result *Result, f following) (*Result, error) {
	for i, axis := range s.Axes {
		result.Axes[i] = axis.Name
	}
	if f.bar != nil {
		f.bar.Begin(fmt.Sprintf("sweep of %d trainings", len(tasks)), parts*len(tasks))
	}
	runs, failed, far, done := make([]*Trained, len(tasks)), []error{}, make([]int, len(tasks)), 0
	sum, best := 0, math.NaN()
	for m := range f.messages {
		sum, far[m.task] = sum+m.done-far[m.task], m.done
		if m.err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", tasks[m.task], m.err))
		}
		if m.run != nil {
			runs[m.task] = m.run
			if r := m.run.Recall(); !(r <= best) {
				best = r
			}
		}
		if m.run != nil || m.err != nil {
			done++
		}
		if f.bar != nil {
			note := fmt.Sprintf("%d of %d done, now %s", done, len(tasks), tasks[m.task])
			if !math.IsNaN(best) {
				note = fmt.Sprintf("%d of %d done, best recall@1 %s, now %s", done, len(tasks), retrieval.Decimal(best, 3), tasks[m.task])
			}
			f.bar.Step(sum, note)
		}
		if f.reason != nil && f.ctx.Err() == nil {
			if err := f.reason(); err != nil {
				f.cancel(err)
			}
		}
	}
	for _, r := range runs {
		if r != nil {
			result.Runs = append(result.Runs, *r)
		}
	}
	err := errors.Join(failed...)
	if f.ctx.Err() != nil {
		err = fmt.Errorf("sweep: %d of %d trainings are done: %w", len(result.Runs), len(tasks), context.Cause(f.ctx))
	} else if err != nil {
		err = fmt.Errorf("sweep: %d of %d trainings failed:\n%w", len(failed), len(tasks), err)
	}
	if f.bar != nil {
		f.bar.End(err)
	}
	return result, err
}

// levels returns the number of uncertainty levels.
func (s Study) levels() int {
	if s.Levels == 0 {
		return 10
	}
	return s.Levels
}

// do does one training and says how far it is.
func (s Study) do(ctx context.Context, t Task, o adapter.Options, say func(message)) {
	run, err := s.train(ctx, t, o, say)
	if err != nil && ctx.Err() != nil {
		return // the study says why
	}
	say(message{done: parts, run: run, err: err})
}

// train does one training, or reads it where it is done.
func (s Study) train(ctx context.Context, t Task, o adapter.Options, say func(message)) (*Trained, error) {
	if o.Checkpoint != "" {
		if err := os.MkdirAll(filepath.Dir(o.Checkpoint), 0o755); err != nil {
			return nil, err
		}
	}
	shown := -1
	o.Progress = adapter.Watch(func(u adapter.Update) error {
		if done := parts * u.Step / max(1, u.Steps) * 99 / 100; done > shown { // the rest is the measurement
			shown = done
			say(message{done: done})
		}
		return ctx.Err()
	})
	trained, err := adapter.Train(ctx, s.Train, o)
	if err != nil {
		return nil, err
	}
	report, err := trained.Evaluate(s.Test, s.levels())
	if err != nil {
		return nil, err
	}
	run := &Trained{Task: t, Report: report, Steps: trained.History().Steps(), Checkpoint: o.Checkpoint, Score: math.NaN()}
	if best, ok := trained.Best(); ok {
		run.Score = best.Score(o.Validation.By)
	}
	return run, nil
}
