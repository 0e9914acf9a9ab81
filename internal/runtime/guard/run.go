package guard

import (
	"runtime"
	"slices"
	"time"
)

// A Kind says how a cell ended.
type Kind int

// The kinds of outcomes.
const (
	Finished Kind = iota
	Panicked
	Interrupted
	Exited
	Overflowed
	MemoryExceeded
	Unanswered // it read input when no user could answer
)

// An Outcome describes the end of a cell.
type Outcome struct {
	Kind  Kind
	Panic PanicReport
	Calls []string  // unwound by a panic or an overflow, innermost first
	Code  int       // of os.Exit
	Text  string    // the limit that was exceeded, or why there is no answer
	Place *Position // where the cell was stopped; nil if it had not begun, and set only for Interrupted, MemoryExceeded and Unanswered
}

// grace is how long an interrupted cell may take to end. Loops poll every few microseconds, so a
// cell that has not ended by then is in compiled code.
const grace = 10 * time.Millisecond

// patientGrace is the additional time for a cell that is not waiting: it may simply not have been
// scheduled, and records its position when it polls.
const patientGrace = 50 * time.Millisecond

// Run runs the cell's code on a new goroutine. It returns when that goroutine has ended, or when
// the cell has been stopped and does not end in time. In the second case the goroutine is abandoned
// and ends at its next poll. Run first acquires the execution lock, unless the cell holds it
// already.
func (c *Cell) Run(body func()) Outcome {
	defer c.ReleaseLock()
	if !c.AcquireLock() {
		return c.stoppedOutcome(Outcome{Kind: Interrupted})
	}
	c.started = true
	// The new goroutine runs the statements. It ends after the statements, or by Goexit at a poll
	// after an interrupt. It never ends if they wait for an event that does not happen.
	defer c.watchMemory()()
	defer c.watchWaits()()
	c.guard.drain() // forwards output that precedes the cell
	// Captured output of descriptors belongs to this cell from now on.
	c.guard.runs(c)
	c.guard.Begin(true)
	go func() {
		ended := false
		defer func() {
			// If the code called runtime.Goexit itself, the cell ends normally but has no value.
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
			place := c.abandonedPosition()
			if (place.Call == "" || !place.Waits) && c.endsWithin(patientGrace) {
				return c.stoppedOutcome(c.outcome)
			}
			// leave returns when the abandoned goroutine has ended.
			go c.abandon()
			return c.stoppedOutcome(Outcome{Kind: Interrupted, Place: c.confirmed(place)})
		}
	}
	return c.stoppedOutcome(c.outcome)
}

// Discard must be called when a cell is no longer needed, whether or not it ran.
func (c *Cell) Discard() {
	c.ReleaseLock()
	if !c.started && !c.HasEnded() {
		close(c.finished)
	}
}

// stoppedOutcome converts an interrupt to the outcome that caused it: an exit, a limit or an
// unanswered question.
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

// runBody calls body and converts a panic to an outcome. The panic is described here, on the
// goroutine of the cell, because its Error and String methods may be cell code.
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

// Stop makes the goroutines of the cell end at their next poll. It may be called from any
// goroutine.
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

// StopAll stops all cells and waits a moment for their goroutines. Goroutines that wait in compiled
// code end when they return from it.
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

// raise sets whether code of cells polls because of stopped cells. It polls in any case while the
// execution lock is contended. The caller holds g.mu.
func (g *Guard) raise(flag bool) {
	g.swept = flag
	if g.execLock.contended.Load() {
		flag = true
	}
	g.onStop(flag)
}

// sweep keeps the stop flag set while goroutines of stopped cells may run. A set flag makes every
// loop of every cell poll. After the first second it is therefore set only briefly at intervals: an
// abandoned goroutine that returns from compiled code still meets it soon. sweep ends when the
// statements of all stopped cells have ended.
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

// runs records that a cell has begun to run. Text that arrives at the descriptors belongs to the
// most recently started running cell, or else to the last one that ran.
func (g *Guard) runs(c *Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = append(g.running, c)
	g.latest.Store(c)
}

// ended records that the statements of a cell have ended.
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

// Exit ends the cell with an exit code. It may be called on any goroutine of the cell.
func (c *Cell) Exit(code int) {
	if !c.exited.Load() {
		c.code = code
		c.exited.Store(true)
	}
	c.Stop()
	runtime.Goexit()
}
