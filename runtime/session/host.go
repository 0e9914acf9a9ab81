package session

import (
	"go/types"
	"os"
	"reflect"

	"gosphere/runtime/debug"
	"gosphere/runtime/exec"
	"gosphere/runtime/guard"
	"gosphere/runtime/ir"
	"gosphere/runtime/link"
	"gosphere/runtime/machine"
	"gosphere/runtime/override"
)

// newLink makes the compiler of a session's cells, with what stands for compiled functions in them.
func (s *Session) newLink() *link.Session {
	support := override.Support(s.guard)
	l := link.New(link.Options{
		Symbol: s.options.Symbol,
		Override: func(path, name string) (reflect.Value, bool) {
			if v, ok := callers[path+"."+name]; ok {
				return v, true
			}
			if (path == "os" || path == "syscall") && name == "Exit" {
				return testExit(support[override.Override(path, name)]), true
			}
			if path == "runtime" && name == "SetFinalizer" {
				return reflect.ValueOf(s.setFinalizer), true
			}
			v, ok := support[override.Override(path, name)]
			return v, ok
		},
		OverrideMethod: func(f *types.Func) (reflect.Value, bool) {
			if v, ok := testMethods[f.FullName()]; ok {
				return v, true
			}
			v, ok := support[override.OverrideMethod(f.FullName())]
			return v, ok
		},
		Import: s.library.Import, Source: s.library.loader.Of, Generic: s.options.Generic, Instance: s.options.Instance,
		Show: keepResult, ShowAll: keepResults, Main: s.checker.Main(), Verify: s.options.Verify, Trace: s.options.Trace, Runtime: host{s.guard, s.debuggee}, Share: s.guard.Uses,
	})
	m := l.Machine()
	s.guard.OnStop(m.SetStop)
	s.guard.RunBy(func(f func()) { traced(func() { m.Call(f) }) })
	exec.PrintTo(func(text string) { _, _ = guard.Stderr.WriteString(text) })
	s.debuggee.AskBy(m.SetAsking)
	m.StandIn(reflect.TypeFor[*os.File](), reflect.TypeFor[*override.File](), override.StandIns)
	return l
}

// A host is what running code asks of its session.
type host struct {
	*guard.Guard
	debuggee *Debuggee
}

// Follow notes what the goroutine of a cell's statements does.
func (host) Follow(t *machine.Thread) {
	c := guard.Current()
	switch {
	case c == nil || !c.OnStatements():
	case t == nil:
		c.Follow(nil)
	default:
		c.Follow(activity{t})
	}
}

// An activity reports on a thread in the words of stack traces.
type activity struct{ *machine.Thread }

// Observed is that of guard.Activity.
func (a activity) Observed() (call string, calls []string, ok bool) {
	call, frames, ok := a.Thread.Observed()
	if !ok {
		return "", nil, false
	}
	return call, describe(frames), true
}

// Calls is that of guard.Activity.
func (a activity) Calls() (call string, calls []string) {
	call, frames := a.Thread.Calls()
	return call, describe(frames)
}

// Overflow ends the calling goroutine, whose calls are nested too deeply.
func (h host) Overflow(frames []machine.StackFrame) { h.Guard.Overflow(describe(frames)) }

// Go starts a goroutine of the calling cell.
func (h host) Go(body func()) { h.Guard.Go(body) }

// Done returns a channel that is closed when the cell of the calling goroutine has to stop.
func (host) Done() <-chan struct{} {
	if current := guard.Current(); current != nil {
		return current.Done()
	}
	return nil
}

// Exiting reports whether the cell of the calling goroutine has called os.Exit.
func (host) Exiting() bool {
	current := guard.Current()
	return current != nil && current.Exited()
}

// Brief reports whether a function of a compiled package never takes long.
func (host) Brief(path, name string) bool { return guard.Brief(path, name) }

// LockMap takes the lock of a map.
func (host) LockMap(address uintptr, write bool) func() { return guard.LockMap(address, write) }

// Site numbers a mark for the debugger.
func (h host) Site(m *ir.Mark, f *ir.Func) int { return h.debuggee.addSite(m, f) }

// A moment is that of package exec with the debugger's frames.
type moment struct{ machine.Moment }

// Stack is that of debug.Moment.
func (m moment) Stack() []*debug.Frame { return framesOf(m.Moment.Stack()) }

func framesOf(records []any) (list []*debug.Frame) {
	for _, r := range records {
		list = append(list, r.(*debug.Frame))
	}
	return list
}

// Ask lets the debugger stop.
func (h host) Ask(site int, m machine.Moment) {
	f, known := m.Call().(*debug.Frame)
	if !known {
		around, _ := m.Around().(*debug.Frame)
		f = h.debuggee.Enter(m.Depth(), around)
		m.SetCall(f)
	}
	h.debuggee.At(f, site, moment{m})
}

// Panicked lets the debugger stop at a panic.
func (h host) Panicked(value any, stack []any) {
	h.debuggee.Panicked(framesOf(stack), func() (name, text string) {
		report := guard.ReportPanic(value)
		switch {
		case report.Name != "":
			return report.Name, report.Text
		case report.Runtime:
			return "runtime error", report.Text
		}
		return "panic", report.Text
	})
}

// traced calls a function and describes the calls of cells that a panic has left.
func traced(f func()) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		if value == nil {
			return
		}
		panic(tracedPanic(value))
	}()
	f()
	finished = true
}

// tracedPanic describes a panic that has left package exec.
func tracedPanic(value any) any {
	if p, ok := value.(*machine.Panic); ok {
		return &guard.TracedPanic{Value: p.Value, Calls: describe(p.Frames)}
	}
	return value
}
