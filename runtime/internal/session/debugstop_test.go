package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

func TestPanicStopsWhereItHappensAndGoesOnAsBefore(t *testing.T) {
	g := newDebugging(t)
	g.StopOnPanic(true)
	code := `func at(xs []int, i int) int {
	return xs[i]
}
func safe(xs []int) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	n = at(xs, 5)
	return n, nil
}
_, err := safe([]int{1, 2})
fmt.Println(err)
panic("the end")`
	r := begin(t, g.s, code)
	g.stops("exception at:2 safe:10 Cell [1]:13")
	g.shows("Locals", "xs []int = [1 2]; i int = 5")
	e, err := g.Exception(g.thread)
	if err != nil || e.Name != "runtime error" || e.Text != "runtime error: index out of range [5] with length 2" {
		t.Errorf("exception %+v, %v", e, err)
	}
	if got := strings.Join(e.Stack, "; "); got != "Cell [1], line 2, in at; Cell [1], line 10, in safe; Cell [1], line 13, in Cell [1]" {
		t.Errorf("stack is %s", got)
	}
	g.resume(protocol.DebugContinue)
	r.until("stdout recovered: runtime error: index out of range [5] with length 2")
	g.stops("exception Cell [1]:15")
	g.resume(protocol.DebugContinue)
	r.ends("panic: the end")

	g.StopOnPanic(false)
	r = begin(t, g.s, "at(nil, 0)")
	r.ends("runtime error: index out of range [0] with length 0")
}

func TestGoroutinesStopOneAfterAnother(t *testing.T) {
	g := newDebugging(t)
	code := `done := make(chan int)
for id := range 2 {
	go func() {
		double := 2 * id
		done <- double
	}()
}
fmt.Println(<-done + <-done)`
	g.breakAt(code, atLine(5))
	r := begin(t, g.s, code)
	for range 2 {
		n := <-g.notices
		for n.Kind != protocol.DebugStopped {
			n = <-g.notices
		}
		if len(g.Stopped()) != 1 || n.Thread < 2 {
			t.Errorf("thread %d, stopped are %v", n.Thread, g.Stopped())
		}
		frames, err := g.Stack(n.Thread)
		if err != nil || len(frames) != 1 || frames[0].Line != 5 || frames[0].Name != "func literal" {
			t.Fatalf("frames %v, %v", frames, err)
		}
		v, err := g.Evaluate(frames[0].ID, "double == 2*id", false)
		if err != nil || v.Value != "true" {
			t.Errorf("double == 2*id is %q, %v", v.Value, err)
		}
		names := ""
		for _, thread := range g.Threads() {
			names += thread.Name + "; "
		}
		if !strings.HasPrefix(names, "Cell [1]; goroutine of Cell [1]; ") {
			t.Errorf("threads are %s", names)
		}
		if err := g.Resume(n.Thread, protocol.DebugContinue); err != nil {
			t.Fatal(err)
		}
	}
	r.until("stdout 2")
	r.ends("ok")
}

func TestInterruptEndsStoppedCellAndItsEvaluation(t *testing.T) {
	g := newDebugging(t)
	code := "k := 1\nk++\nk"
	g.breakAt(code, atLine(2))
	r := begin(t, g.s, code)
	g.stops("breakpoint Cell [1]:2")
	g.s.Interrupt()
	r.ends("KeyboardInterrupt: the cell was interrupted")
	if n := <-g.notices; n.Kind != protocol.DebugContinued || n.Thread != g.thread {
		t.Errorf("after the interrupt comes %+v", n)
	}
	if stopped := g.Stopped(); len(stopped) != 0 {
		t.Errorf("threads %v are still stopped", stopped)
	}

	g.run("func forever() int { for { k++ } }")
	r = begin(t, g.s, code)
	g.stops("breakpoint Cell [3]:2")
	frames, err := g.Stack(g.thread)
	if err != nil {
		t.Fatal(err)
	}
	evaluated := make(chan error, 1)
	before := len(g.s.runningCalls())
	go func() {
		_, err := g.Evaluate(frames[0].ID, "forever()", false)
		evaluated <- err
	}()
	for len(g.s.runningCalls()) == before {
	}
	g.s.Interrupt()
	if err := <-evaluated; err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("the evaluation ends with %v", err)
	}
	r.ends("KeyboardInterrupt: the cell was interrupted")
}

