package exec

import (
	"reflect"
	"unsafe"

	"gosphere/runtime/hostcall"
	"gosphere/runtime/ir"
)

// delayedTarget returns a function that calls a func value with arguments in memory and drops the
// results.
func (m *Machine) delayedTarget(t target, s *site) func(from frame, fn unsafe.Pointer, args []unsafe.Pointer, d *defers) {
	host, hasReceiver := hostcall.Of(t.typ), t.hasReceiver
	results := make([]*typ, t.typ.NumOut())
	for i := range results {
		results[i] = m.describe(t.typ.Out(i))
	}
	return func(from frame, fn unsafe.Pointer, args []unsafe.Pointer, d *defers) {
		if fn == nil {
			panicNil(from, s)
		}
		if t.hasReceiver {
			if ref := m.methodAt(t, fn); ref != nil {
				callMethod(from, s, ref, args, d)
				return
			}
		} else {
			if cl := made(fn); cl != nil {
				cl.callWith(from, s, args, d)
				return
			}
		}
		out := make([]unsafe.Pointer, len(results))
		for i, r := range results {
			out[i] = mallocgc(max(r.size, 1), r.rtype, true)
		}
		t := headerOf(from).thread
		if !hasReceiver && *(*uintptr)(fn) == methodValueCode {
			t.adopting = d
		}
		t.out(from, s)
		host.Call(fn, args, out)
		t.in()
	}
}

// methodValueCode is the code of the method values that package reflect makes. A method of cells that
// one of them calls has been called directly where the method value was.
var methodValueCode = func() uintptr {
	f := reflect.ValueOf(reflect.TypeFor[int]()).MethodByName("Comparable").Interface().(func() bool)
	return **(**uintptr)(unsafe.Pointer(&f))
}()

// callWith calls a closure with arguments in memory, as one of the deferred calls d if that is set.
func (cl *closure) callWith(from frame, s *site, args []unsafe.Pointer, d *defers) {
	n, code := cl.enter(from, s)
	headerOf(n).deferred = d
	skip := cl.argumentsAt()
	for i, a := range args {
		p := code.params[skip+i]
		p.typ.mover()(unsafe.Add(n, p.offset), a)
	}
	code.run(n)
	headerOf(n).deferred = nil
	code.leave(n)
}

// delayedBuiltin compiles go and defer with a predeclared function.
func (c *compiler) delayedBuiltin(e *ir.Builtin) func(f frame) func(frame, *defers) {
	s := c.site(e.Pos())
	unpack := make([]func(frame) reflect.Value, len(e.Args))
	for i, a := range e.Args {
		unpack[i] = c.unpack(c.expr(a))
	}
	name := e.Name
	run, ok := delayedBuiltins[name]
	if !ok {
		unsupported(e.Pos(), "%s cannot be deferred; put it into a function literal", e.Name)
	}
	return func(f frame) func(frame, *defers) {
		args := make([]reflect.Value, len(unpack))
		for i, get := range unpack {
			args[i] = get(f)
		}
		return func(from frame, own *defers) {
			fail(from, s)
			if name == "recover" {
				// The function that has deferred it calls it, unless that panics itself.
				if d := headerOf(from).deferred; d != nil && (own == nil || own.panic == nil) {
					d.panic = nil
				}
				return
			}
			run(args)
		}
	}
}

// unpack compiles a copy of a value as a reflect.Value.
func (c *compiler) unpack(x value) func(frame) reflect.Value {
	if x.typ.class != classMemory {
		return classes[x.typ.class].unpack(x)
	}
	addr, t := x.addr, x.typ
	return func(f frame) reflect.Value {
		v := reflect.New(t.Type).Elem()
		typedmemmove(t.rtype, v.Addr().UnsafePointer(), addr(f))
		return v
	}
}

// delayedBuiltins are the predeclared functions that may be statements.
var delayedBuiltins = map[string]func(args []reflect.Value){
	"close":   func(args []reflect.Value) { chanclose(args[0].UnsafePointer()) },
	"clear":   func(args []reflect.Value) { args[0].Clear() },
	"copy":    func(args []reflect.Value) { reflect.Copy(args[0], args[1]) },
	"delete":  func(args []reflect.Value) { args[0].SetMapIndex(args[1], reflect.Value{}) },
	"panic":   func(args []reflect.Value) { panic(args[0].Interface()) },
	"print":   func(args []reflect.Value) { printValues(args, "") },
	"println": func(args []reflect.Value) { printValues(args, " "); printText("\n") },
	"recover": nil,
}

// methodAt returns the function of cells behind a method of an interface value, nil if the method
// is compiled. fn is a place in the value's method table.
func (m *Machine) methodAt(t target, fn unsafe.Pointer) *methodTarget {
	table := unsafe.Add(fn, -int(t.offset))
	dynamic := *at[rtype](table, tableType)
	ref := m.host.Method(typeFromRtype(dynamic), t.method)
	if ref == nil {
		return nil
	}
	recv := m.describe(typeFromRtype(dynamic))
	return &methodTarget{ref, funcOf(ref), recv, recv.mover()}
}

// A methodTarget is a method of a dynamic type that is declared in cells.
type methodTarget struct {
	ref  *ir.FuncRef
	fn   *function
	recv *typ
	move func(to, from unsafe.Pointer)
}

// callMethod calls a method of cells with the data word of an interface value as the receiver.
func callMethod(from frame, s *site, target *methodTarget, args []unsafe.Pointer, d *defers) {
	code := funcOf(target.ref).code.Load()
	n := code.enter(from, s)
	headerOf(n).deferred = d
	to := unsafe.Add(n, code.params[0].offset)
	if word := *(*unsafe.Pointer)(args[0]); target.recv.direct {
		*(*unsafe.Pointer)(to) = word
	} else {
		target.recv.mover()(to, word)
	}
	for i, a := range args[1:] {
		p := code.params[1+i]
		p.typ.mover()(unsafe.Add(n, p.offset), a)
	}
	code.run(n)
	headerOf(n).deferred = nil
	code.leave(n)
}
