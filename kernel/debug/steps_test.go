//go:build !race

package debug_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// attach starts debugging without any breakpoint.
func (c *client) attach() {
	c.t.Helper()
	for _, command := range []string{"initialize", "attach", "configurationDone"} {
		if problem := c.ask(command, map[string]any{}, nil); problem != "" {
			c.t.Fatal(problem)
		}
	}
}

// breakIn sets the breakpoints of a cell and returns its path.
func (c *client) breakIn(code string, breakpoints ...dap.SourceBreakpoint) (path string) {
	c.t.Helper()
	var dumped struct{ SourcePath string }
	c.ask("dumpCell", map[string]any{"code": code}, &dumped)
	var set dap.SetBreakpointsResponseBody
	c.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: dumped.SourcePath}, Breakpoints: breakpoints}, &set)
	for _, b := range set.Breakpoints {
		if !b.Verified {
			c.t.Fatalf("breakpoint %+v", b)
		}
	}
	return dumped.SourcePath
}

// at waits for a stop and compares its calls, such as "area:4 Cell [2]:1", innermost first.
func (c *client) at(want string) []dap.StackFrame {
	c.t.Helper()
	frames := c.stopped()
	var calls []string
	for _, f := range frames {
		calls = append(calls, fmt.Sprintf("%s:%d", f.Name, f.Line))
	}
	if got := strings.Join(calls, " "); got != want {
		c.t.Fatalf("stopped at %s, want %s", got, want)
	}
	return frames
}

// walk sends commands that resume the stopped thread, each with the position of the next stop.
func (c *client) walk(steps ...[2]string) (frames []dap.StackFrame) {
	c.t.Helper()
	for _, s := range steps {
		if problem := c.ask(s[0], map[string]any{"threadId": c.thread}, nil); problem != "" {
			c.t.Fatal(problem)
		}
		frames = c.at(s[1])
	}
	return frames
}

// evaluates compares the value of an expression, or the error.
func (c *client) evaluates(frame int, expression, want string) {
	c.t.Helper()
	var value dap.EvaluateResponseBody
	problem := c.ask("evaluate", dap.EvaluateArguments{Expression: expression, FrameId: frame, Context: "repl"}, &value)
	if got := strings.TrimSpace(value.Type + " " + value.Result + problem); got != want {
		c.t.Errorf("%s gives %s, want %s", expression, got, want)
	}
}

// told lists the events and outputs so far. A resumed goroutine may publish before the next event.
func (c *client) told() (events, outputs []string) {
	for _, line := range c.iopub {
		switch kind, _, _ := strings.Cut(line, " "); kind {
		case "stream", "execute_result", "display_data", "error":
			outputs = append(outputs, line)
		default:
			events = append(events, line)
		}
	}
	return events, outputs
}

// compareTold compares the events and the outputs with lists, "a; b".
func (c *client) compareTold(wantEvents, wantOutputs string) {
	c.t.Helper()
	events, outputs := c.told()
	if got := strings.Join(events, "; "); got != wantEvents {
		c.t.Errorf("events are\n%s, want\n%s", got, wantEvents)
	}
	if got := strings.Join(outputs, "; "); got != wantOutputs {
		c.t.Errorf("outputs are\n%s, want\n%s", got, wantOutputs)
	}
}

