package link

import (
	"fmt"
	"go/types"
	"reflect"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// A Runtime provides the services for running code that the session itself does not provide; see
// machine.Host.
type Runtime interface {
	Poll()
	Follow(t *machine.Thread)
	Site(m *ir.Mark, f *ir.Func) int
	Ask(site int, m machine.Moment)
	Panicked(value any, stack []any)
	Overflow(limit uintptr, frames []machine.StackFrame)
	Go(body func())
	Done() <-chan struct{}
	Exiting() bool
	NeverBlocks(path, name string) bool
	Shared() bool
	LockMap(address uintptr, write bool) func()
	Room(n, size int, text string) int
	// Await blocks the calling goroutine until the channel is closed. Other cells can run
	// meanwhile.
	Await(until <-chan struct{})
}

// A host provides the services of a session for running code.
type host struct {
	Runtime
	session *Session
}

// Type returns the run-time type of a type.
func (h *host) Type(t types.Type) (r reflect.Type, err error) {
	// The machine calls Type while code is compiled and expects an error; other panics are defects.
	defer func() {
		if p := recover(); p != nil {
			refusal, ok := p.(*Refusal)
			if !ok {
				panic(p)
			}
			err = refusal
		}
	}()
	return h.session.typeOf(t), nil
}

// Func returns a function of a compiled package, or its override in cells. For a generic function,
// targs are the type arguments, and the result is an instance that was compiled with the program.
func (h *host) Func(f *types.Func, targs []types.Type) (reflect.Value, error) {
	path, name := f.Pkg().Path(), f.Name()
	if p := h.session.sourcePackage(f.Pkg()); p != nil {
		// The function has no body in Go, since calls of others refer to their source.
		return h.session.linkedFunction(p, f), nil
	}
	if recv := f.Signature().Recv(); recv != nil {
		if named, ok := deref(recv.Type()).(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	// Some functions start goroutines, after which maps must be locked.
	h.session.options.Share(path)
	h.session.options.Share(path + "." + name)
	if v, ok := h.session.options.Override(path, name); ok {
		return v, nil
	}
	// They call os.Exit, which no override can prevent inside compiled code.
	if path == "testing" && (name == "Main" || name == "MainStart") {
		return reflect.Value{}, fmt.Errorf("testing.%s ends the process when the tests are over; call them yourself", name)
	}
	if len(targs) > 0 {
		if v, ok := h.session.options.compiledInstance(f, targs); ok {
			return v, nil
		}
		return reflect.Value{}, fmt.Errorf("%s.%s has type parameters, and gosphere holds no source of it; write the function yourself, or a package around it without type parameters (docs/modules.md)", f.Pkg().Name(), f.Name())
	}
	v, ok := h.session.options.Symbol(path, name)
	if !ok || v.Kind() != reflect.Func {
		return v, fmt.Errorf("%s.%s is not in gosphere's symbol tables", path, name)
	}
	return v, nil
}

// Var returns a variable of a compiled package.
func (h *host) Var(path, name string) (reflect.Value, error) {
	v, ok := h.session.options.Symbol(path, name)
	if !ok || !v.CanAddr() {
		return v, fmt.Errorf("%s.%s is not in gosphere's symbol tables", path, name)
	}
	return v, nil
}

// Override returns the function that overrides a method of a compiled type.
func (h *host) Override(f *types.Func) (reflect.Value, bool) {
	return h.session.options.OverrideMethod(f)
}

// Method returns the function that implements a method of a cell type, or nil. It is called by
// goroutines of cells at dynamic calls.
func (h *host) Method(t reflect.Type, name string) *ir.FuncRef {
	return h.session.methodOf(t, name)
}

// MethodName returns the name of a method in the method list of an interface type. An unexported
// method of a package from source has a hidden name, as in [methodName]. That of a compiled package
// has its own name, because the interface type is one of compiled code.
func (h *host) MethodName(f *types.Func) string {
	if f.Exported() || f.Pkg() == nil || h.session.isSource(f.Pkg()) {
		return methodName(f)
	}
	return f.Name()
}

// NeverBlocks reports whether a compiled function always returns quickly.
func (h *host) NeverBlocks(f *types.Func) bool {
	return f.Pkg() != nil && h.Runtime.NeverBlocks(f.Pkg().Path(), f.Name())
}

// compiledInstance returns the compiled instance of a generic function of the standard library.
// Such instances exist for the most common type arguments, where they save cells from running the
// source.
func (o *Options) compiledInstance(f *types.Func, targs []types.Type) (reflect.Value, bool) {
	if o.Instance == nil || len(targs) == 0 || f.Pkg() == nil || f.Pkg().Path() == "main" || f.Signature().Recv() != nil {
		return reflect.Value{}, false
	}
	var written []string
	for _, t := range targs {
		written = append(written, compiledName(types.TypeString(t, nil)))
	}
	return o.Instance(f.Pkg().Path(), f.Name(), written)
}

var _ machine.Host = (*host)(nil)
