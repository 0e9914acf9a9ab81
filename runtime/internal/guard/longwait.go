package guard

import (
	"fmt"
	"strings"
	"time"

	"gosphere/internal/goroutine"
)

// A program that waits for a channel forever ends with "all goroutines are asleep" in compiled Go.
// In a session the goroutines of the kernel never sleep together, so the guard looks at those of
// cells instead. It reports a wait that no goroutine of a cell can end; it does not end the cell,
// because a timer or a widget still can.

// waitNotice is how long a cell must have waited before its wait may be reported.
const waitNotice = 5 * time.Second

// waitingOperations lists the operations and compiled functions that only another goroutine can
// end.
var waitingOperations = map[string]bool{
	"a receive": true, "a send": true, "a select statement": true,
	"sync.(*WaitGroup).Wait": true, "sync.(*Cond).Wait": true,
	"sync.(*Mutex).Lock": true, "sync.(*RWMutex).Lock": true, "sync.(*RWMutex).RLock": true,
}

// NoticeWaits sets how long a cell must wait before its wait may be reported. It must be called
// before the first cell runs.
func (g *Guard) NoticeWaits(after time.Duration) { g.waitNotice = after }

// watchWaits reports once, on stderr, that the statements of the cell have waited for longer than
// the guard's waitNotice and that no goroutine of a cell can end the wait. Calling stop ends it.
func (c *Cell) watchWaits() (stop func()) {
	var before uint64 // moves at the last look, if the goroutine was outside; else 0, which is even
	var timer *time.Timer
	armed := make(chan struct{})
	timer = time.AfterFunc(c.guard.waitNotice, func() {
		<-armed
		if c.stopped.Load() || c.HasEnded() {
			return
		}
		moves, outside := uint64(0), false
		a := c.Activity()
		if a != nil {
			moves, outside = a.Outside()
		}
		// The goroutine has been in one operation since the last look.
		if outside && moves == before {
			text := c.endlessWait()
			// A cell that has continued may wait again by now.
			if again, still := a.Outside(); text != "" && still && again == moves {
				c.Write("stderr", text)
				return
			}
		}
		if before = 0; outside {
			before = moves
		}
		timer.Reset(c.guard.waitNotice)
	})
	close(armed)
	return func() { timer.Stop() }
}

// endlessWait returns the report of a wait that no goroutine of a cell can end, or "" if the cell
// does not wait or another goroutine runs.
func (c *Cell) endlessWait() string {
	a := c.Activity()
	if a == nil || !c.Waits() {
		return ""
	}
	call, calls, ok := a.Observed()
	if !ok || !waitingOperations[call] || a.Timed() {
		return ""
	}
	// The profile is taken last, because it stops all goroutines.
	state := goroutine.StateOf("session", c.guard.name)
	// The goroutine that ended the wait may have ended itself before the profile, while the cell has
	// yet to continue: then it no longer waits now.
	if state == goroutine.Running || !c.Waits() {
		return ""
	}
	title, more := "all goroutines are asleep", "only a timer or a widget can end this wait; else interrupt the cell"
	if state == goroutine.Listening || c.guard.Sharing.SharedBy() != "" {
		title, more = "no goroutine of a cell is running", "only a timer, a widget, a file or the network can end this wait; else interrupt the cell"
	}
	return fmt.Sprintf("%s: the cell has waited for %v\n    in %s\n%s\n    hint: %s\n", title, c.guard.waitNotice, call, strings.Join(calls, "\n"), more)
}
