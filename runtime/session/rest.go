package session

import (
	"runtime/debug"
	"sync"
	"time"

	"gosphere/runtime/guard"
)

// restTime is how long nothing may have run before memory is given back.
const restTime = time.Second

// restGrowth is how many bytes more than after the last time the process must hold.
const restGrowth = 8 << 20

// A rest gives memory that nobody needs back to the system when no cell has run for a while.
// The collector by itself keeps as much again as is in use, which in a session that waits for
// its user for hours is of use to nobody.
type rest struct {
	quiet    func() bool
	used     func() int64
	giveBack func()

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	floor int64 // used when memory was given back last
}

// RestWhenIdle gives memory back when no cell has run for a second. Only the kernel does this:
// other programs end when their cells have ended. It is called before the first cell.
func (s *Session) RestWhenIdle() {
	s.rest = &rest{quiet: s.idle, used: guard.HeldMemory, giveBack: debug.FreeOSMemory}
	s.rest.floor = s.rest.used()
}

// idle tells that no call is in progress.
func (s *Session) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls) == 0
}

// ended notes that a call has ended.
func (r *rest) ended() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		r.timer = time.AfterFunc(restTime, r.take)
		return
	}
	r.timer.Reset(restTime)
}

// take gives memory back if no call is in progress and it is worth the while. The call that is
// in progress starts the timer again when it ends.
func (r *rest) take() {
	if !r.quiet() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used() < r.floor+restGrowth {
		return
	}
	r.giveBack()
	r.floor = r.used()
}
