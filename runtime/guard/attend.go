package guard

import (
	"sync"
	"time"
)

// A request that comes while goroutines of cells compute on all of Go's processors waits in the scheduler's queue for their time
// slices of 10 ms, each time that its own has ended. So there is a processor more while one is answered, and for a moment longer:
// requests come in bursts, and every change of the number stops the world.

// lingering is how long the processor stays behind the last request.
var lingering = time.Second

// attended is what there is for requests. It belongs to the process, as the processors do.
var attended struct {
	mu       sync.Mutex // guards what follows
	requests int
	added    bool
	ends     *time.Timer // takes the processor away; nil before the first
}

// Attend is called when a request is to be answered beside cells, and what it returns when it has been. Where no code of cells
// runs it does nothing.
func (g *Guard) Attend() (done func()) {
	if g.Quiet() {
		return func() {}
	}
	a := &attended
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests++
	if !a.added {
		a.added = true
		spareProcessors(1)
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.requests--
		if a.ends == nil {
			a.ends = time.AfterFunc(lingering, unattended)
		} else {
			a.ends.Reset(lingering)
		}
	}
}

// unattended takes the processor away, unless a request is being answered: then its end does.
func unattended() {
	a := &attended
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.requests == 0 && a.added {
		a.added = false
		spareProcessors(-1)
	}
}
