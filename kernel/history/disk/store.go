//go:build !js

package disk

import (
	"context"
	"os"
	"sync"
	"time"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// A store writes cells to the history file and reads it. A single goroutine owns the file, so there
// is one connection and no lock around SQL. It talks to the other goroutines by pending, which add
// fills, and by asks, which find sends.
type store struct {
	path     string
	warnings warnings

	// wake has capacity 1: a token means that there may be pending cells. asks has none, so a
	// request that find has abandoned is not answered later.
	wake    chan struct{}
	asks    chan ask
	closing chan struct{} // closed by close
	written chan struct{} // closed when the remaining cells have been written
	done    chan struct{} // closed when run has ended
	ctx     context.Context
	cancel  context.CancelFunc

	mu      sync.Mutex // guards the fields below
	started bool
	closed  bool
	pending []history.Cell // not written yet, oldest first
	first   int            // index of the first pending cell in the session
	bytes   int            // size of pending

	// Fields used only by the goroutine of run.
	file *file // nil while it is not open
	// found identifies the file that is open, or that was found damaged; nil if there was none. It
	// detects that another process has replaced the file. unusable is final: nothing else is tried for
	// this session.
	found    os.FileInfo
	unusable bool // the file cannot be used
}

// An ask is a request for cells with a channel for the answer. It is answered with nil and false if
// the file cannot be read. The channel of the answer has capacity 1, so run does not wait for a
// caller that has given up.
type ask struct {
	request protocol.HistoryRequest
	answer  chan answer
}

// An answer is the result of an ask. Cells may be empty although ok is true.
type answer struct {
	cells []history.Cell
	ok    bool
}

func newStore(options Options) *store {
	s := &store{path: options.Path, wake: make(chan struct{}, 1), asks: make(chan ask), done: make(chan struct{})}
	s.closing, s.written = make(chan struct{}), make(chan struct{})
	s.warnings.to = options.Warn
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// start starts the goroutine that owns the file, once. The caller holds the lock. A kernel that
// runs no cell creates no file and does not spend the time of opening one.
func (s *store) start() {
	if !s.started && !s.closed {
		s.started = true
		// This goroutine opens, writes and reads the file. It ends with close.
		go s.run()
	}
}

// maxPending is the maximum size of cells that wait for a locked file. The oldest are dropped
// first, with a warning. The limit is far larger than history.MemoryLimit, because dropped cells
// are lost.
const maxPending = 64 << 20

// add queues a cell to be written. At least the newest cell is kept, whatever its size.
func (s *store) add(c history.Cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.pending = append(s.pending, c)
	s.bytes += c.Size()
	for s.bytes > maxPending && len(s.pending) > 1 {
		s.warnings.say("dropped", "%s cannot be written for so long that the oldest cells are not stored", s.path)
		s.shorten(1)
	}
	s.start()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// shorten removes the oldest pending cells. The caller holds the lock.
func (s *store) shorten(count int) {
	for _, c := range s.pending[:count] {
		s.bytes -= c.Size()
	}
	s.pending, s.first = s.pending[count:], s.first+count
}

// find reads cells. It returns false if the file cannot be read within the limit. The limit covers
// both the wait for the goroutine, which may be waiting for the lock of the file, and the query.
func (s *store) find(request protocol.HistoryRequest, limit time.Duration) ([]history.Cell, bool) {
	s.mu.Lock()
	s.start()
	running := s.started && !s.closed
	s.mu.Unlock()
	if !running {
		return nil, false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	a := ask{request, make(chan answer, 1)}
	select {
	case s.asks <- a:
	case <-timer.C:
		return nil, false
	case <-s.done:
		return nil, false
	}
	select {
	case got := <-a.answer:
		return got.cells, got.ok
	case <-timer.C:
		return nil, false
	}
}

// close lets the goroutine write the remaining cells and end, and waits until far is closed or the
// limit has passed. If the limit passes, the context ends the statement in progress, and the cells
// that have not been written are lost.
func (s *store) close(limit time.Duration, far <-chan struct{}) {
	s.mu.Lock()
	started, again := s.started, s.closed
	s.closed = true
	s.mu.Unlock()
	if !again {
		close(s.closing)
	}
	if !started {
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-far:
	case <-timer.C:
		s.cancel()
	}
}

// again is how long run waits before it retries a write to a locked file.
const again = 2 * time.Second

// run owns the file. It writes before it reads, and after closing it writes until it succeeds or
// close has given up. done is closed last, when the file is closed.
func (s *store) run() {
	defer close(s.done)
	defer s.cancel()
	// The timer has fired and is drained, so it does not fire before Reset.
	retry := time.NewTimer(0)
	<-retry.C
	for {
		select {
		case <-s.wake:
		case <-retry.C:
		case a := <-s.asks:
			if !s.write() { // a result without the pending cells would lack the latest ones
				a.answer <- answer{}
				retry.Reset(again)
				continue
			}
			cells, ok := s.read(a.request)
			a.answer <- answer{cells, ok}
			continue
		case <-s.closing:
			for !s.write() && s.ctx.Err() == nil {
				continue // each attempt waits for the lock; close gives up after its limit
			}
			// The session's end is recorded before written is closed, since Leave waits for that
			// only.
			s.end()
			close(s.written)
			s.drop()
			return
		}
		if !s.write() {
			retry.Reset(again)
		}
	}
}

// write stores the pending cells and reports whether it succeeded. If not, it should be retried
// later. The cells stay in pending until their transaction is committed, and the lock is not held
// while they are written. Only add changes pending meanwhile: it appends, and may drop cells from
// the front, which first records.
func (s *store) write() bool {
	s.mu.Lock()
	cells, end := s.pending, s.first+len(s.pending)
	s.mu.Unlock()
	if len(cells) == 0 || s.unusable {
		return true
	}
	if !s.attempt(func() error { return s.file.write(s.ctx, cells) }) && !s.unusable {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shorten(max(end-s.first, 0)) // add may have dropped some in the meantime
	return true
}

// read queries the file. Only the goroutine of run calls it.
func (s *store) read(request protocol.HistoryRequest) (cells []history.Cell, ok bool) {
	ok = s.attempt(func() (err error) {
		cells, err = s.file.find(s.ctx, request)
		return err
	})
	return cells, ok
}

// attempt opens the file if necessary and calls do. A damaged file is put aside and replaced by a
// new one; any other failure is reported once. It makes two attempts, because a damaged file is
// detected either by opening or by do, and the new file deserves one. A busy file is not given up:
// it is tried again with the next cell or request, or after some time.
func (s *store) attempt(do func() error) bool {
	for range 2 {
		if s.unusable {
			return false
		}
		err := s.ready()
		if err == nil {
			err = do()
		}
		switch {
		case err == nil:
			return true
		case s.ctx.Err() != nil:
			return false
		// The warning appears once, although the file may be locked again and again.
		case isBusy(err):
			s.warnings.say("locked", "%s is locked by another program: %v", s.path, err)
			return false
		case !isDamaged(err):
			s.warnings.say("unusable", "%s cannot be used, the cells of this session are kept in memory only: %v", s.path, err)
			s.drop()
			s.unusable = true
			return false
		}
		s.drop()
		kept, renameErr := putAside(s.path, s.found)
		if renameErr != nil {
			s.warnings.say("unusable", "%s is damaged (%v) and cannot be put aside: %v", s.path, err, renameErr)
			s.unusable = true
			return false
		}
		if kept != "" {
			s.warnings.say("damaged", "%s is damaged (%v); it is kept as %s, and a new one begins", s.path, err, kept)
		}
	}
	return false
}

// ready opens the file unless it is open and still exists. A user may delete the file while kernels
// run, and another process may put it aside because it is damaged. Writing to the open but unlinked
// file would lose the cells.
func (s *store) ready() (err error) {
	if s.file != nil {
		if now, err := os.Stat(s.path); err == nil && os.SameFile(now, s.found) {
			return nil
		}
		s.drop()
	}
	s.found, _ = os.Stat(s.path) // nil if there is none yet
	if s.file, err = open(s.ctx, s.path); err != nil {
		s.file = nil
		return err
	}
	s.found, _ = os.Stat(s.path)
	return nil
}

// drop closes the file without recording the end of the session.
func (s *store) drop() {
	if s.file != nil {
		_ = s.file.db.Close() // it is damaged or no longer needed
		s.file = nil
	}
}

// end records the end of the session.
func (s *store) end() {
	if s.file != nil {
		_ = s.file.end(s.ctx) // the cells themselves are already stored
	}
}
