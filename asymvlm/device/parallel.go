package device

import (
	"runtime"
	"sync/atomic"
)

// A task is work cut into parts that do not depend on each other.
type task interface {
	do(part, worker int)
}

// parallel is the goroutines of a device and the task they are at. The caller of run is worker 0.
type parallel struct {
	helpers []*helper
	caller  sleeper
	current task
	parts   int
	next    atomic.Int64 // the next part to do
	busy    atomic.Int64 // helpers that are at the task
}

// A helper is a goroutine that does parts of one task after the other.
type helper struct {
	sleeper
	calls atomic.Int64 // tasks it was called to so far; negative: it is to end
	_     [64]byte     // of another line of the cache than the next helper
}

// start starts the helpers.
func (p *parallel) start(threads int) {
	p.caller.prepare(func() bool { return p.busy.Load() == 0 })
	for worker := 1; worker < threads; worker++ {
		h, answered := new(helper), int64(0)
		h.prepare(func() bool { return h.calls.Load() != answered })
		p.helpers = append(p.helpers, h)
		// Owns the parts it claims of the current task; ends when stop calls it.
		go func() {
			for {
				h.wait()
				answered++
				if h.calls.Load() < 0 {
					return
				}
				p.work(worker)
				if p.busy.Add(-1) == 0 {
					p.caller.call()
				}
			}
		}()
	}
}

// stop ends the helpers.
func (p *parallel) stop() {
	for _, h := range p.helpers {
		h.calls.Store(-1)
		h.call()
	}
	p.helpers = nil
}

// run does all parts of a task and returns when they are done.
func (p *parallel) run(t task, parts int) {
	p.current, p.parts = t, parts
	p.next.Store(0)
	p.summon(min(len(p.helpers), parts-1))
	p.work(0)
	p.caller.wait()
	p.current = nil
}

// summon calls the first helpers.
func (p *parallel) summon(count int) {
	if count <= 0 {
		return
	}
	p.busy.Store(int64(count))
	for _, h := range p.helpers[:count] {
		h.calls.Add(1)
		h.call()
	}
}

// work does parts until none is left.
func (p *parallel) work(worker int) {
	for {
		part := int(p.next.Add(1)) - 1
		if part >= p.parts {
			return
		}
		p.current.do(part, worker)
	}
}

// A sleeper waits until something is so: awake for a while, as the next task mostly comes sooner than a sleeping thread of
// the operating system could be woken, and then asleep.
type sleeper struct {
	ready  func() bool
	asleep atomic.Bool
	wake   chan struct{}
}

// glances is how often a sleeper looks before it sleeps: some ten microseconds.
const glances = 4096

func (s *sleeper) prepare(ready func() bool) { s.ready, s.wake = ready, make(chan struct{}, 1) }

// wait returns when it is so. Whoever makes it so calls the sleeper afterward.
func (s *sleeper) wait() {
	for glance := range glances {
		if s.ready() {
			return
		}
		if glance%64 == 63 {
			runtime.Gosched() // others may need the processor for what is waited for
		}
	}
	for !s.ready() {
		s.asleep.Store(true)
		if s.ready() && s.asleep.CompareAndSwap(true, false) {
			return
		}
		<-s.wake
	}
}

// call wakes the sleeper if it sleeps.
func (s *sleeper) call() {
	if s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}
