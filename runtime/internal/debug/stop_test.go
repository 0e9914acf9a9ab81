package debug

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// patience is the time limit for expected events.
const patience = time.Minute

// A workshop is a Host whose cells are Go functions that check for stops as marked code does.
type workshop struct {
	*Debugger
	t       *testing.T
	notices chan protocol.DebugNotice
	values  map[string]any // of expressions

	mu      sync.Mutex // guards what follows
	printed []string
	first   bool
}

func (w *workshop) Wait(until <-chan struct{}) { <-until }
func (w *workshop) Aside(f func())             { f() }
func (w *workshop) Print(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.printed = append(w.printed, text)
}

func (w *workshop) EvaluateIn(_ *Frame, expression string) (Value, error) {
	value, ok := w.values[expression]
	if !ok {
		return Value{}, errors.New("undefined: " + expression)
	}
	return Value{Of: reflect.ValueOf(value)}, nil
}

func (w *workshop) Goroutine() Goroutine {
	w.mu.Lock()
	defer w.mu.Unlock()
	main := !w.first
	w.first = true
	if main {
		return Goroutine{Name: "Cell [1]", Main: true}
	}
	return Goroutine{Name: "goroutine of Cell [1]"}
}

// Places returns a position on each line that the text names by a letter, a for line 1.
func (w *workshop) Places(text string) (list []Position) {
	for _, letter := range text {
		list = append(list, Position{Line: int(letter-'a') + 1, Column: 1})
	}
	return list
}

// open returns a debugger that is attached, with a site on each of the lines 1 to 9 of the path
// cell.
func open(t *testing.T) *workshop {
	w := &workshop{t: t, notices: make(chan protocol.DebugNotice, 1000), values: map[string]any{}}
	w.Debugger = New(w)
	w.NotifyBy(func(n protocol.DebugNotice) { w.notices <- n })
	for line := 1; line <= 9; line++ {
		w.Add(&Site{Position: Position{line, 1}, Path: "cell", Cell: "Cell [1]", Function: fmt.Sprint("f", line)})
	}
	w.Attach()
	return w
}

// A call is a call in progress; at checks for a stop before the statement on a line.
type call struct {
	w         *workshop
	outer     *call
	depth     int
	frame     *Frame
	variables []reflect.Value
}

func (c *call) at(line int, pointers ...any) {
	if c.frame == nil {
		c.frame = c.w.Enter(c.depth, nil)
	}
	c.variables = nil
	for _, p := range pointers {
		c.variables = append(c.variables, reflect.ValueOf(p).Elem())
	}
	c.w.At(c.frame, line-1, c)
}

// Variables and Stack implement Moment.
func (c *call) Variables() []reflect.Value { return c.variables }

func (c *call) Stack() (list []*Frame) {
	for ; c != nil; c = c.outer {
		list = append(list, c.frame)
	}
	return list
}

// start runs a cell on its own goroutine. The channel is closed when it ends.
func (w *workshop) start(cell func(c *call)) (ended chan struct{}) {
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		w.Forget()
		defer w.Forget()
		cell(&call{w: w})
	}()
	return ended
}

// next waits for a notice and describes it; a stop by its calls, innermost first.
func (w *workshop) next(want string) protocol.DebugNotice {
	w.t.Helper()
	select {
	case n := <-w.notices:
		got := strings.TrimSpace(fmt.Sprintf("%s %s %s", n.Kind, n.Reason, n.Text))
		if n.Kind == protocol.DebugStopped {
			frames, err := w.Stack(n.Thread)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, f := range frames {
				got += fmt.Sprintf(" %s:%d", f.Name, f.Line)
			}
		}
		if got != want {
			w.t.Fatalf("there is told\n%s, want\n%s", got, want)
		}
		return n
	case <-time.After(patience):
		w.t.Fatalf("nothing is told, want %s", want)
	}
	return protocol.DebugNotice{}
}

func (w *workshop) resume(thread int, how string) {
	w.t.Helper()
	if err := w.Resume(thread, how); err != nil {
		w.t.Fatal(err)
	}
	w.next("continued")
}

