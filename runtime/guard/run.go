package guard

import (
	"runtime"
	"slices"
	"time"
)

// A Kind says how a cell has ended.
type Kind int

// The ends of a cell.
const (
	Finished Kind = iota
	Panicked
	Interrupted
	Exited
	Overflowed
	MemoryExceeded
	Unanswered // it wanted input where nobody can answer
)

// An Outcome is the end of a cell.
type Outcome struct {
	Kind  Kind
	Panic PanicReport
	Calls []string // that a panic or an overflow has left, innermost first
	Code  int      // of os.Exit
	Text  string   // says which limit was exceeded, or why nobody answers
	Place *Place   // where the cell was stopped; nil if it had not begun, and of other kinds than Interrupted, MemoryExceeded and Unanswered
}

// grace is how long an interrupted cell may take to end by itself. Loops poll every few
// microseconds; what has not ended by then waits in compiled code.
const grace = 10 * time.Millisecond

// patientGrace is what a cell gets besides that does not wait: it may only lack a processor, and tells where it was when it polls.
const patientGrace = 50 * time.Millisecond

// Run runs the cell's code on a goroutine of its own, and returns when that has ended or
// when it was stopped and does not end in time. Then the goroutine is left behind: it ends
// at its next poll. The cell waits for its turn first, if it has not taken it before.
func (c *Cell) Run(body func()) Outcome {
	defer c.LeaveTurns()
	if !c.TakeTurn() {
		return c.stoppedOutcome(Outcome{Kind: Interrupted})
	}
	c.started = true
	// This goroutine runs the statements. It ends with them, by Goexit at a poll after
	// an interrupt, or never if they wait for something that does not happen.
	defer c.watchMemory()()
	c.guard.drain() // what belongs to the cell before
	c.guard.runs(c)
	c.guard.Begin(true)
	go func() {
		ended := false
		defer func() {
			// By runtime.Goexit of its own the cell ends well: there is a value no more,
			// but nothing has gone wrong.
			if !ended && c.outcome.Kind == Finished && c.stopped.Load() {
				c.outcome.Kind = Interrupted
			}
			c.guard.debugger.Forget()
			c.guard.ended(c)
			c.guard.End()
			close(c.finished)
		}()
		c.enter()
		c.main = goroutine()
		c.mainID.Store(goroutineID())
		c.guard.debugger.Forget()
		c.runBody(body)
		ended = true
	}()
	select {
	case <-c.finished:
	case <-c.done:
		if !c.endsWithin(grace) {
			place := c.placeLeft()
			if (place.Call == "" || !place.Waits) && c.endsWithin(patientGrace) {
				return c.stoppedOutcome(c.outcome)
			}
			// Ends with the goroutine that is left behind.
			go c.leave()
			return c.stoppedOutcome(Outcome{Kind: Interrupted, Place: c.confirmed(place)})
		}
	}
	return c.stoppedOutcome(c.outcome)
}

// Discard is called when nothing more is done with a cell, whether it ran or not.
func (c *Cell) Discard() {
	c.LeaveTurns()
	if !c.started && !c.HasEnded() {
		close(c.finished)
	}
}

// stoppedOutcome makes an exit, or the end by a limit or a question, of what looks like an interrupt.
func (c *Cell) stoppedOutcome(o Outcome) Outcome {
	if o.Kind == Interrupted && o.Place == nil {
		o.Place = c.place.Load()
	}
	if text := c.exceeded.Load(); text != nil && o.Kind == Interrupted {
		return Outcome{Kind: MemoryExceeded, Text: *text, Place: o.Place}
	}
	if text := c.unanswered.Load(); text != nil && o.Kind == Interrupted {
		return Outcome{Kind: Unanswered, Text: *text, Place: o.Place}
	}
	if c.exited.Load() {
		return Outcome{Kind: Exited, Code: c.code}
	}
	return o
}

func (c *Cell) runBody(body func()) {
	panicking := true
	defer func() {
		if !panicking {
			return
		}
		if value := recover(); value != nil {
			value, calls := split(value)
			c.outcome = Outcome{Kind: Panicked, Panic: ReportPanic(value), Calls: calls}
		}
	}()
	body()
	panicking = false
}

// Stop tells the goroutines of the cell to end. Any goroutine may call it.
func (c *Cell) Stop() {
	if c.stopped.Swap(true) {
		return
	}
	close(c.done)
	g := c.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopping[c] = time.Now()
	g.raise(true)
	if len(g.stopping) == 1 {
		go g.sweep()
	}
}

// StopAll tells the goroutines of all cells to end and waits a moment for them. Those that
// wait in compiled code end when they come back from there.
func (g *Guard) StopAll() {
	cells.Range(func(_, value any) bool {
		if c := value.(*membership).cell; c.guard == g {
			c.Stop()
		}
		return true
	})
	for end := time.Now().Add(grace); time.Now().Before(end) && !g.Quiet(); {
		time.Sleep(time.Millisecond)
	}
}

// raise sets whether code of cells polls to what stopped cells want. While
// cells take turns it does. The caller holds g.mu.
func (g *Guard) raise(flag bool) {
	g.swept = flag
	if g.turns.contended.Load() {
		flag = true
	}
	g.onStop(flag)
}

// sweep holds the stop flag up while goroutines of stopped cells may run. A set flag makes
// every loop of every cell poll, so that after the first second it is up only for a moment
// at a time: a goroutine that was left behind and comes back from compiled code meets such
// a moment soon. It ends when the statements of all stopped cells have ended.
func (g *Guard) sweep() {
	const settle, up, down = time.Second, 2 * time.Millisecond, 48 * time.Millisecond
	for {
		time.Sleep(up)
		g.mu.Lock()
		recent := false
		for c, since := range g.stopping {
			recent = recent || time.Since(since) < settle
			if time.Since(since) >= settle && c.HasEnded() {
				delete(g.stopping, c)
			}
		}
		if len(g.stopping) == 0 {
			g.raise(false)
			g.mu.Unlock()
			return
		}
		if !recent {
			g.raise(false)
		}
		g.mu.Unlock()
		if !recent {
			time.Sleep(down)
			g.mu.Lock()
			g.raise(true)
			g.mu.Unlock()
		}
	}
}

// runs notes that a cell runs now, and ended that its statements have ended. What arrives at
// the descriptors belongs to the latest cell that runs, or to the last one that did.
func (g *Guard) runs(c *Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = append(g.running, c)
	g.latest.Store(c)
}

func (g *Guard) ended(c *Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = slices.DeleteFunc(g.running, func(other *Cell) bool { return other == c })
	if n := len(g.running); n > 0 {
		g.latest.Store(g.running[n-1])
	}
}

// endsWithin waits for the end of the statements and reports whether it came in time.
func (c *Cell) endsWithin(d time.Duration) bool {
	select {
	case <-c.finished:
		return true
	case <-time.After(d):
		return false
	}
}

// HasEnded reports whether the goroutine of the statements has ended.
func (c *Cell) HasEnded() bool {
	select {
	case <-c.finished:
		return true
	default:
		return false
	}
}

// Exited reports whether the cell has called os.Exit, after which no deferred call runs.
func (c *Cell) Exited() bool { return c.exited.Load() }

// Exit ends the cell with a code, from any of its goroutines.
func (c *Cell) Exit(code int) {
	if !c.exited.Load() {
		c.code = code
		c.exited.Store(true)
	}
	c.Stop()
	runtime.Goexit()
}
