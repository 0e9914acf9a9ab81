package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// A debugging is a session with a client that names each cell by its text.
type debugging struct {
	*Debuggee
	t       *testing.T
	s       *Session
	notices chan protocol.DebugNotice
}

func newDebugging(t *testing.T) *debugging {
	t.Helper()
	s := newTestSession(t)
	t.Cleanup(s.Close)
	g := &debugging{s.Debuggee(), t, s, make(chan protocol.DebugNotice, 1000)}
	g.BindDebugger(func(text string) string { return text }, func(n protocol.DebugNotice) { g.notices <- n })
	g.Attach()
	return g
}

// run runs a cell to its end.
func (g *debugging) run(code string) {
	g.t.Helper()
	begin(g.t, g.s, code).ends("ok")
}

// ends waits for the reply of a cell and compares its status, or error.
func (r *running) ends(want string) {
	r.t.Helper()
	select {
	case reply := <-r.reply:
		got := reply.Status
		if reply.Status != "ok" {
			got = reply.Ename + ": " + reply.Evalue
		}
		if got != want {
			r.t.Fatalf("the cell ends with %q, want %q", got, want)
		}
	case <-time.After(waitingTime):
		r.t.Fatal("the cell does not end")
	}
}

// breakAt sets breakpoints in a cell and checks that they are verified.
func (g *debugging) breakAt(code string, wanted ...protocol.DebugBreakpoint) {
	g.t.Helper()
	for _, b := range g.SetBreakpoints(code, code, wanted) {
		if !b.Verified {
			g.t.Fatalf("breakpoint at line %d: %s", b.Line, b.Message)
		}
	}
}

func atLine(line int) protocol.DebugBreakpoint { return protocol.DebugBreakpoint{Line: line} }

// stops waits for a stop and describes it: the reason, and the calls with their lines.
func (g *debugging) stops(want string) {
	g.t.Helper()
	for {
		select {
		case n := <-g.notices:
			if n.Kind != protocol.DebugStopped {
				continue
			}
			frames, err := g.Stack(n.Thread)
			if err != nil {
				g.t.Fatal(err)
			}
			text := n.Reason
			for _, f := range frames {
				text += fmt.Sprintf(" %s:%d", f.Name, f.Line)
			}
			if text != want {
				g.t.Fatalf("stopped at\n%s, want\n%s", text, want)
			}
			return
		case <-time.After(waitingTime):
			g.t.Fatalf("no stop, want %s", want)
		}
	}
}

// locals describes the variables of the innermost frame of thread 1.
func (g *debugging) shows(scope, want string) {
	g.t.Helper()
	frames, err := g.Stack(1)
	if err != nil {
		g.t.Fatal(err)
	}
	g.showsIn(frames[0].ID, scope, want)
}

func (g *debugging) showsIn(frame int, scope, want string) {
	g.t.Helper()
	found, err := g.Scopes(frame)
	if err != nil {
		g.t.Fatal(err)
	}
	at := slices.IndexFunc(found, func(s protocol.DebugScope) bool { return s.Name == scope })
	if at < 0 {
		g.t.Fatalf("no scope %s in %v", scope, found)
	}
	list, err := g.Variables(found[at].Reference, protocol.DebugRange{})
	if err != nil {
		g.t.Fatal(err)
	}
	if got := written(list); got != want {
		g.t.Errorf("%s are\n%s, want\n%s", scope, got, want)
	}
}

func written(list []protocol.DebugVariable) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.Name+" "+v.Type+" = "+v.Value)
	}
	return strings.Join(texts, "; ")
}

// evaluates checks the value of an expression in the innermost frame.
func (g *debugging) evaluates(text, want string) {
	g.t.Helper()
	frames, err := g.Stack(1)
	if err != nil {
		g.t.Fatal(err)
	}
	v, err := g.Evaluate(frames[0].ID, text, true)
	got := v.Value
	if err != nil {
		got = "error: " + err.Error()
	}
	if got != want {
		g.t.Errorf("%s is %q, want %q", text, got, want)
	}
}

func (g *debugging) resume(how string) {
	g.t.Helper()
	if err := g.Resume(1, how); err != nil {
		g.t.Fatal(err)
	}
}

const doubling = `func double(n int) int {
	twice := 2 * n
	return twice
}
base := 20
double(base + 1)`

func TestCellStopsAtBreakpointWithItsVariables(t *testing.T) {
	g := newDebugging(t)
	g.breakAt(doubling, atLine(3))
	r := begin(t, g.s, doubling)
	g.stops("breakpoint double:3 Cell [1]:6")
	g.shows("Locals", "n int = 21; twice int = 42")
	g.shows("Globals", "base int = 20")
	g.evaluates("twice + n + base", "83")
	g.evaluates("twice = 50", "")
	g.resume(protocol.DebugContinue)
	r.until("value 50")
	r.ends("ok")
}

func TestFunctionOfEarlierCellStops(t *testing.T) {
	g := newDebugging(t)
	g.run(doubling)
	g.breakAt(doubling, atLine(2))
	r := begin(t, g.s, "k := double(3)\nk")
	g.stops("breakpoint double:2 Cell [2]:1")
	g.resume(protocol.DebugNext)
	g.stops("step double:3 Cell [2]:1")
	g.resume(protocol.DebugNext)
	g.stops("step Cell [2]:2")
	g.resume(protocol.DebugNext)
	r.until("value 6")
	r.ends("ok")
}