// runningCalls returns the cells and evaluations in progress.
func (s *Session) runningCalls() (list []*call) {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	for e := range s.calls.all {
		list = append(list, e)
	}
	return list
}

// A looking is a session that has stopped in a function with many variables.
type looking struct {
	*debugging
	*running
	frame int
	scope int                               // its variables
	local map[string]protocol.DebugVariable // by name
}

func stopToLook(t *testing.T) looking {
	t.Helper()
	g := newDebugging(t)
	code := `type Point struct{ X, Y int }
type Shape interface{ Area() float64 }
type Square struct{ side float64 }
func (s Square) Area() float64 { return s.side * s.side }
func look(big []int, points map[string]*Point, shape Shape, grid [2][]float64) {
	_ = big
}
big := make([]int, 25_000)
big[24_999] = 7
look(big, map[string]*Point{"b": {3, 4}, "a": {1, 2}}, Square{3}, [2][]float64{{1}, nil})
big[3]`
	g.breakAt(code, atLine(6))
	r := begin(t, g.s, code)
	g.stops("breakpoint look:6 Cell [1]:10")
	frames, err := g.Stack(g.thread)
	if err != nil {
		t.Fatal(err)
	}
	scopes, err := g.Scopes(frames[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	l := looking{g, r, frames[0].ID, scopes[0].Reference, map[string]protocol.DebugVariable{}}
	for _, v := range g.list(scopes[0].Reference, protocol.DebugRange{}) {
		l.local[v.Name] = v
	}
	return l
}

func TestPartsOfVariablesComeInPages(t *testing.T) {
	g := stopToLook(t)
	defer g.stop()
	for _, c := range []struct {
		name  string
		which protocol.DebugRange
		want  string
	}{
		{"points", protocol.DebugRange{}, `["a"] *Point = &{X:1 Y:2}; ["b"] *Point = &{X:3 Y:4}`},
		{"shape", protocol.DebugRange{}, "side float64 = 3"},
		{"grid", protocol.DebugRange{}, "[0] []float64 = [1]; [1] []float64 = []"},
		{"big", protocol.DebugRange{Kind: "indexed", Start: 24_998, Count: 5}, "[24998] int = 0; [24999] int = 7"},
		{"big", protocol.DebugRange{Kind: "named"}, ""},
		{"big", protocol.DebugRange{Start: 30_000, Count: 5}, ""},
	} {
		if got := written(g.list(g.local[c.name].Reference, c.which)); got != c.want {
			t.Errorf("%s %+v has\n%s, want\n%s", c.name, c.which, got, c.want)
		}
	}
	if v := g.local["shape"]; v.Type != "Shape(Square)" {
		t.Errorf("the type of shape is %s", v.Type)
	}
	groups := g.list(g.local["big"].Reference, protocol.DebugRange{})
	if len(groups) != 3 || groups[2].Name != "[20000:25000]" {
		t.Fatalf("big has the groups %s", written(groups[:min(3, len(groups))]))
	}
	smaller := g.list(groups[2].Reference, protocol.DebugRange{})
	if len(smaller) != 50 || smaller[49].Name != "[24900:25000]" {
		t.Fatalf("its last group has %d groups, the last %s", len(smaller), smaller[len(smaller)-1].Name)
	}
	last := g.list(smaller[49].Reference, protocol.DebugRange{})
	if len(last) != 100 || last[99].Name != "[24999]" || last[99].Value != "7" {
		t.Errorf("the last group ends with %s", written(last[max(0, len(last)-1):]))
	}
}

func TestVariablesAndTheirPartsCanBeSet(t *testing.T) {
	l := stopToLook(t)
	g, r := l.debugging, l.running
	for _, c := range []struct {
		reference         int
		name, value, want string
	}{
		{l.scope, "grid", "[2][]float64{nil, {2, 3}}", "[[] [2 3]]"},
		{l.local["big"].Reference, "[3]", "30 + 3", "33"},
		{l.local["points"].Reference, `["b"]`, "&Point{5, 6}", "&{X:5 Y:6}"},
		{l.local["shape"].Reference, "side", "4", "error: cannot assign to shape.(Square).side (neither addressable nor a map index expression)"},
		{l.local["big"].Reference, "[99999]", "1", "error: [99999] cannot be assigned to: no expression of Go means it here"},
		{l.scope, "big", `"text"`, `error: cannot use "text" (untyped string constant) as []int value in assignment`},
		{123456, "x", "1", "error: the variables 123456 are not known any more: ask for those of the present"},
	} {
		v, err := g.Assign(c.reference, c.name, c.value)
		got := v.Value
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s = %s gives %s, want %s", c.name, c.value, got, c.want)
		}
	}
	g.evaluates(`points["b"].X + len(grid[1])`, "7")
	g.evaluates("x := 3", "error: a debugger declares nothing: assign with =, or declare in a cell")
	g.evaluates("nowhere", "error: undefined: nowhere")
	g.evaluates("big[-len(big)]", "error: runtime error: index out of range [-25000]")
	g.evaluates(`fmt.Println("printed"); len(points)`, "2")
	r.until("stdout printed")
	if v, err := g.Copy(l.frame, "shape", "kept"); err != nil || v.Value != "{side:3}" {
		t.Errorf("copying gives %+v, %v", v, err)
	}
	g.resume(protocol.DebugContinue)
	r.until("value 33")
	r.ends("ok")
	r = begin(t, g.s, "kept.Area()")
	r.until("value 9")
	r.ends("ok")
}

func (g *debugging) list(reference int, which protocol.DebugRange) []protocol.DebugVariable {
	g.t.Helper()
	list, err := g.Variables(reference, which)
	if err != nil {
		g.t.Fatal(err)
	}
	return list
}

func TestVariablesCanBeReadWhileCellsRun(t *testing.T) {
	g := newDebugging(t)
	g.run("type P struct{ x int }\nn, p, stop := 5, &P{5}, false")
	if got := written(g.Globals()); got != "n int = 5; p *P = &{x:5}; stop bool = false" {
		t.Errorf("variables are %s", got)
	}
	r := begin(t, g.s, "fmt.Println(1)\nfor !stop { n++; p.x = n }")
	r.until("stdout 1")
	for range 20 {
		list := g.Globals() // the loop waits at its next poll
		var n, x int
		if _, err := fmt.Sscanf(written(list), "n int = %d; p *P = &{x:%d}; stop bool = false", &n, &x); err != nil || x != n && x != n-1 {
			t.Fatalf("variables are %s", written(list))
		}
	}
	if _, err := g.Evaluate(0, "stop = true", true); err != nil {
		t.Fatal(err)
	}
	r.ends("ok")

	r = begin(t, g.s, "stop = false\nbegan := make(chan bool)\ngo func() { began <- true; for !stop { p = &P{n} } }()\n<-began\nfmt.Println(2)\nfor !stop {}")
	r.until("stdout 2")
	if got := written(g.Globals()[2:3]); got != "p *P = (not read while cells run)" {
		t.Errorf("beside a goroutine %s", got)
	}
	if _, err := g.Evaluate(0, "stop = true", true); err != nil {
		t.Fatal(err)
	}
	r.ends("ok")
}

func TestRichFormsOfVariablesAreThoseOfCells(t *testing.T) {
	g := newDebugging(t)
	g.run("import \"gosphere/runtime/display\"\ntype Note string\nfunc (n Note) HTML() string { return \"<b>\" + string(n) + \"</b>\" }\nnote := Note(\"hi\")\n_ = display.HTML")
	data, _, err := g.Render(0, "note")
	if err != nil || data["text/html"] != "<b>hi</b>" || data["text/plain"] == nil {
		t.Errorf("note is shown as %v, %v", data, err)
	}
	if _, _, err := g.Render(0, "[0]"); err == nil {
		t.Error("[0] is shown")
	}
}

func TestPauseStopsRunningCellAndDetachLetsItGo(t *testing.T) {
	g := newDebugging(t)
	code := "go_on := true\nfmt.Println(1)\nfor go_on { go_on = go_on && true }\n42" // it may stop before the loop or in it
	if err := g.Pause(); err == nil {
		t.Error("a pause where nothing runs is no error")
	}
	g.breakAt("never()", atLine(1))
	r := begin(t, g.s, code)
	r.until("stdout 1")
	if err := g.Pause(); err != nil {
		t.Fatal(err)
	}
	g.stops("pause Cell [1]:3")
	g.evaluates("go_on = false", "")
	g.Detach()
	r.until("value 42")
	r.ends("ok")
	if g.Wanted() {
		t.Error("cells are still compiled to stop")
	}
}

func TestOtherShellRunsWhileCellIsStopped(t *testing.T) {
	g := newDebugging(t)
	code := "a := 1\na++\na"
	g.breakAt(code, atLine(2))
	r := begin(t, g.s, code)
	g.stops("breakpoint Cell [1]:2")
	reply := g.s.Execute(context.Background(), protocol.ExecuteRequest{Code: "a = 10"}, func(protocol.Content) {})
	if reply.Status != "ok" {
		t.Fatal(reply)
	}
	g.resume(protocol.DebugContinue)
	r.until("value 11")
	r.ends("ok")
}

func TestBreakpointsMoveToStatementsAndWaitForTheirCell(t *testing.T) {
	g := newDebugging(t)
	code := "func f() int {\n\t// a comment\n\n\treturn 1\n}\n\nf()\n// the end"
	for line, want := range map[int]int{1: 4, 2: 4, 4: 4, 5: 7, 7: 7} {
		if b := g.SetBreakpoints(code, code, []protocol.DebugBreakpoint{atLine(line)})[0]; b.Line != want || !b.Verified {
			t.Errorf("line %d moves to %+v, want %d", line, b, want)
		}
	}
	if b := g.SetBreakpoints(code, code, []protocol.DebugBreakpoint{atLine(8)})[0]; b.Verified || b.Message == "" {
		t.Errorf("behind the last statement: %+v", b)
	}
	if b := g.SetBreakpoints(code, "", []protocol.DebugBreakpoint{atLine(2)})[0]; b.Verified || b.Message == "" {
		t.Errorf("in an unknown cell: %+v", b)
	}
	r := begin(t, g.s, code)
	if n := <-g.notices; n.Kind != protocol.DebugChanged || n.Text != code || !n.Breakpoint.Verified || n.Breakpoint.Line != 4 {
		t.Errorf("first comes %+v", n)
	}
	g.stops("breakpoint f:4 Cell [1]:7")
	g.resume(protocol.DebugContinue)
	r.ends("ok")
}

func TestPauseStopsLoopsWithoutStatements(t *testing.T) {
	g := newDebugging(t)
	g.run("stop, endless, forever := false, make(chan int), func(yield func() bool) { for yield() {} }\nturn := func() bool { return true }")
	g.breakAt("never()", atLine(1))
	for i, loop := range []string{"for {}", "for !stop {\n}", "for turn() {}", "for k := 0; ; k++ {\n}", "for range forever {}", "again:\n\tfor {\n\t\tcontinue again\n\t}", "for {{}}"} {
		r := begin(t, g.s, "fmt.Println(1)\n"+loop)
		r.until("stdout 1")
		if err := g.Pause(); err != nil {
			t.Fatal(err)
		}
		stopped := false
		for !stopped {
			n := <-g.notices
			stopped, g.thread = n.Kind == protocol.DebugStopped, n.Thread
			if stopped && n.Reason != "pause" {
				t.Errorf("%s stops for %s", loop, n.Reason)
			}
		}
		frames, err := g.Stack(g.thread)
		if err != nil || frames[len(frames)-1].Name != fmt.Sprintf("Cell [%d]", i+2) || frames[0].Line < 2 {
			t.Errorf("%s stops at %+v, %v", loop, frames, err)
		}
		g.s.Interrupt()
		r.ends("KeyboardInterrupt: the cell was interrupted")
	}
}

func TestBreakpointsStopAfterEveryJump(t *testing.T) {
	g := newDebugging(t)
	code := `func count() (n int) {
again:
	n++
	if n < 3 {
		goto again
	}
	return n
}
fmt.Println(count())`
	g.breakAt(code, atLine(3))
	r := begin(t, g.s, code)
	for range 3 {
		g.stops("breakpoint count:3 Cell [1]:9")
		g.resume(protocol.DebugContinue)
	}
	r.until("stdout 3")
}
