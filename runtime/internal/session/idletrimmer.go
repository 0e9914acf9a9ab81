package session

import (
	"runtime/debug"
	"sync"
	"time"

	"gosphere/runtime/internal/guard/limits"
)

// restTime is how long the session must be idle before memory is returned.
const restTime = time.Second

// restGrowth is the growth in bytes since the last return that makes another one worthwhile.
const restGrowth = 2 << 20

// An idleTrimmer returns unused memory to the operating system when no cell has run for a while. By
// default the collector keeps about as much free memory as is in use, which is wasteful in a
// session that waits for its user for hours.
type idleTrimmer struct {
	quiet    func() bool
	used     func() int64
	giveBack func()

	mu    sync.Mutex // guards the following fields
	timer *time.Timer
	floor int64 // memory in use after the last return
}

// TrimWhenIdle returns memory to the system when no cell has run for a second. Only the kernel uses
// it: other programs exit after their cells. It must be called before the first cell.
func (s *Session) TrimWhenIdle() {
	s.rest = &idleTrimmer{quiet: s.calls.idle, used: limits.Held, giveBack: debug.FreeOSMemory}
	s.rest.floor = s.rest.used()
	s.calls.ended = s.rest.ended
}

// ended records that a call has ended.
func (r *idleTrimmer) ended() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		r.timer = time.AfterFunc(restTime, r.take)
		return
	}
	r.timer.Reset(restTime)
}

// take returns memory to the system if no call is in progress and the process has grown enough. If
// a call is in progress, the timer is restarted when it ends.
func (r *idleTrimmer) take() {
	if !r.quiet() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// Cells that allocate little would otherwise cause a collection each.
	if r.used() < r.floor+restGrowth {
		return
	}
	// It stops the world and takes a full collection, which delays no one while no call is in
	// progress.
	r.giveBack()
	r.floor = r.used()
}
