package guard

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// A look is what the stack of a cell's goroutine tells about where it is.
type look struct {
	cell    *Cell
	polls   uint64 // of the cell until then
	call    string // the compiled function that interpreted code has called, "" if it is in none
	waiting bool   // for a channel, a lock, the clock, a file
	inside  string // the stack from there on
}

// stays tells, from this look and the one before, that the cell is in a compiled function for
// longer: it waits in it, or it has got on in it. One that has done neither may be anywhere on
// its way and only lack a processor; one that has polled in between was in interpreted code.
func (l look) stays(before look) bool {
	return l.call != "" && l.cell == before.cell && l.polls == before.polls && l.call == before.call &&
		(l.waiting && before.waiting || !l.waiting && !before.waiting && l.inside != before.inside)
}

// interpreter is how the frames of interpreted code begin in a stack.
const interpreter = "github.com/traefik/yaegi/interp."

// mapOperations are in the frames of what must not be disturbed: another cell could use the
// same map.
var mapOperations = []string{
	"\ninternal/runtime/maps.", "\nruntime.map", "\nreflect.map", "\nreflect.(*MapIter)", "\nreflect.Value.MapRange", "\nreflect.Value.MapKeys",
	"\nreflect.Value.MapIndex", "\nreflect.Value.SetMapIndex", "\ngosphere/runtime/guard.map",
}

// channelOperations are how the interpreter waits for a channel.
var channelOperations = []string{"\nreflect.rselect(", "\nreflect.chanrecv(", "\nreflect.chansend", "\nreflect.Value.recv(", "\nreflect.Value.send("}

// look reads the stack of the goroutine of the statements.
func (c *Cell) look() look {
	l := look{cell: c, polls: c.polls.Load()}
	id := c.mainID.Load()
	if id == 0 {
		return l // it is being compiled
	}
	stack := stackOf(id)
	cut := strings.Index(stack, "\n"+interpreter)
	if cut < 0 {
		return l // it has not begun, or has ended: it will be done soon
	}
	l.inside = stack[:cut]
	for _, operation := range mapOperations {
		if strings.Contains(l.inside, operation) {
			return l
		}
	}
	l.waiting = waits(stack)
	if at := strings.LastIndex(l.inside, "\nreflect.Value.call("); at >= 0 {
		l.call = lastFunction(l.inside[:at])
		// Ours are short, or wait.
		if strings.HasPrefix(l.call, "gosphere/runtime/") && !l.waiting || briefCall(l.call) {
			l.call = ""
		}
		return l
	}
	for _, operation := range channelOperations {
		if l.waiting && strings.Contains(l.inside, operation) {
			l.call = operation
		}
	}
	return l
}

// waits tells from the head of a stack, "goroutine 7 [chan receive, 2 minutes]:", whether the
// goroutine waits. The collector may hold up any other.
func waits(stack string) bool {
	_, state, _ := strings.Cut(stack, "[")
	state, _, _ = strings.Cut(state, "]")
	state, _, _ = strings.Cut(state, ",")
	switch state {
	case "running", "runnable", "preempted", "copystack":
		return false
	}
	return !strings.HasPrefix(state, "GC ")
}

// lastFunction is the name of the outermost function of the frames of a stack, each of which
// has a line with the call and one with the place.
func lastFunction(frames string) string {
	lines := strings.Split(frames, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if line := lines[i]; line != "" && line[0] != '\t' {
			if end := strings.LastIndexByte(line, '('); end > 0 {
				return line[:end]
			}
		}
	}
	return ""
}

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
