package session

import (
	"fmt"
	"go/types"
	"os"
	"reflect"

	"gosphere/runtime/internal/debug"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/limits"
	"gosphere/runtime/internal/guard/panics"
	"gosphere/runtime/internal/guard/schedule"
	"gosphere/runtime/internal/guard/sharing"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/link"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/override"
)

// newLink returns the compiler of a session's cells. It sets the functions that override compiled
// ones in cells, and connects the machine with the guard and the debugger. Overrides of this
// package come first, since they replace some of those in package override.
func (s *Session) newLink() *link.Session {
	var own *override.Own
	symbol := s.options.Symbol
	registration := func(path string) func() { return override.Registration(path, s.options.Symbol) }
	if s.options.Process == nil {
		own = override.NewOwn("cells", s.options.Symbol)
		registration = own.Registration
		s.guard.Streams.Own(own.Streams())
		symbol = func(path, name string) (reflect.Value, bool) {
			if v, ok := own.Variable(path, name); ok {
				return v, true
			}
			return s.options.Symbol(path, name)
		}
	}
	overrides := override.New(s.guard, own, s.options.Symbol)
	tests := s.options.Notebook.Tests()
	testMethods := tests.Methods(testCalls)
	l := link.New(link.Options{
		Symbol: symbol,
		Override: func(path, name string) (reflect.Value, bool) {
			if v, ok := callers[path+"."+name]; ok {
				return v, true
			}
			// %test ends the test in place of the cell, so the override of package override is
			// wrapped.
			if (path == "os" || path == "syscall") && name == "Exit" {
				exit, _ := overrides.Function(path, name)
				return testExit(exit, tests), true
			}
			if f, refused := denied(&s.options, path+"."+name); refused {
				original, _ := s.options.Symbol(path, name)
				return f(original.Type()), true
			}
			if own != nil {
				original, _ := s.options.Symbol(path, name)
				if f, ok := own.Function(path, name, original); ok {
					return f, true
				}
			}
			return overrides.Function(path, name)
		},
		OverrideMethod: func(f *types.Func) (reflect.Value, bool) {
			if v, ok := testMethods[f.FullName()]; ok {
				return v, true
			}
			if v, ok := codePointers[f.FullName()]; ok {
				return v, true
			}
			if deny, refused := denied(&s.options, f.FullName()); refused {
				if t, ok := override.Symbol(s.options.Symbol).MethodType(f.FullName()); ok {
					return deny(t), true
				}
			}
			if own != nil {
				if v, ok := own.Method(f.FullName()); ok {
					return v, true
				}
			}
			return overrides.Method(f.FullName())
		},
		Import: s.library.importAny, Source: s.library.loader.Of, Registration: registration, Files: s.library.files, Generic: s.options.Generic, Instance: s.options.Instance,
		Show: keepResult, ShowAll: keepResults, Main: s.checker.Main(), Verify: s.options.Verify, Trace: s.options.Trace, Runtime: host{s.guard, &s.guard.Sharing, s.guard.Memory, s.debuggee}, Share: s.guard.Sharing.Uses,
	})
	m := l.Machine()
	m.Stack.Store(s.options.Stack)
	// The machine polls only while the guard asks for it, so that code runs at full speed
	// otherwise.
	s.guard.OnStop(m.SetStop)
	// A goroutine that compiled code has started has no thread; Call acquires one.
	s.guard.RunBy(func(f func()) { traced(func() { m.Call(f) }, s.guard.IsProgram()) })
	// Marks call Ask only while the debugger has enabled them.
	s.debuggee.AskBy(m.SetAsking)
	// Compiled code that gets os.Stdout of a cell in an interface value must write to the stream of
	// the cell, so an *override.File stands in for it.
	m.StandIn(reflect.TypeFor[*os.File](), reflect.TypeFor[*override.File](), override.StandIns)
	return l
}

// A host provides the services of the session to running code. It implements [link.Runtime] with
// the methods of this file and those of the embedded types: Poll of the guard, Shared of the
// goroutines, and Room of the memory limit.
type host struct {
	*guard.Guard
	*sharing.Goroutines
	*limits.Memory
	debuggee *Debuggee
}

// Follow counts the calling goroutine while it runs code of cells, and sets the activity that stack
// reports of the calling cell's statements come from.
func (h host) Follow(t *machine.Thread) {
	if t == nil {
		h.Goroutines.Leave()
	} else {
		h.Goroutines.Enter()
	}
	c := guard.Current()
	// A report shows where the statements of a cell are, and not where its goroutines are.
	switch {
	case c == nil || !c.OnStatements():
	case t == nil:
		c.Follow(nil)
	default:
		c.Follow(activity{t, h.IsProgram()})
	}
}

