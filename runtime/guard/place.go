package guard

import (
	"runtime"
	"strings"
)

// A Place tells where a cell was when it was stopped.
type Place struct {
	Stack string // of the goroutine of its statements, as package runtime prints it; "" if unknown
	Line  int    // of its innermost call, 0 if unknown, Entered if that had only begun
	Goes  bool   // the goroutine was left behind in what Call tells

	moving bool // it was in another call a moment before
}

// Entered is the line of a function that has only begun.
const Entered = -1

const (
	// deepest bounds the stacks that are looked at: walking one to its end takes time.
	deepest = 16 << 20
	// mostGoroutines bounds those of the process when another goroutine's stack is looked at, which all stop for.
	mostGoroutines = 2000
)

// stopHere ends the calling goroutine, whose cell was told to stop, at a line, 0 for the one that was noted last.
func (c *Cell) stopHere(line int) {
	if c.main == goroutine() && c.place.Load() == nil {
		p := &Place{Line: line}
		if line == 0 {
			p.Line = c.guard.ownLine()
		}
		if stackUsed() < deepest {
			text := make([]byte, 64<<10)
			p.Stack = string(text[:runtime.Stack(text, false)])
		}
		c.place.Store(p)
	}
	runtime.Goexit()
}

// placeLeft is where a cell is that does not end when it is told to.
func (c *Cell) placeLeft() *Place {
	if p := c.place.Load(); p != nil {
		return p // it is ending
	}
	p := &Place{Goes: true}
	if id := c.mainID.Load(); id != 0 && runtime.NumGoroutine() <= mostGoroutines {
		p.Stack = stackOf(id)
	}
	if p.Call() != "" { // else it may have got on since it noted a line
		p.Line = c.guard.ownLine()
	}
	return p
}

// confirmed is a place that was seen from outside, looked at again if the goroutine did not wait: a call that it is in by chance is none
// that holds it up.
func (c *Cell) confirmed(before *Place) *Place {
	if before.Waits() {
		return before
	}
	p := c.placeLeft()
	if p.Goes && p.Call() != before.Call() {
		p.moving, p.Line = true, 0
	}
	return p
}

// ownLine is the line that was noted last, 0 if another goroutine than that of a cell's statements may have noted it.
func (g *Guard) ownLine() int {
	g.count.Lock()
	defer g.count.Unlock()
	if *g.shared != 0 {
		return 0
	}
	return *g.line
}

// supportCalls are the functions of this package in which a cell is stopped, as the cell calls them.
var supportCalls = map[string]string{"sleep": "time.Sleep", "choose": "a select statement"}

// channelCalls are the functions of the interpreter that wait for a channel.
var channelCalls = []struct{ function, what string }{
	{"recv", "a receive"}, {"rangeChan", "a receive"}, {"send", "a send"},
}

// Call is the compiled function that the innermost function of a cell has called, or what it waits for; "" if it was in neither.
func (p *Place) Call() string {
	inside, outside, found := strings.Cut(p.Stack, "\n"+interpreter)
	if !found || p.moving {
		return ""
	}
	if at := strings.LastIndex(inside, "\nreflect.Value.call("); at >= 0 {
		name, _, _ := strings.Cut(lastFunction(inside[:at]), "[") // of type arguments
		if own, ok := strings.CutPrefix(name, "gosphere/runtime/guard."); ok {
			return supportCalls[own]
		}
		if strings.HasPrefix(name, "gosphere/runtime/") || strings.HasPrefix(name, "reflect.") { // the way into a call
			return ""
		}
		return strings.TrimSuffix(name, "-fm") // of a method value
	}
	for _, c := range channelCalls {
		if strings.HasPrefix(outside, c.function) && waits(p.Stack) {
			return c.what
		}
	}
	return ""
}

// Waits tells whether the cell waited, for a channel, a lock, the clock, a file.
func (p *Place) Waits() bool { return waits(p.Stack) }