func TestTranscriptOfStepsThroughGenericsClosuresAndLoopsOverFunctions(t *testing.T) {
	c := dial(t)
	earlier := `type Celsius float64
func (c Celsius) String() string { return fmt.Sprintf("%.1f °C", float64(c)) }
type Pair[K comparable, V any] struct { Key K; Value V }
func Pairs[K comparable, V any](keys []K, of func(K) V) func(func(Pair[K, V]) bool) {
	return func(yield func(Pair[K, V]) bool) {
		for _, k := range keys {
			if !yield(Pair[K, V]{k, of(k)}) {
				return
			}
		}
	}
}`
	c.ended(c.execute(earlier), "ok")
	cell := `offset := 0.5
warm := func(name string) Celsius {
	base := Celsius(len(name))
	return base + Celsius(offset)
}
for p := range Pairs([]string{"may", "july"}, warm) {
	fmt.Println(p.Key, p.Value)
}
"done"`
	c.attach()
	c.breakIn(cell, dap.SourceBreakpoint{Line: 6})
	id := c.execute(cell)
	c.at("Cell [2]:6")
	c.walk([2]string{"stepIn", "Pairs:5 Cell [2]:6"}, [2]string{"stepIn", "func literal in Pairs:6 Cell [2]:6"})
	frames := c.walk([2]string{"next", "func literal in Pairs:7 Cell [2]:6"})
	if got := c.variables(frames[0].Id, "Locals"); got != `keys []string = ["may" "july"]; of func(string) Celsius = func(string) Celsius; yield func(Pair[string, Celsius]) bool = func(Pair[string,Celsius]) bool; k string = "may"` {
		t.Errorf("locals are %s", got)
	}
	frames = c.walk([2]string{"stepIn", "func literal:3 func literal in Pairs:7 Cell [2]:6"},
		[2]string{"next", "func literal:4 func literal in Pairs:7 Cell [2]:6"})
	c.evaluates(frames[0].Id, "base + 1", "Celsius 4")
	c.evaluates(frames[0].Id, "fmt.Sprint(base, offset)", `string "3.0 °C 0.5"`)
	frames = c.walk([2]string{"stepIn", "Cell [2]:7 func literal in Pairs:7 Cell [2]:6"})
	c.evaluates(frames[0].Id, "p", `Pair[string,Celsius] {Key:"may" Value:3.5}`)
	frames = c.walk([2]string{"next", "Cell [2]:7 func literal in Pairs:7 Cell [2]:6"}) // what gets from turn to turn is passed
	c.evaluates(frames[0].Id, "p.Key", `string "july"`)
	c.walk([2]string{"next", "Cell [2]:9"})
	c.ask("continue", map[string]any{"threadId": c.thread}, nil)
	c.ended(id, "ok")
	c.compareTold("initialized; stopped breakpoint 1"+strings.Repeat("; continued 1; stopped step 1", 8)+"; continued 1",
		"stream may 3.5 °C; stream july 4.5 °C; execute_result done")
}

func TestTranscriptOfGoroutinesThatStopOneAfterAnother(t *testing.T) {
	c := dial(t)
	c.attach()
	cell := `squares := make(chan int)
for id := range 2 {
	go func() {
		square := (id + 2) * (id + 2)
		squares <- square
	}()
}
fmt.Println(<-squares + <-squares)`
	c.breakIn(cell, dap.SourceBreakpoint{Line: 4})
	id := c.execute(cell)
	var seen []string
	for range 2 {
		frames := c.at("func literal:4")
		if c.thread < 2 {
			t.Errorf("a goroutine has the number of the cell")
		}
		var list dap.ThreadsResponseBody
		c.ask("threads", nil, &list)
		at := slices.IndexFunc(list.Threads, func(th dap.Thread) bool { return th.Id == c.thread })
		if at < 0 || list.Threads[at].Name != "goroutine of Cell [1]" {
			t.Errorf("threads are %+v", list.Threads)
		}
		seen = append(seen, c.variables(frames[0].Id, "Locals"))
		// The other goroutine may stop at its breakpoint before this one ends its step.
		c.ask("continue", map[string]any{"threadId": c.thread}, nil)
	}
	slices.Sort(seen)
	compare(t, "locals", seen, "id int = 0", "id int = 1")
	c.ended(id, "ok")
	events, outputs := c.told()
	compare(t, "outputs", outputs, "stream 13")
	if len(events) != 5 { // and initialized
		t.Errorf("events are %q", events)
	}
}

func TestTranscriptOfAPauseInALoopWithoutStatements(t *testing.T) {
	c := dial(t)
	c.attach()
	c.ask("pause", map[string]any{"threadId": 1}, nil) // nothing runs
	cell := "fmt.Println(\"begins\")\nfor {\n}"
	c.breakIn(cell, dap.SourceBreakpoint{Line: 1})
	id := c.execute(cell)
	c.at("Cell [1]:1")
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	for !slices.Contains(c.iopub, "stream begins") {
		c.until(func(received) bool { return true })
	}
	for range 2 { // the first time perhaps before the loop, the second time in it
		c.ask("pause", map[string]any{"threadId": 1}, nil)
		c.at("Cell [1]:2")
		c.ask("continue", map[string]any{"threadId": 1}, nil)
	}
	c.ask("pause", map[string]any{"threadId": 1}, nil)
	c.at("Cell [1]:2")
	c.walk([2]string{"next", "Cell [1]:2"}) // the next turn
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.send(c.sockets.Control, "interrupt_request", map[string]any{})
	c.ended(id, "error KeyboardInterrupt")
	if c.replies[3] != "pause: nothing runs that could be paused: a cell can be if a breakpoint or the stop at panics was set before it began" {
		t.Errorf("the first pause is answered by %s", c.replies[3])
	}
	c.compareTold("initialized; stopped breakpoint 1; continued 1"+strings.Repeat("; stopped pause 1; continued 1", 3)+"; stopped step 1; continued 1", "stream begins; error")
}

