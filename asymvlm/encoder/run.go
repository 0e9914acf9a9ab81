package encoder

import (
	"context"
	"sync"
	"time"

	"gosphere/asymvlm/encoder/tower"
)

// Progress shows how many of a number of steps are done; the notebook's progress display is one. Its methods are called
// by one goroutine at a time.
type Progress interface {
	Begin(task string, steps int)
	Step(done int, note string)
	End(err error)
}

var (
	defaultMutex    sync.Mutex // guards defaultProgress
	defaultProgress func() Progress
)

// SetDefaultProgress sets what makes the progress for encoders that have none. nil instead of a function switches the
// default off.
func SetDefaultProgress(make func() Progress) {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	defaultProgress = make
}

var stop func() error // why the calling goroutine should end, nil for none; guarded by defaultMutex

// SetStop sets a function that workers ask between parts of their work: an error from it ends the call with that error. A
// notebook's session stops the work of an interrupted cell so, whatever its context.
func SetStop(reason func() error) {
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	stop = reason
}

// stopped returns why the calling goroutine should end.
func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defaultMutex.Lock()
	reason := stop
	defaultMutex.Unlock()
	if reason == nil {
		return nil
	}
	return reason()
}

// progress returns what shows a call, or nil.
func (e *Encoder) progress() Progress {
	if e.Progress != nil {
		return e.Progress
	}
	defaultMutex.Lock()
	defer defaultMutex.Unlock()
	if defaultProgress == nil {
		return nil
	}
	return defaultProgress()
}

// A job is items with costs in tokens, and how some of them in a row are done.
type job struct {
	task  string
	costs []int
	do    func(w *tower.Worker, from, to int) error
}

// chunkTokens is the number of tokens that a worker takes at once: enough rows for products at full speed, and few enough
// to end soon when the context does.
const chunkTokens = 512

// chunks cuts a job into ranges of items of at most chunkTokens, or of one item, and of so few that all cores have some.
func (j job) chunks(cores int) [][2]int {
	total := 0
	for _, cost := range j.costs {
		total += cost
	}
	limit := min(chunkTokens, (total+cores-1)/cores)
	var all [][2]int
	first, tokens := 0, 0
	for i, cost := range j.costs {
		if i > first && tokens+cost > limit {
			all = append(all, [2]int{first, i})
			first, tokens = i, 0
		}
		tokens += cost
	}
	if first < len(j.costs) {
		all = append(all, [2]int{first, len(j.costs)})
	}
	return all
}

// A watch shows a job's progress once it takes longer than a second.
type watch struct {
	mutex    sync.Mutex // guards all that follows
	progress Progress
	begun    bool
	started  time.Time
	done     int
	err      error // the first one
}

// advance notes that items are done.
func (s *watch) advance(j job, items int, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.done += items
	if s.progress == nil || !s.begun && time.Since(s.started) < time.Second {
		return
	}
	if !s.begun {
		s.begun = true
		s.progress.Begin(j.task, len(j.costs))
	}
	s.progress.Step(s.done, "")
}

// failed reports whether an item has failed.
func (s *watch) failed() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.err != nil
}

// run does a job with all free workers. It returns the first error, or that of the context.
func (e *Encoder) run(ctx context.Context, j job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	chunks := make(chan [2]int, len(j.costs))
	all := j.chunks(cap(e.workers))
	for _, chunk := range all {
		chunks <- chunk
	}
	close(chunks)
	state := &watch{progress: e.progress(), started: time.Now()}
	var group sync.WaitGroup
	for range min(cap(e.workers), len(all)) {
		// Owns a worker; ends when no chunk is left, one has failed, or the context ends.
		group.Go(func() {
			var w *tower.Worker
			select {
			case w = <-e.workers:
			case <-ctx.Done():
				return
			}
			defer func() { e.workers <- w }()
			for chunk := range chunks {
				if state.failed() {
					return
				}
				if err := stopped(ctx); err != nil {
					state.advance(j, 0, err)
					return
				}
				state.advance(j, chunk[1]-chunk[0], j.do(w, chunk[0], chunk[1]))
			}
		})
	}
	group.Wait()
	err := state.err
	if err == nil {
		err = ctx.Err()
	}
	if state.begun {
		state.progress.End(err)
	}
	return err
}
