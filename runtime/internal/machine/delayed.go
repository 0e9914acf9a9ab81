package machine

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/hostcall"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/realtype"
)

// DelayedTarget returns a function that calls a func value with arguments in memory and discards
// the results. The nil check is made here and not at the statement: the specification says that a
// nil function panics when the deferred call is executed.
func (m *Machine) DelayedTarget(t Target, s *Site) func(from Frame, fn unsafe.Pointer, args []unsafe.Pointer, d *Defers) {
	host, hasReceiver := hostcall.Of(t.Type), t.HasReceiver
	results := make([]*Type, t.Type.NumOut())
	for i := range results {
		results[i] = m.Describe(t.Type.Out(i))
	}
	return func(from Frame, fn unsafe.Pointer, args []unsafe.Pointer, d *Defers) {
		if fn == nil {
			PanicNil(from, s)
		}
		if t.HasReceiver {
			if ref := m.methodAt(t, fn); ref != nil {
				callMethod(from, s, ref, args, d)
				return
			}
		} else {
			if cl := ClosureOf(fn); cl != nil {
				cl.callWith(from, s, args, d)
				return
			}
		}
		// hostcall needs memory for results that are discarded if reflect makes the call.
		out := make([]unsafe.Pointer, len(results))
		for i, r := range results {
			out[i] = Malloc(max(r.Size, 1), r.RType, true)
		}
		t := HeaderOf(from).Thread
		if !hasReceiver && forwards(fn) {
			// The next call from compiled code on this thread is the one that the func value makes.
			t.adopting = d
		}
		t.Out(from, s)
		host.Call(fn, args, out)
		t.In()
		t.adopting = nil
	}
}

// forwards reports whether a compiled func value calls a function that counts as deferred if the
// func value is: a method, or the function given to reflect.MakeFunc.
func forwards(fn unsafe.Pointer) bool {
	switch code := *(*uintptr)(fn); code {
	case methodValueCode:
		return true
	case makeFuncCode:
		return ClosureOf(*At[unsafe.Pointer](fn, makeFuncHandler)) != nil
	default: // a method of cells as package reflect returns it in Method.Func
		return realtype.IsStub(code)
	}
}

// methodValueCode is the code address of method values that package reflect makes. Deferring such a
// value calls the method indirectly. The deferred calls are passed through the thread, so that a
// method of cells can recover as if it had been deferred directly.
var methodValueCode = func() uintptr {
	f := reflect.ValueOf(reflect.TypeFor[int]()).MethodByName("Comparable").Interface().(func() bool)
	return **(**uintptr)(unsafe.Pointer(&f))
}()

// callWith calls a closure with arguments in memory. If d is not nil, the call is one of these
// deferred calls.
func (cl *Closure) callWith(from Frame, s *Site, args []unsafe.Pointer, d *Defers) {
	n, code := cl.Enter(from, s)
	HeaderOf(n).Deferred = d
	skip := cl.ArgumentsAt()
	for i, a := range args {
		p := code.Params[skip+i]
		p.Type.Mover()(unsafe.Add(n, p.Offset), a)
	}
	code.Run(n)
	HeaderOf(n).Deferred = nil
	code.Leave(n)
}

// methodAt returns the function of cells that implements a method of an interface value, or nil if
// the method is compiled. fn points to an entry of the value's method table.
func (m *Machine) methodAt(t Target, fn unsafe.Pointer) *methodTarget {
	// The entry is inside the table, so its distance to the beginning is the offset of the method.
	table := unsafe.Add(fn, -int(t.Offset))
	dynamic := *At[RType](table, tableType)
	ref := m.Host.Method(TypeFromRType(dynamic), t.Method)
	if ref == nil {
		return nil
	}
	recv := m.Describe(TypeFromRType(dynamic))
	return &methodTarget{ref, FuncOf(ref), recv, recv.Mover()}
}

// A methodTarget is a method of a dynamic type that is declared in cells. move copies a receiver of
// type recv, which a caller would otherwise look up in each call.
type methodTarget struct {
	ref  *ir.FuncRef
	fn   *Function
	recv *Type
	move func(to, from unsafe.Pointer)
}

// callMethod calls a method of cells. The first argument is the data word of an interface value,
// which holds the receiver or points to it.
//
// The receiver is copied when the call is made. Its memory cannot have changed, because the data of
// an interface value is never written.
func callMethod(from Frame, s *Site, target *methodTarget, args []unsafe.Pointer, d *Defers) {
	code := FuncOf(target.ref).Code.Load()
	n := code.Enter(from, s)
	HeaderOf(n).Deferred = d
	to := unsafe.Add(n, code.Params[0].Offset)
	if word := *(*unsafe.Pointer)(args[0]); target.recv.Direct {
		*(*unsafe.Pointer)(to) = word
	} else {
		target.recv.Mover()(to, word)
	}
	for i, a := range args[1:] {
		p := code.Params[1+i]
		p.Type.Mover()(unsafe.Add(n, p.Offset), a)
	}
	code.Run(n)
	HeaderOf(n).Deferred = nil
	code.Leave(n)
}
