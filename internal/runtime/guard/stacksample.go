package guard

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// An Activity reports on the goroutine that runs the statements of a cell. Outside and Observed may
// be called from any goroutine.
type Activity interface {
	// Outside returns a number that changes whenever the goroutine enters or leaves compiled code,
	// and reports whether it is in compiled code or waiting.
	Outside() (moves uint64, outside bool)
	// Observed returns the calls of cells in progress, innermost first, and the name of the
	// function that the innermost one has called or of the operation that it waits for. ok reports
	// whether the goroutine was outside throughout; otherwise the other results are meaningless.
	Observed() (call string, calls []string, ok bool)
	// Timed reports whether a timer or a context may end the operation that Observed returns.
	Timed() bool
	// Calls is Observed for the goroutine itself.
	Calls() (call string, calls []string)
}

// Follow sets the activity of the goroutine that runs the cell's statements. A nil activity means
// that it has ended.
func (c *Cell) Follow(a Activity) {
	if a == nil {
		c.activity.Store(nil)
		return
	}
	c.activity.Store(&a)
}

// activityOf returns the activity set by Follow, or nil.
func (c *Cell) activityOf() Activity {
	if a := c.activity.Load(); a != nil {
		return *a
	}
	return nil
}

// A stackSample is a sample of a cell's position.
type stackSample struct {
	cell         *Cell
	polls, moves uint64
	outside      bool   // in compiled code
	stack        string // set if an earlier sample was at the same position
}

// sample samples the goroutine that runs the statements.
func (c *Cell) sample() stackSample {
	l := stackSample{cell: c, polls: c.polls.Load()}
	if a := c.activityOf(); a != nil {
		l.moves, l.outside = a.Outside()
	}
	return l
}

// staysInCall reports whether two samples show the cell in the same call of compiled code, either waiting
// or making progress in it. A goroutine that does neither may simply not have been scheduled. A
// call that uses a map does not count: another cell could use the same map if it got the execution
// lock.
func (l *stackSample) staysInCall(before stackSample) bool {
	if !l.outside || l.cell != before.cell || l.polls != before.polls || l.moves != before.moves {
		return false
	}
	l.stack = stackOf(l.cell.mainID.Load())
	inside := l.stack
	for _, p := range machine {
		inside, _, _ = strings.Cut(inside, p)
	}
	for _, operation := range mapOperations {
		if strings.Contains(inside, operation) {
			return false
		}
	}
	return waits(l.stack) || before.stack != "" && l.stack != before.stack
}

// machine lists the prefixes of the frames of running cells in a stack. A sample is compared only
// up to the first of them, which is the part in compiled code.
var machine = []string{"\ngosphere/internal/runtime/machine.", "\ngosphere/internal/runtime/exec."}

// mapOperations lists the prefixes of the frames of map operations.
var mapOperations = []string{
	"\ninternal/runtime/maps.", "\nruntime.map", "\nreflect.map", "\nreflect.(*MapIter)", "\nreflect.Value.MapRange", "\nreflect.Value.MapKeys",
	"\nreflect.Value.MapIndex", "\nreflect.Value.SetMapIndex",
}

// waits reports whether the goroutine of the statements is waiting, for example for a channel, a
// lock, a timer or a file.
func (c *Cell) waits() bool {
	id := c.mainID.Load()
	return id != 0 && runtime.NumGoroutine() <= mostGoroutines && waits(stackOf(id))
}

// waits reports whether a goroutine is waiting, according to the first line of its stack, such as
// "goroutine 7 [chan receive, 2 minutes]:". Waiting for the collector does not count, since it can
// happen to any goroutine.
func waits(stack string) bool {
	_, state, found := strings.Cut(stack, "[")
	state, _, _ = strings.Cut(state, "]")
	state, _, _ = strings.Cut(state, ",")
	switch state {
	case "running", "runnable", "preempted", "copystack":
		return false
	}
	return found && !strings.HasPrefix(state, "GC ")
}

// mostGoroutines is the number of goroutines up to which a stack of another goroutine is taken.
// Taking it stops all of them.
const mostGoroutines = 2000

// stackOf returns the stack of a goroutine in the form of runtime.Stack, or "" if the goroutine has
// ended.
func stackOf(id uint64) string {
	text := make([]byte, 64<<10)
	for {
		n := runtime.Stack(text, true)
		if n < len(text) || len(text) >= 64<<20 {
			text = text[:n]
			break
		}
		text = make([]byte, 4*len(text))
	}
	head := []byte("goroutine " + strconv.FormatUint(id, 10) + " [")
	at := 0
	if !bytes.HasPrefix(text, head) {
		if at = bytes.Index(text, append([]byte("\n\n"), head...)); at < 0 {
			return ""
		}
		at += 2
	}
	text = text[at:]
	if end := bytes.Index(text, []byte("\n\n")); end >= 0 {
		text = text[:end]
	}
	return string(text)
}

// goroutineID returns the number of the calling goroutine in stacks.
func goroutineID() uint64 {
	var text [64]byte
	_, rest, _ := strings.Cut(string(text[:runtime.Stack(text[:], false)]), " ")
	digits, _, _ := strings.Cut(rest, " ")
	id, _ := strconv.ParseUint(digits, 10, 64) // 0 is never the number of a goroutine
	return id
}