func TestTranscriptOfAnInterruptWhileStopped(t *testing.T) {
	c := dial(t)
	c.attach()
	cell := "n := 1\nn++\nn"
	c.breakIn(cell, dap.SourceBreakpoint{Line: 2})
	id := c.execute(cell)
	c.at("Cell [1]:2")
	c.send(c.sockets.Control, "interrupt_request", map[string]any{})
	c.ended(id, "error KeyboardInterrupt")
	for len(c.continued()) == 0 { // the cell ends at once, its goroutine when it can
		c.until(func(received) bool { return true })
	}
	if problem := c.ask("continue", map[string]any{"threadId": 1}, nil); problem != "thread 1 has not stopped" {
		t.Errorf("continuing says %q", problem)
	}
	id = c.execute(cell) // it stops again, and the variable is there
	frames := c.at("Cell [2]:2")
	c.evaluates(frames[0].Id, "n", "int 1")
	c.ask("continue", map[string]any{"threadId": c.thread}, nil)
	c.ended(id, "ok")
	if _, outputs := c.told(); !slices.Equal(outputs, []string{"error", "execute_result 2"}) || len(c.continued()) != 2 {
		t.Errorf("published are %q", c.iopub)
	}
}

// continued lists the continued events.
func (c *client) continued() (list []string) {
	for _, line := range c.iopub {
		if strings.HasPrefix(line, "continued ") {
			list = append(list, line)
		}
	}
	return list
}

// TestTranscriptOfARestartWhileStopped sends the requests of JupyterLab's debugger restart.
func TestTranscriptOfARestartWhileStopped(t *testing.T) {
	c := dial(t)
	c.attach()
	cell := "total := 0\nfor i := range 3 {\n\ttotal += i\n}\ntotal"
	c.breakIn(cell, dap.SourceBreakpoint{Line: 3})
	id := c.execute(cell)
	c.at("Cell [1]:3")
	c.ask("disconnect", map[string]any{"restart": true, "terminateDebuggee": false}, nil)
	c.ended(id, "ok") // the stopped goroutine resumes, and nothing stops it again
	if problem := c.ask("stackTrace", map[string]any{"threadId": 1}, nil); !strings.Contains(problem, "not been started") {
		t.Errorf("after the end: %q", problem)
	}
	c.attach()
	var info debugInfo
	if c.ask("debugInfo", nil, &info); !info.IsStarted || len(info.Breakpoints) != 0 || len(info.StoppedThreads) != 0 {
		t.Errorf("after the restart: %+v", info)
	}
	c.breakIn(cell, dap.SourceBreakpoint{Line: 3, HitCondition: "2"})
	id = c.execute(cell)
	frames := c.at("Cell [2]:3")
	c.evaluates(frames[0].Id, "i", "int 1")
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ended(id, "ok")
	c.compareTold("initialized; stopped breakpoint 1; continued 1; terminated; initialized; stopped breakpoint 1; continued 1", "execute_result 3; execute_result 3")
}

func TestTranscriptOfAPanicThatStops(t *testing.T) {
	c := dial(t)
	c.attach()
	c.ask("setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{Filters: []string{"panic"}}, nil)
	id := c.execute("func third(xs []int) int { return xs[2] }\nthird([]int{1})")
	frames := c.at("third:1 Cell [1]:2")
	if got := c.variables(frames[0].Id, "Locals"); got != "xs []int = [1]" {
		t.Errorf("locals are %s", got)
	}
	var e dap.ExceptionInfoResponseBody
	c.ask("exceptionInfo", map[string]any{"threadId": 1}, &e)
	if e.ExceptionId != "runtime error" || e.Description != "runtime error: index out of range [2] with length 1" || e.Details.StackTrace != "Cell [1], line 1, in third\nCell [1], line 2, in Cell [1]" {
		t.Errorf("the exception is %+v, %+v", e, e.Details)
	}
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ended(id, "error runtime error")
	c.compareTold("initialized; stopped exception 1 runtime error: index out of range [2] with length 1; continued 1", "error")
}
