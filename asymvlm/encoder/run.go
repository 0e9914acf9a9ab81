package encoder

import (
	"context"
	"sync"
	"time"

	"gosphere/asymvlm/encoder/tower"
	"gosphere/internal/host"
)

// A Progress displays how many of a number of steps are done, such as the notebook's progress bar.
// Its methods are called by one goroutine at a time.
type Progress interface {
	Begin(task string, steps int)
	Step(done int, note string)
	End(err error)
}

// stopped returns the reason why the calling goroutine should stop, or nil. The host, such as the
// cell of a notebook, can stop work whatever the context is.
func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if h, ok := host.Of[interface{ Stopped() error }](); ok {
		return h.Stopped()
	}
	return nil
}

// progress returns the Progress of a call, or nil.
func (e *Encoder) progress() Progress {
	if e.Progress != nil {
		return e.Progress
	}
	if h, ok := host.Of[interface{ EncoderProgress() Progress }](); ok {
		return h.EncoderProgress()
	}
	return nil
}

// A job consists of items with costs in tokens and a function that processes consecutive items.
type job struct {
	task  string
	costs []int
	do    func(w *tower.Worker, from, to int) error
}

// chunkTokens is the number of tokens that a worker processes at a time: enough rows for matmuls at
// full speed, and few enough to stop soon after the context ends.
const chunkTokens = 512

// chunks divides a job into ranges of at most chunkTokens tokens, or of one item, that are small
// enough to occupy all cores.
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

// A watch displays a job's progress when it takes longer than a second.
type watch struct {
	mutex    sync.Mutex // guards the fields below
	progress Progress
	begun    bool
	started  time.Time
	done     int
	err      error // the first one
}

// advance records that items are done.
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

// run processes a job with all free workers. It returns the first error, or that of the context.
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
		// This goroutine owns a worker. It ends when no chunk remains, a chunk has failed, or the
		// context ends.
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