// silent checks that there were no notices.
func (w *workshop) silent() {
	w.t.Helper()
	if len(w.notices) > 0 {
		w.t.Errorf("there is told %+v", <-w.notices)
	}
}

// inner is a function of a cell whose call is in progress while it runs.
func inner(outer *call, x *int) {
	c := &call{w: outer.w, outer: outer, depth: outer.depth + 1}
	c.at(5, x)
	*x++
	c.at(7, x)
}

func (w *workshop) set(b protocol.DebugBreakpoint) protocol.DebugBreakpoint {
	return w.SetBreakpoints("cell", "abcdefghi", []protocol.DebugBreakpoint{b})[0]
}

// nested is a cell that calls inner on its second line.
func nested(w *workshop) func(*call) {
	return func(c *call) {
		x := 1
		c.at(1, &x)
		c.at(2, &x)
		inner(c, &x)
		c.at(3, &x)
	}
}

func TestStepsGoFromLineToLineIntoCallsAndOut(t *testing.T) {
	for _, walk := range []struct {
		hows  []string
		stops []string
	}{
		{[]string{"next", "next"}, []string{"f2:2", "f3:3"}},
		{[]string{"stepIn", "stepIn", "stepIn", "stepIn"}, []string{"f2:2", "f5:5 f2:2", "f7:7 f2:2", "f3:3"}},
		{[]string{"next", "stepIn", "stepOut"}, []string{"f2:2", "f5:5 f2:2", "f3:3"}},
		{[]string{"next", "stepIn", "next", "next"}, []string{"f2:2", "f5:5 f2:2", "f7:7 f2:2", "f3:3"}},
	} {
		w := open(t)
		w.set(protocol.DebugBreakpoint{Line: 1})
		ended := w.start(nested(w))
		w.next("stopped breakpoint f1:1")
		for i, how := range walk.hows {
			w.resume(1, how)
			w.next("stopped step " + walk.stops[i])
		}
		w.resume(1, protocol.DebugContinue)
		<-ended
		w.silent()
	}
}

func TestAFrameKnowsItsVariablesWhereItHasStoppedOrCalled(t *testing.T) {
	w := open(t)
	w.set(protocol.DebugBreakpoint{Line: 7})
	ended := w.start(nested(w))
	n := w.next("stopped breakpoint f7:7 f2:2")
	frames, err := w.Stack(n.Thread)
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range frames {
		f, err := w.Frame(frame.ID)
		if err != nil || len(f.Variables()) != 1 || f.Variables()[0].Int() != 2 {
			t.Errorf("frame %d knows %v, %v", frame.ID, f.Variables(), err)
		}
	}
	w.resume(n.Thread, protocol.DebugContinue)
	if _, err := w.Frame(frames[0].ID); err == nil || !strings.Contains(err.Error(), "has gone on") {
		t.Errorf("the frame is still there: %v", err)
	}
	if err := w.Resume(n.Thread, protocol.DebugContinue); err == nil {
		t.Error("what runs is resumed")
	}
	<-ended
}

func TestConditionsThatCannotBeEvaluatedStopAndSayWhy(t *testing.T) {
	w := open(t)
	w.values["yes"], w.values["no"], w.values["n"] = true, false, 3
	for condition, want := range map[string]string{
		"yes": "stopped breakpoint f3:3", "no": "",
		"n":       "stopped breakpoint the condition n is no bool but int f3:3",
		"nowhere": "stopped breakpoint the condition nowhere: undefined: nowhere f3:3",
	} {
		w.set(protocol.DebugBreakpoint{Line: 3, Condition: condition})
		w.mu.Lock()
		w.first = false
		w.mu.Unlock()
		ended := w.start(func(c *call) { c.at(3) })
		if want != "" {
			w.next(want)
			w.resume(1, protocol.DebugContinue)
		}
		<-ended
		w.silent()
	}
}

