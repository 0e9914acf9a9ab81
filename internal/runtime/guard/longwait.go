package guard

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// A program that waits for a channel forever ends with "all goroutines are asleep" in compiled Go.
// In a session the goroutines of the kernel never sleep together, so the guard looks at those of
// cells instead. It reports a wait that no goroutine of a cell can end; it does not end the cell,
// because a timer or a widget still can.

// waitNotice is how long a cell must have waited before its wait may be reported.
const waitNotice = 5 * time.Second

// waitingOperations lists the operations and compiled functions that only another goroutine can end.
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
		if a := c.activityOf(); a != nil {
			moves, outside = a.Outside()
		}
		if outside && moves == before {
			if text := c.endlessWait(); text != "" {
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
	a := c.activityOf()
	if a == nil || !c.waits() {
		return ""
	}
	call, calls, ok := a.Observed()
	if !ok || !waitingOperations[call] || a.Timed() {
		return ""
	}
	state := c.guard.goroutinesOfCells()
	if state == running {
		return ""
	}
	title, more := "all goroutines are asleep", "only a timer or a widget can end this wait; else interrupt the cell"
	if state == listening || c.guard.SharedBy() != "" {
		title, more = "no goroutine of a cell is running", "only a timer, a widget, a file or the network can end this wait; else interrupt the cell"
	}
	return fmt.Sprintf("%s: the cell has waited for %v\n    in %s\n%s\n    hint: %s\n", title, c.guard.waitNotice, call, strings.Join(calls, "\n"), more)
}

// The states of the goroutines of all cells together.
type goroutineState int

const (
	asleep    goroutineState = iota // all wait for channels and locks
	listening                       // some wait for the network or a file
	running                         // some run, sleep or are in a system call
)

// goroutinesOfCells returns the state of the goroutines of the session's cells, including those
// that compiled packages have started for them. It stops all goroutines briefly.
func (g *Guard) goroutinesOfCells() goroutineState {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return running
	}
	state, label := asleep, fmt.Sprintf(`"session":%q}`, g.name)
	for record := range strings.SplitSeq(profile.String(), "\n\n") {
		if _, labels, found := strings.Cut(record, "\n# labels: "); found && strings.Contains(labels, label) {
			state = max(state, stateOf(record))
		}
	}
	return state
}

// stateOf returns the state of the goroutines of one record of a goroutine profile. Its first line
// has a number of goroutines and the program counters of their stack. The lines with names, which
// follow, omit the functions of the runtime at the top.
func stateOf(record string) goroutineState {
	if strings.Contains(record, sleeping) {
		return running
	}
	_, first, _ := strings.Cut(record, "@")
	first, _, _ = strings.Cut(first, "\n")
	for word := range strings.FieldsSeq(first) {
		pc, err := strconv.ParseUint(word, 0, 64)
		if err != nil || pc == 0 {
			return running
		}
		f := runtime.FuncForPC(uintptr(pc) - 1)
		if f == nil {
			return running
		}
		switch f.Name() {
		case "runtime.gopark", "runtime.goparkunlock":
			continue
		case "runtime.chanrecv", "runtime.chansend", "runtime.selectgo", "runtime.block", "runtime.semacquire1", "sync.runtime_notifyListWait":
			return asleep
		case "runtime.netpollblock":
			return listening
		}
		return running
	}
	return running
}

// sleeping is the name of the function that replaces time.Sleep in cells, as profiles print it.
const sleeping = "internal/runtime/override.sleep+"
