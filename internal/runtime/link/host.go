package link

import (
	"fmt"
	"go/types"
	"reflect"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// A Runtime provides the services for running code that the session itself does not provide; see
// machine.Host.
type Runtime interface {
	Poll()
	Follow(t *machine.Thread)
	Site(m *ir.Mark, f *ir.Func) int
	Ask(site int, m machine.Moment)
	Panicked(value any, stack []any)
	Overflow(frames []machine.StackFrame)
	Go(body func())
	Done() <-chan struct{}
	Exiting() bool
	NeverBlocks(path, name string) bool
	Shared() bool
	LockMap(address uintptr, write bool) func()
	Room(n, size int, text string) int
}

// Type returns the run-time type of a type.
func (s *Session) Type(t types.Type) (r reflect.Type, err error) {
	defer func() {
		if p := recover(); p != nil {
			refusal, ok := p.(*Refusal)
			if !ok {
				panic(p)
			}
			err = refusal
		}
	}()
	return s.universe.Of(t), nil
}

// Func returns a function of a compiled package, or its override in cells.
func (s *Session) Func(f *types.Func, targs []types.Type) (reflect.Value, error) {
	path, name := f.Pkg().Path(), f.Name()
	if p := s.sourcePackage(f.Pkg()); p != nil {
		return s.linkedFunction(p, f), nil
	}
	if recv := f.Signature().Recv(); recv != nil {
		if named, ok := deref(recv.Type()).(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	s.options.Share(path)
	s.options.Share(path + "." + name)
	if v, ok := s.options.Override(path, name); ok {
		return v, nil
	}
	if path == "testing" && (name == "Main" || name == "MainStart") {
		return reflect.Value{}, fmt.Errorf("testing.%s ends the process when the tests are over; call them yourself", name)
	}
	if len(targs) > 0 {
		return s.instance(f, targs)
	}
	v, ok := s.options.Symbol(path, name)
	if !ok || v.Kind() != reflect.Func {
		return v, fmt.Errorf("%s.%s is not in this kernel's symbol tables", path, name)
	}
	return v, nil
}

// compiledInstance returns the compiled instance of a generic function of the standard library.
func (s *Session) compiledInstance(f *types.Func, targs []types.Type) (reflect.Value, bool) {
	if s.options.Instance == nil || len(targs) == 0 || f.Pkg() == nil || f.Pkg().Path() == "main" || f.Signature().Recv() != nil {
		return reflect.Value{}, false
	}
	var written []string
	for _, t := range targs {
		written = append(written, predeclared.Replace(types.TypeString(t, nil)))
	}
	return s.options.Instance(f.Pkg().Path(), f.Name(), written)
}

// hasInstance reports whether a generic function of the standard library is compiled for the given
// type arguments.
func (s *Session) hasInstance(f *types.Func, targs []types.Type) bool {
	_, ok := s.compiledInstance(f, targs)
	return ok
}

// instance returns the compiled instance of a generic function, or an error that suggests
// alternatives.
func (s *Session) instance(f *types.Func, targs []types.Type) (reflect.Value, error) {
	if v, ok := s.compiledInstance(f, targs); ok {
		return v, nil
	}
	return reflect.Value{}, fmt.Errorf("%s.%s has type parameters, and the program holds no source of it for cells; write the function in a cell, or a package around it without type parameters (docs/modules.md)", f.Pkg().Name(), f.Name())
}

// Var returns a variable of a compiled package.
func (s *Session) Var(path, name string) (reflect.Value, error) {
	v, ok := s.options.Symbol(path, name)
	if !ok || !v.CanAddr() {
		return v, fmt.Errorf("%s.%s is not in this kernel's symbol tables", path, name)
	}
	return v, nil
}

// Override returns the function that overrides a method of a compiled type.
func (s *Session) Override(f *types.Func) (reflect.Value, bool) {
	return s.options.OverrideMethod(f)
}

// Method returns the function that implements a method of a cell type, or nil.
func (s *Session) Method(t reflect.Type, name string) *ir.FuncRef {
	if found, ok := s.universe.tables.Load(methodKey{t, name}); ok {
		return found.(*ir.FuncRef)
	}
	return nil
}

// MethodName returns the name of a method in the method list of an interface type.
func (s *Session) MethodName(f *types.Func) string {
	if f.Exported() || f.Pkg() == nil || s.isSource(f.Pkg()) {
		return methodName(f)
	}
	return f.Name()
}

// Poll gives the session the opportunity to yield or to end the goroutine.
func (s *Session) Poll() { s.options.Runtime.Poll() }

// Follow records the thread of the calling goroutine.
func (s *Session) Follow(t *machine.Thread) { s.options.Runtime.Follow(t) }

// Site returns a number for a mark of a function.
func (s *Session) Site(m *ir.Mark, f *ir.Func) int { return s.options.Runtime.Site(m, f) }

// Ask gives a debugger the opportunity to stop at a mark.
func (s *Session) Ask(site int, m machine.Moment) { s.options.Runtime.Ask(site, m) }

// Panicked gives a debugger the opportunity to stop at a panic.
func (s *Session) Panicked(value any, stack []any) { s.options.Runtime.Panicked(value, stack) }

// Overflow ends the goroutine, whose stack has reached its limit.
func (s *Session) Overflow(frames []machine.StackFrame) { s.options.Runtime.Overflow(frames) }

// Go starts a goroutine that belongs to a cell.
func (s *Session) Go(body func()) { s.options.Runtime.Go(body) }

// Done returns a channel that is closed when the goroutine's cell must stop.
func (s *Session) Done() <-chan struct{} { return s.options.Runtime.Done() }

// NeverBlocks reports whether a compiled function always returns quickly.
func (s *Session) NeverBlocks(f *types.Func) bool {
	return f.Pkg() != nil && s.options.Runtime.NeverBlocks(f.Pkg().Path(), f.Name())
}

// Exiting reports whether the goroutine ends without running deferred calls.
func (s *Session) Exiting() bool { return s.options.Runtime.Exiting() }

// Shared reports whether several goroutines may run code of cells.
func (s *Session) Shared() bool { return s.options.Runtime.Shared() }

// LockMap locks the map at an address and returns the function that unlocks it.
func (s *Session) LockMap(address uintptr, write bool) (release func()) {
	return s.options.Runtime.LockMap(address, write)
}

// Room returns n if there is memory for n elements of a size, and panics otherwise.
func (s *Session) Room(n, size int, text string) int { return s.options.Runtime.Room(n, size, text) }

// showValue returns the statement that shows the value of a cell.
func (s *Session) showValue(x ir.Expr) ir.Stmt {
	if s.unit.checked.OnlyFails() {
		return ir.CallHook(func(values []reflect.Value) {
			if v := values[0]; v.IsValid() {
				s.options.ShowAll(true, false, v.Interface())
				return
			}
			s.options.ShowAll(true, false, nil)
		}, x)
	}
	return ir.CallHook(s.showHook, x)
}

func (s *Session) showHook(values []reflect.Value) {
	v := values[0]
	if !v.IsValid() {
		s.options.Show(nil)
		return
	}
	s.options.Show(v.Interface())
}

// showAll returns the statement that shows all results of a call.
func (s *Session) showAll(call *ir.Call) ir.Stmt {
	fails, size := s.unit.checked.ResultsShown()
	return ir.CallHook(func(values []reflect.Value) {
		list := make([]any, len(values))
		for i, v := range values {
			if v.IsValid() {
				list[i] = v.Interface()
			}
		}
		s.options.ShowAll(fails, size, list...)
	}, call)
}
