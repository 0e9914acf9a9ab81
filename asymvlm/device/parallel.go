package device

import (
	"runtime"
	"sync/atomic"
)

// A task is work divided into independent parts.
type task interface {
	do(part, worker int)
}

// parallel holds the goroutines of a device and their current task. The caller of run is worker 0.
type parallel struct {
	helpers []*helper
	caller  sleeper
	current task
	parts   int
	next    atomic.Int64 // the next part to run
	busy    atomic.Int64 // helpers that work on the task
}

// A helper is a goroutine that runs parts of successive tasks.
type helper struct {
	sleeper
	calls atomic.Int64 // tasks it was called to so far; negative to end it
	_     [64]byte     // keeps helpers on different cache lines
}

// start starts the helpers.
func (p *parallel) start(threads int) {
	p.caller.prepare(func() bool { return p.busy.Load() == 0 })
	for worker := 1; worker < threads; worker++ {
		h, answered := new(helper), int64(0)
		h.prepare(func() bool { return h.calls.Load() != answered })
		p.helpers = append(p.helpers, h)
		// The goroutine owns the parts that it claims of the current task. It ends when stop is
		// called.
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

// run runs all parts of a task and returns when they are done.
func (p *parallel) run(t task, parts int) {
	p.current, p.parts = t, parts
	p.next.Store(0)
	p.summon(min(len(p.helpers), parts-1))
	p.work(0)
	p.caller.wait()
	p.current = nil
}

// summon wakes the first count helpers.
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

// work runs parts until none is left.
func (p *parallel) work(worker int) {
	for {
		part := int(p.next.Add(1)) - 1
		if part >= p.parts {
			return
		}
		p.current.do(part, worker)
	}
}

// A sleeper waits for a condition. It polls for a while before it blocks, because the next task
// usually arrives before the operating system could wake a blocked thread.
type sleeper struct {
	ready  func() bool
	asleep atomic.Bool
	wake   chan struct{}
}

// glances is the number of polls before a sleeper blocks, about ten microseconds.
const glances = 4096

func (s *sleeper) prepare(ready func() bool) { s.ready, s.wake = ready, make(chan struct{}, 1) }

// wait returns once ready reports true. After making it true, a goroutine must call the sleeper's
// call method.
func (s *sleeper) wait() {
	for glance := range glances {
		if s.ready() {
			return
		}
		if glance%64 == 63 {
			runtime.Gosched() // another goroutine may need the CPU to make it true
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

// call wakes the sleeper if it is blocked.
func (s *sleeper) call() {
	if s.asleep.CompareAndSwap(true, false) {
		s.wake <- struct{}{}
	}
}
