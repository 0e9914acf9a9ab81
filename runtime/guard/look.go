package guard

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// An Activity reports what the goroutine of a cell's statements does. Any goroutine may call
// Outside and Observed.
type Activity interface {
	// Outside returns a number that changes whenever the goroutine enters or leaves compiled
	// code, and reports whether it is in compiled code, or waits.
	Outside() (moves uint64, outside bool)
	// Observed describes the calls of cells in progress, innermost first, and names what the
	// innermost one has called or waits for. It reports whether the goroutine was outside
	// meanwhile; otherwise the answer means nothing.
	Observed() (call string, calls []string, ok bool)
	// Calls is Observed for the goroutine itself.
	Calls() (call string, calls []string)
}

// Follow sets what reports on the goroutine of the cell's statements; nil when it has ended.
func (c *Cell) Follow(a Activity) {
	if a == nil {
		c.activity.Store(nil)
		return
	}
	c.activity.Store(&a)
}

// activityOf returns what Follow has set, nil for none.
func (c *Cell) activityOf() Activity {
	if a := c.activity.Load(); a != nil {
		return *a
	}
	return nil
}

// A look is where a cell is at one moment.
type look struct {
	cell         *Cell
	polls, moves uint64
	outside      bool   // in compiled code
	stack        string // of a goroutine that was seen there before
}

// look looks at the goroutine of the statements.
func (c *Cell) look() look {
	l := look{cell: c, polls: c.polls.Load()}
	if a := c.activityOf(); a != nil {
		l.moves, l.outside = a.Outside()
	}
	return l
}

// stays reports, from this look and the one before, whether the cell has been in one call of
// compiled code all the time and waits in it, or has got on in it. A goroutine that has done neither
// may only lack a processor. In a call that uses a map it must not be disturbed, because another cell
// could use the same map.
func (l *look) stays(before look) bool {
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

// machine is how the frames of running cells begin in a stack of package runtime.
var machine = []string{"\ngosphere/runtime/machine.", "\ngosphere/runtime/exec."}

// mapOperations are in the frames of compiled code that uses a map.
var mapOperations = []string{
	"\ninternal/runtime/maps.", "\nruntime.map", "\nreflect.map", "\nreflect.(*MapIter)", "\nreflect.Value.MapRange", "\nreflect.Value.MapKeys",
	"\nreflect.Value.MapIndex", "\nreflect.Value.SetMapIndex",
}

// waits reports whether the goroutine of the statements waits, for a channel, a lock, the clock or
// a file.
func (c *Cell) waits() bool {
	id := c.mainID.Load()
	return id != 0 && runtime.NumGoroutine() <= mostGoroutines && waits(stackOf(id))
}

// waits reports from the head of a stack, "goroutine 7 [chan receive, 2 minutes]:", whether the
// goroutine waits. The collector may hold up any other.
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

// mostGoroutines bounds those of the process when another goroutine's stack is looked at, which
// stops all of them.
const mostGoroutines = 2000

// stackOf returns the stack of a goroutine as package runtime prints it, "" if it is gone.
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

// goroutineID is the number of the calling goroutine in stacks.
func goroutineID() uint64 {
	var text [64]byte
	_, rest, _ := strings.Cut(string(text[:runtime.Stack(text[:], false)]), " ")
	digits, _, _ := strings.Cut(rest, " ")
	id, _ := strconv.ParseUint(digits, 10, 64) // 0 is no goroutine of a cell
	return id
}