func TestLogMessagesAreFilledIn(t *testing.T) {
	w := open(t)
	w.values["x"] = []int{1, 2}
	for _, message := range []string{"x is {x}", "{x}{nothing}", "{x", "} {", ""} {
		w.set(protocol.DebugBreakpoint{Line: 3, LogMessage: message, HitCondition: "2"})
		ended := w.start(func(c *call) { c.at(3); c.at(3); c.at(3) })
		if message == "" { // that stops as any other
			n := w.next("stopped breakpoint f3:3")
			w.resume(n.Thread, protocol.DebugContinue)
		}
		<-ended
	}
	if want := []string{"x is [1 2]\n", "[1 2]{nothing: undefined: nothing}\n", "{x\n", "} {\n"}; !slices.Equal(w.printed, want) {
		t.Errorf("printed is %q, want %q", w.printed, want)
	}
}

func TestGoroutinesWaitForTheirTurnToBeAnnounced(t *testing.T) {
	w := open(t)
	w.set(protocol.DebugBreakpoint{Line: 3})
	var all []chan struct{}
	for range 3 {
		all = append(all, w.start(func(c *call) { c.at(3) }))
	}
	for range 3 {
		n := w.next("stopped breakpoint f3:3")
		if stopped := w.Stopped(); !slices.Equal(stopped, []int{n.Thread}) {
			t.Errorf("thread %d has stopped, announced are %v", n.Thread, stopped)
		}
		w.resume(n.Thread, protocol.DebugContinue)
	}
	for _, ended := range all {
		<-ended
	}
	w.silent()
	if list := w.Threads(); len(list) != 1 || list[0].Name != "cells" {
		t.Errorf("there are still %v", list)
	}
}

func TestDetachLetsEverythingGoAndForgets(t *testing.T) {
	w := open(t)
	w.set(protocol.DebugBreakpoint{Line: 3})
	w.StopOnPanic(true)
	asking := false
	w.AskBy(func(ask bool) { asking = ask })
	if !w.Wanted() {
		t.Error("cells need not be able to stop")
	}
	ended := w.start(func(c *call) { c.at(3); c.at(3) })
	w.next("stopped breakpoint f3:3")
	w.Detach()
	w.next("continued")
	<-ended
	if w.Wanted() || asking {
		t.Errorf("wanted are stops: %v, cells ask: %v", w.Wanted(), asking)
	}
	<-w.start(func(c *call) { c.at(3) })
	w.silent()
	w.StopOnPanic(true)
	if w.Wanted() {
		t.Error("panics stop without a client")
	}
}

func TestBreakpointsAreSettledWhenTheirCellIsKnown(t *testing.T) {
	w := open(t)
	wanted := []protocol.DebugBreakpoint{{Line: 2}, {Line: 9}, {Line: 4, HitCondition: "often"}}
	for i, want := range []string{"the text of the cell is not known yet", "the text of the cell is not known yet", "the hit count"} {
		if b := w.SetBreakpoints("cell", "", wanted)[i]; b.Verified || !strings.HasPrefix(b.Message, want) {
			t.Errorf("breakpoint %d is %+v", i, b)
		}
	}
	w.Known("another", "ac") // no goroutine waits for that
	w.silent()
	w.Known("cell", "ac")
	if n := w.next("breakpoint  cell"); n.Breakpoint.Line != 3 || !n.Breakpoint.Verified || n.Breakpoint.Message != "" {
		t.Errorf("changed is %+v", n.Breakpoint)
	}
	w.silent()
	ended := w.start(func(c *call) { c.at(2); c.at(3) })
	w.next("stopped breakpoint f3:3")
	w.resume(1, protocol.DebugContinue)
	<-ended
	ids := map[int]bool{}
	for _, b := range w.SetBreakpoints("cell", "abc", wanted) {
		ids[b.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("the breakpoints have the ids %v", ids)
	}
}

func TestPauseStopsTheNextStatementOnce(t *testing.T) {
	w := open(t)
	if err := w.Pause(); err == nil {
		t.Error("nothing is paused")
	}
	w.set(protocol.DebugBreakpoint{Line: 1})
	ended := w.start(func(c *call) { c.at(1); c.at(3); c.at(5); c.at(7) })
	w.next("stopped breakpoint f1:1")
	if err := w.Pause(); err == nil {
		t.Error("what has stopped is paused")
	}
	w.pausing.Store(true) // as if it had come in time
	w.resume(1, protocol.DebugContinue)
	w.next("stopped pause f3:3")
	w.resume(1, protocol.DebugContinue)
	<-ended
	w.silent()
}
