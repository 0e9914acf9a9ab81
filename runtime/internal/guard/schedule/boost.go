package schedule

import (
	"sync"
	"time"
)

// If goroutines of cells compute on all of Go's processors, a request waits in the scheduler's
// queue for their time slices of 10 ms, each time that its own slice has ended. GOMAXPROCS is
// therefore raised by one while a request is answered, and for a moment longer: requests come in
// bursts, and every change of GOMAXPROCS stops the world.

// boostTail is how long the extra processor stays after the last request.
var boostTail = time.Second

// boosted counts the requests being answered. It is a variable of the process, as GOMAXPROCS is.
var boosted struct {
	mu       sync.Mutex // guards the following fields
	requests int
	added    bool
	ends     *time.Timer // removes the extra processor; nil before the first request
}

// Boost must be called when a request is about to be answered while cells run, and done when it has
// been answered.
func Boost() (done func()) {
	a := &boosted
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests++
	if !a.added {
		a.added = true
		addProcessors(1)
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.requests--
		if a.ends == nil {
			a.ends = time.AfterFunc(boostTail, endBoost)
		} else {
			a.ends.Reset(boostTail)
		}
	}
}

// endBoost removes the extra processor. If a request is being answered again, its end does so
// instead.
func endBoost() {
	a := &boosted
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.requests == 0 && a.added {
		a.added = false
		addProcessors(-1)
	}
}
