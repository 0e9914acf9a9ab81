package guard

import (
	"runtime"
	"sync/atomic"
	"time"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/panics"
)

// A program is a cell that ends as a compiled program does. A panic in any goroutine, a deadlock,
// and the end of all goroutines after a runtime.Goexit of the statements end it. For cells these
// are reports, because a session outlives them.
type program struct {
	// waits returns the number of goroutines that wait for a timer in code of cells, and a number
	// that changes when one begins to.
	waits func() (now, begun int64)

	cell     atomic.Pointer[Cell] // the program itself
	external atomic.Bool          // a signal can wake the goroutines
	pending  atomic.Int64         // timers that have been set and may call functions of the program
	set      atomic.Int64         // timers that have ever been set
}

// AsProgram makes the guard run a program rather than the cells of a session. waits returns the
// number of goroutines that wait for a timer in code of the program, and a number that changes when
// one begins to. AsProgram must be called before the program runs.
func (g *Guard) AsProgram(waits func() (now, begun int64)) { g.program = &program{waits: waits} }

// IsProgram reports whether the guard runs a program.
func (g *Guard) IsProgram() bool { return g.program != nil }

// SetTimer records that a timer may call a function of the program, or end a wait of it, until
// passed is called. It may be called more than once.
func (g *Guard) SetTimer() (passed func()) {
	p := g.program
	if p == nil {
		return func() {}
	}
	p.set.Add(1)
	p.pending.Add(1)
	var once atomic.Bool
	return func() {
		if !once.Swap(true) {
			p.pending.Add(-1)
		}
	}
}

// Goroutines returns the number of goroutines of the session's cells, including those that compiled
// packages have started for them. A program begins with one.
func (g *Guard) Goroutines() int { return goroutine.Count("session", g.name) }

// Name returns the name of the session, the profiler label of its goroutines.
func (g *Guard) Name() string { return g.name }

// ExpectSignals records that signals may wake the goroutines of a program from now on.
func (g *Guard) ExpectSignals() {
	if g.program != nil {
		g.program.external.Store(true)
	}
}

// crash ends a program from a goroutine other than that of its statements. Deferred calls do not
// run. The first crash counts.
func (c *Cell) crash(o Outcome) {
	if c.crashed.CompareAndSwap(nil, &o) && !c.exited.Load() {
		c.code = 2
		c.exited.Store(true)
	}
	c.Stop()
}

// Misuse reports an error that is fatal in a compiled program. In a cell it is a panic, which
// leaves the session alive. Misuse does not return.
func (g *Guard) Misuse(text string) {
	c := Current()
	if g.program == nil || c == nil {
		panic(panics.Misuse(text))
	}
	o := Outcome{Kind: Fatal, Text: text, State: "running"}
	if a := c.Activity(); a != nil && c.OnStatements() {
		_, o.Calls = a.Calls()
	}
	c.crash(o)
	runtime.Goexit()
}

// The intervals at which the guard looks for a deadlock. Looking stops all goroutines briefly, so a
// program that waits for long is looked at less often.
const (
	firstLook  = 50 * time.Millisecond
	latestLook = 2 * time.Second
)

// watchProgram ends the program if all of its goroutines wait for each other. Calling stop ends the
// watch.
func (c *Cell) watchProgram() (stop func()) {
	c.guard.program.cell.Store(c)
	quit := make(chan struct{})
	go func() {
		var before uint64 // moves at the last look, if the goroutine was outside; else 0, which is even
		for next := firstLook; ; next = min(next*3/2, latestLook) {
			select {
			case <-quit:
				return
			case <-c.done:
				return
			case <-time.After(next):
			}
			moves, outside := uint64(0), false
			if a := c.Activity(); a != nil {
				moves, outside = a.Outside()
			}
			stays := outside && moves == before
			if before = 0; outside {
				before = moves
			}
			if stays && c.guard.stuck() > 0 {
				c.crash(c.deadlock())
				return
			}
		}
	}()
	return func() { close(quit) }
}

// stuck returns the number of the goroutines of the program if nothing can wake any of them, and
// otherwise 0. Timers are counted before and after the profile, which shows all goroutines at one
// moment: if there were none before and none has been set since, none can have ended a wait.
func (g *Guard) stuck() int {
	p := g.program
	if p.external.Load() {
		return 0
	}
	now, begun := p.waits()
	set, pending := p.set.Load(), p.pending.Load()
	if now > 0 || pending > 0 {
		return 0
	}
	n, stuck := goroutine.Stuck("session", g.name)
	if !stuck {
		return 0
	}
	if _, later := p.waits(); later != begun || p.set.Load() != set || p.external.Load() {
		return 0
	}
	return n
}

// waitNames are the runtime's words for waiting operations and calls.
var waitNames = map[string]string{
	"a receive": "chan receive", "a send": "chan send", "a select statement": "select",
	"sync.(*WaitGroup).Wait": "sync.WaitGroup.Wait", "sync.(*Cond).Wait": "sync.Cond.Wait", "sync.(*Mutex).Lock": "sync.Mutex.Lock",
	"sync.(*RWMutex).Lock": "sync.RWMutex.Lock", "sync.(*RWMutex).RLock": "sync.RWMutex.RLock",
}

// deadlock returns the outcome of a program whose goroutines all wait.
func (c *Cell) deadlock() Outcome {
	o := Outcome{Kind: Fatal, Text: "all goroutines are asleep - deadlock!", State: "waiting"}
	if a := c.Activity(); a != nil {
		if call, calls, ok := a.Observed(); ok {
			o.Calls = calls
			if name := waitNames[call]; name != "" {
				o.State = name
			}
		}
	}
	return o
}

// awaitOthers waits for the other goroutines of a program whose statements have ended by
// runtime.Goexit. The program ends when one of them ends it, or else with a fatal error.
func (c *Cell) awaitOthers() {
	for next := time.Millisecond; ; next = min(next*3/2, latestLook) {
		select {
		case <-c.done:
			return
		case <-time.After(next):
		}
		// The calling goroutine is one of the group, and does not wait for others.
		if goroutine.Count("session", c.guard.name) <= 1 {
			c.crash(Outcome{Kind: Fatal, Text: "no goroutines (main called runtime.Goexit) - deadlock!"})
			return
		}
		if c.guard.othersStuck() {
			c.crash(Outcome{Kind: Fatal, Text: "all goroutines are asleep - deadlock!"})
			return
		}
	}
}

// othersStuck is like stuck for the goroutines other than the calling one.
func (g *Guard) othersStuck() bool {
	labels := goroutine.Leave()
	defer labels.Restore()
	return g.stuck() > 0
}