// An activity describes a thread in the form of stack traces.
type activity struct {
	*machine.Thread
	program bool
}

// Observed implements schedule.Activity.
func (a activity) Observed() (call string, calls []string, ok bool) {
	call, frames, ok := a.Thread.Observed()
	if !ok {
		return "", nil, false
	}
	return call, describe(frames, a.program), true
}

// Calls implements schedule.Activity.
func (a activity) Calls() (call string, calls []string) {
	call, frames := a.Thread.Calls()
	return call, describe(frames, a.program)
}

// Overflow ends the calling goroutine, whose calls are nested too deeply.
func (h host) Overflow(limit uintptr, frames []machine.StackFrame) {
	h.Guard.Overflow(fmt.Sprintf("%d MB", limit>>20), describe(frames, h.IsProgram()))
}

// Go starts a goroutine that belongs to the calling cell.
func (h host) Go(body func()) { h.Guard.Go(body) }

// Done returns a channel that is closed when the cell of the calling goroutine must stop. It
// returns nil if there is no cell.
func (host) Done() <-chan struct{} {
	if current := guard.Current(); current != nil {
		return current.Done()
	}
	return nil
}

// Await blocks the calling goroutine until the channel is closed. Its cell releases the execution
// lock meanwhile, and can be interrupted.
func (host) Await(until <-chan struct{}) {
	c := guard.Current()
	if c == nil {
		<-until
		return
	}
	guard.WithoutLock(func() {
		select {
		case <-until:
		case <-c.Done():
		}
	})
	c.EndIfStopped()
}

// Exiting reports whether the cell of the calling goroutine has called os.Exit.
func (host) Exiting() bool {
	current := guard.Current()
	return current != nil && current.Exited()
}

// NeverBlocks reports whether a function of a compiled package always returns quickly.
func (host) NeverBlocks(path, name string) bool { return schedule.NeverBlocks(path, name) }

// LockMap locks a map and returns the function that unlocks it.
func (host) LockMap(address uintptr, write bool) func() { return sharing.LockMap(address, write) }

// Site assigns a number to a mark for the debugger.
func (h host) Site(m *ir.Mark, f *ir.Func) int { return h.debuggee.addSite(m, f) }

// A moment is a machine.Moment whose stack has the debugger's frames.
type moment struct{ machine.Moment }

// Stack implements debug.Moment.
func (m moment) Stack() []*debug.Frame { return framesOf(m.Moment.Stack()) }

func framesOf(records []any) (list []*debug.Frame) {
	for _, r := range records {
		list = append(list, r.(*debug.Frame))
	}
	return list
}

// Ask gives the debugger the opportunity to stop at a mark. The first mark of a call makes the
// debugger's record of the call, so that calls of functions without marks cost nothing.
func (h host) Ask(site int, m machine.Moment) {
	f, known := m.Call().(*debug.Frame)
	if !known {
		around, _ := m.Around().(*debug.Frame)
		f = h.debuggee.Enter(m.Depth(), around)
		m.SetCall(f)
	}
	h.debuggee.At(f, site, moment{m})
}

// Panicked gives the debugger the opportunity to stop at a panic. The text is computed only if the
// debugger needs it, because it may call the Error method of a cell.
func (h host) Panicked(value any, stack []any) {
	h.debuggee.Panicked(framesOf(stack), func() (name, text string) {
		report := panics.Describe(value)
		switch {
		case report.Name != "":
			return report.Name, report.Text
		case report.Runtime:
			return "runtime error", report.Text
		}
		return "panic", report.Text
	})
}

// traced calls f. If f panics, it panics with the same value, described with the calls of cells
// that were unwound.
func traced(f func(), program bool) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		// The goroutine ends by runtime.Goexit.
		if value == nil {
			return
		}
		panic(tracedPanic(value, program))
	}()
	f()
	finished = true
}

// tracedPanic adds a description of the calls to a panic that comes from package machine.
func tracedPanic(value any, program bool) any {
	if p, ok := value.(*machine.Panic); ok {
		traced := &panics.Traced{Value: p.Value, Calls: describe(p.Frames, program)}
		for _, e := range p.Before {
			traced.Before = append(traced.Before, panics.Earlier(e))
		}
		return traced
	}
	return value
}
