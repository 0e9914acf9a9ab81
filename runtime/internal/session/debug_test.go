package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

func init() { patience = waitingTime }

// A debugging is a session with a client that identifies each cell by its text.
type debugging struct {
	*Debuggee
	t       *testing.T
	s       *Session
	notices chan protocol.DebugNotice
	thread  int // of the last stop; the previous thread may not have ended completely
}

func newDebugging(t *testing.T) *debugging {
	t.Helper()
	s := newTestSession(t)
	t.Cleanup(s.Close)
	g := &debugging{s.Debuggee(), t, s, make(chan protocol.DebugNotice, 1000), 1}
	g.BindDebugger(func(text string) string { return text }, func(n protocol.DebugNotice) { g.notices <- n })
	g.Attach()
	return g
}

// run runs a cell until it ends.
func (g *debugging) run(code string) {
	g.t.Helper()
	begin(g.t, g.s, code).ends("ok")
}

// ends waits for the reply to a cell and compares its status or error.
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

// stops waits for a stop and describes it by the reason and the calls with their lines.
func (g *debugging) stops(want string) {
	g.t.Helper()
	for {
		select {
		case n := <-g.notices:
			if n.Kind != protocol.DebugStopped {
				continue
			}
			g.thread = n.Thread
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

// locals describes the variables of the innermost frame at the last stop.
func (g *debugging) shows(scope, want string) {
	g.t.Helper()
	frames, err := g.Stack(g.thread)
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
	frames, err := g.Stack(g.thread)
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
	if err := g.Resume(g.thread, how); err != nil {
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
	g.evaluates("os.Chdir(\".\")", "nil") // in a console an answer is expected
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

func TestConditionsHitCountsAndMessagesDecideAboutStops(t *testing.T) {
	g := newDebugging(t)
	code := "total := 0\nfor i := range 10 {\n\ttotal += i\n}\ntotal"
	cell := 0
	for _, c := range []struct {
		b     protocol.DebugBreakpoint
		stops []string // values of i
	}{
		{protocol.DebugBreakpoint{Condition: "i%4 == 3 && total >= 3"}, []string{"3", "7"}},
		{protocol.DebugBreakpoint{HitCondition: "5"}, []string{"4"}},
		{protocol.DebugBreakpoint{HitCondition: "> 8"}, []string{"8", "9"}},
		{protocol.DebugBreakpoint{HitCondition: "%5"}, []string{"4", "9"}},
		{protocol.DebugBreakpoint{Condition: "i > 6", HitCondition: "2"}, []string{"8"}},
		{protocol.DebugBreakpoint{Condition: "i", HitCondition: "2"}, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}, // no bool
	} {
		c.b.Line = 3
		g.breakAt(code, c.b)
		cell++
		r := begin(t, g.s, code)
		for _, want := range c.stops {
			g.stops(fmt.Sprintf("breakpoint Cell [%d]:3", cell))
			g.evaluates("i", want)
			g.resume(protocol.DebugContinue)
		}
		r.until("value 45")
		r.ends("ok")
	}
	g.breakAt(code, protocol.DebugBreakpoint{Line: 3, LogMessage: "i is {i}, {total*2} and {nothing}", Condition: "i < 2"})
	r := begin(t, g.s, code)
	r.until("stdout i is 0, 0 and {nothing: undefined: nothing}")
	r.until("stdout i is 1, 0 and {nothing: undefined: nothing}")
	r.until("value 45")
	r.ends("ok")
	for _, bad := range []string{"often", "> x", "0", "% -1"} {
		b := g.SetBreakpoints(code, code, []protocol.DebugBreakpoint{{Line: 3, HitCondition: bad}})[0]
		if b.Verified || !strings.Contains(b.Message, strconv.Quote(bad)) {
			t.Errorf("hit count %q gives %+v", bad, b)
		}
	}
}

// stepped is one step with the expected position after it.
type stepped struct{ how, stop string }

func (g *debugging) walk(steps ...stepped) {
	g.t.Helper()
	for _, s := range steps {
		g.resume(s.how)
		g.stops("step " + s.stop)
	}
}

const (
	next = protocol.DebugNext
	in   = protocol.DebugStepIn
	out  = protocol.DebugStepOut
)

func TestStepsFollowCallsClosuresGenericsMethodsAndLoopsOverFunctions(t *testing.T) {
	g := newDebugging(t)
	code := `type Counter struct{ n int }
func (c *Counter) Add(k int) {
	c.n += k
}
func Map[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}
c := &Counter{}
c.Add(2)
words := Map([]int{7}, func(n int) string {
	return fmt.Sprint(n)
})
for i := range upTo(2) {
	c.Add(i)
}
fmt.Println(words, c.n)`
	g.breakAt(code, atLine(21))
	r := begin(t, g.s, code)
	g.stops("breakpoint Cell [1]:21")
	g.walk(
		stepped{next, "Cell [1]:22"},
		stepped{in, "Counter.Add:3 Cell [1]:22"},
	)
	g.shows("Locals", "c *Counter = &{n:0}; k int = 2")
	g.walk(
		stepped{out, "Cell [1]:23"},
		stepped{in, "Map:6 Cell [1]:23"},
		stepped{next, "Map:7 Cell [1]:23"},
		stepped{next, "Map:8 Cell [1]:23"},
	)
	g.shows("Locals", "xs []int = [7]; f func(int) string = func(int) string; out []string = []; x int = 7")
	g.walk(
		stepped{in, "func literal:24 Map:8 Cell [1]:23"},
		stepped{next, "Map:10 Cell [1]:23"},
		stepped{out, "Cell [1]:26"},
		stepped{next, "Cell [1]:27 func literal in upTo:15 Cell [1]:26"},
		stepped{in, "Counter.Add:3 Cell [1]:27 func literal in upTo:15 Cell [1]:26"},
		stepped{out, "Cell [1]:27 func literal in upTo:15 Cell [1]:26"},
	)
	g.evaluates("i", "1")
	g.evaluates("c.n", "2")
	g.walk(stepped{next, "Cell [1]:29"})
	g.resume(next)
	r.until("stdout [7] 3")
	r.ends("ok")
}

func TestFunctionThatOnlyComparesCanBeSteppedInto(t *testing.T) {
	g := newDebugging(t)
	g.run("func larger(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\nfunc twice(n int) int { return 2 * n }")
	code := "x := larger(3, 4)\ny := twice(x)\nx + y"
	g.breakAt(code, atLine(1))
	r := begin(t, g.s, code)
	g.stops("breakpoint Cell [2]:1")
	g.walk(stepped{in, "larger:2 Cell [2]:1"}, stepped{next, "larger:5 Cell [2]:1"}, stepped{out, "Cell [2]:2"}, stepped{in, "twice:7 Cell [2]:2"})
	g.resume(protocol.DebugContinue)
	r.until("value 12")
	r.ends("ok")
}
