package guard

import (
	"time"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/panics"
	"gosphere/runtime/internal/guard/schedule"
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
	Fatal      // a program ended with an error of the runtime
)

// An Outcome describes the end of a cell.
type Outcome struct {
	Kind  Kind
	Panic panics.Report
	Calls []string           // unwound by a panic or an overflow, innermost first
	Chain string             // the text of a panic of a program, with those that it has replaced
	Code  int                // of os.Exit
	Text  string             // the limit that was exceeded, why there is no answer, or the fatal error
	State string             // of the goroutine of the statements after a fatal error, such as "chan receive"
	Place *schedule.Position // where the cell was stopped; nil if it had not begun, and set only for Interrupted, MemoryExceeded and Unanswered
}

// grace is how long an interrupted cell may take to end. Loops poll every few microseconds, so a
// cell that has not ended by then is in compiled code.
const grace = 5 * time.Millisecond

// patientGrace is the additional time for a cell that is neither waiting nor in a long compiled
// call: it may simply not have been scheduled, and records its position when it polls.
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
	defer c.guard.Memory.Watch(c.exceed)()
	if c.guard.program != nil {
		defer c.watchProgram()()
	} else {
		defer c.watchWaits()()
	}
	c.guard.Streams.Begin(c.Streams)
	// The goroutine is counted before it starts, so that no map operation of another one takes
	// itself to be alone.
	c.guard.Sharing.Begin(true)
	// The new goroutine runs the statements. It ends after them, or by Goexit at a poll after an
	// interrupt. It never ends if they wait for an event that does not happen.
	go func() {
		c.guard.Sharing.Start()
		ended := false
		defer func() {
			// If the code called runtime.Goexit itself, the cell ends normally but has no value.
			if !ended && c.outcome.Kind == Finished && c.stopped.Load() {
				c.outcome.Kind = Interrupted
			}
			c.guard.debugger.Forget()
			c.guard.Sharing.End()
			if c.guard.program != nil && !ended && c.outcome.Kind == Finished {
				c.awaitOthers()
			}
			c.guard.Streams.End(c.Streams)
			goroutine.Leave() // the next cell must not count this goroutine, which may end late
			close(c.finished)
		}()
		c.Join()
		c.EnterStatements()
		c.guard.debugger.Forget()
		c.runBody(body)
		ended = true
	}()
	select {
	case <-c.finished:
	case <-c.done:
		if place := c.stays(); place != nil {
			// Abandon returns when the abandoned goroutine has ended.
			go c.Abandon(c.finished)
			return c.stoppedOutcome(Outcome{Kind: Interrupted, Place: c.confirmed(place)})
		}
	}
	return c.stoppedOutcome(c.outcome)
}

// stays waits until a stopped cell has ended, and then returns nil, or until it is found in
// compiled code that will not poll soon, and then returns its place.
func (c *Cell) stays() *schedule.Position {
	before := c.stoppedAt()
	for patience := grace + patientGrace; ; patience -= grace {
		if c.endsWithin(grace) {
			return nil
		}
		place := c.stoppedAt()
		// A goroutine that has been in one compiled call since the last look will not poll soon.
		stuck := place.Call != "" && (place.Waits || place.Goes && !place.Moved(before))
		if stuck || patience <= grace {
			return place
		}
		before = place
	}
}

// Discard must be called when a cell is no longer needed, whether or not it ran.
func (c *Cell) Discard() {
	c.ReleaseLock()
	// A cell that never ran counts as ended for the sweeper.
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
	if crash := c.crashed.Load(); crash != nil {
		return *crash
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
			// finished is closed after this, so that Run reads the outcome without a lock.
			c.outcome = c.guard.panicked(value)
		}
	}()
	body()
	panicking = false
}

// panicked returns the outcome of a panic.
func (g *Guard) panicked(value any) Outcome {
	of, calls := panics.Split(value)
	o := Outcome{Kind: Panicked, Panic: panics.Describe(of), Calls: calls}
	if g.program != nil {
		o.Chain = panics.Chain(value)
	}
	return o
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
