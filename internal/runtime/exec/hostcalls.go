package exec

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"gosphere/internal/runtime/hostcall"
	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// extern returns a function of a compiled package.
func (c *compiler) extern(e *ir.ExternExpr) reflect.Value {
	v, err := c.m.Host.Func(e.Func, e.Targs)
	if err != nil {
		panic(&Unsupported{e.Pos(), err.Error()})
	}
	return v
}

// target compiles the callee of a call. args are the argument expressions, including a receiver of
// a compiled type.
func (c *compiler) target(e *ir.Call) (t machine.Target, args []ir.Expr) {
	switch {
	case e.Extern != nil: // strings.ToUpper(s)
		v := c.extern(e.Extern)
		return machine.Target{Type: v.Type(), Fixed: *(*unsafe.Pointer)(machine.NewFuncCell(v))}, e.Args
	case e.Value != nil: // f(x) for a variable f
		x := c.expr(e.Value)
		get := x.F.(func(machine.Frame) unsafe.Pointer)
		return machine.Target{Type: x.Type.Type, Value: get}, e.Args
	}
	recv := c.typeOf(e.Method.Recv.Type())
	if recv.Class == machine.ClassIface { // err.Error()
		return c.interfaceTarget(e.Method, recv, e.Pos()), e.Args
	}
	m := c.compiledMethod(recv, e.Method) // t.Unix() for a time.Time
	return machine.Target{Type: m.Type(), Fixed: *(*unsafe.Pointer)(machine.NewFuncCell(m))}, append([]ir.Expr{e.Method.Recv}, e.Args...)
}

// compiledMethod returns a method of a compiled type as a function.
func (c *compiler) compiledMethod(recv *machine.Type, call *ir.MethodCall) reflect.Value {
	if v, ok := c.m.Host.Override(call.Func); ok {
		return v
	}
	m, ok := recv.Type.MethodByName(call.Func.Name())
	if !ok {
		unsupported(call.Recv.Pos(), "%v has no method %s that cells can call", recv.Type, call.Func.Name())
	}
	return m.Func
}

// interfaceTarget compiles the lookup of a method in the method table of an interface value. The
// index of a method is fixed by the interface type, whose methods are sorted by name, and the code
// is read from the value's table.
func (c *compiler) interfaceTarget(call *ir.MethodCall, recv *machine.Type, pos token.Pos) machine.Target {
	index, signature := c.methodIndex(recv.Type, call.Func)
	if index < 0 {
		unsupported(call.Recv.Pos(), "%v has no method %s", recv.Type, call.Func.Name())
	}
	in := []reflect.Type{reflect.TypeFor[unsafe.Pointer]()}
	for i := range signature.NumIn() {
		in = append(in, signature.In(i))
	}
	var out []reflect.Type
	for i := range signature.NumOut() {
		out = append(out, signature.Out(i))
	}
	get := c.expr(call.Recv).F.(func(machine.Frame) machine.Iface)
	offset := machine.TableCode + uintptr(index)*unsafe.Sizeof(offsetWord)
	s := c.site(pos)
	return machine.Target{Type: reflect.FuncOf(in, out, signature.IsVariadic()), HasReceiver: true, Method: recv.Type.Method(index).Name, Offset: offset, Find: func(f machine.Frame) (unsafe.Pointer, unsafe.Pointer) {
		v := get(f)
		if v.Tab == nil {
			machine.PanicNil(f, s)
		}
		// The word in the table that holds the address of the code has the form of a func value.
		return unsafe.Add(v.Tab, offset), v.Data
	}}
}

const offsetWord = uintptr(0)

// methodIndex returns the position of a method in the method tables of an interface type, or -1.
func (c *compiler) methodIndex(t reflect.Type, f *types.Func) (index int, signature reflect.Type) {
	name := c.m.Host.MethodName(f)
	for i := range t.NumMethod() {
		if m := t.Method(i); m.Name == name {
			return i, m.Type
		}
	}
	return -1, nil
}

// hostCall compiles a call with one result that may enter compiled code.
func (c *compiler) hostCall(e *ir.Call, t *machine.Type) machine.Value {
	target, args := c.target(e)
	values := c.values(target, args, e.Spread)
	// Frequent signatures have a typed form, which passes arguments in registers. The general form
	// passes pointers to them.
	if values != nil && t.Class != machine.ClassMemory {
		if f := c.direct(target, values, t, e); f != nil {
			return machine.Value{Type: t, F: f}
		}
	}
	result := &ir.Local{Type: e.Type()}
	step := c.hostCallTo(e, target, args, values, []*ir.Local{result})
	a := c.local(result, t)
	if t.Class == machine.ClassMemory {
		address := a.Address()
		return machine.Value{Type: t, Addr: func(f machine.Frame) unsafe.Pointer { step(f); return address(f) }}
	}
	return machine.Value{Type: t, F: machine.Classes[t.Class].Seq(step, c.read(a))}
}

// hostCallStep compiles a call whose results are stored in variables, or discarded if dst is nil.
func (c *compiler) hostCallStep(e *ir.Call, dst []*ir.Local) func(machine.Frame) {
	target, args := c.target(e)
	values := c.values(target, args, e.Spread)
	if values != nil {
		if step := c.directStep(target, values, e, dst); step != nil {
			return step
		}
	}
	return c.hostCallTo(e, target, args, values, dst)
}

// values compiles the arguments of a call. It returns nil if they are the results of another call.
func (c *compiler) values(t machine.Target, args []ir.Expr, spread bool) []machine.Value {
	if spread {
		return nil
	}
	values := make([]machine.Value, len(args))
	for i, a := range args {
		values[i] = c.expr(a)
	}
	return values
}

// hostCallTo compiles the general form of a call, which has arguments and results in memory. A
// function of cells is called in its own frame, and other functions through package hostcall.
func (c *compiler) hostCallTo(e *ir.Call, t machine.Target, args []ir.Expr, values []machine.Value, dst []*ir.Local) func(machine.Frame) {
	prepare := func(machine.Frame) {}
	if values == nil {
		prepare, values = c.spreadValues(args)
	}
	n := t.Type.NumIn()
	first := 0
	if t.HasReceiver {
		first = 1
	}
	// The list has a pointer to the receiver if there is one, to each argument and to each result,
	// in this order. It is in the frame and not on the heap: the call needs no allocation.
	pointers := c.pointers(n + t.Type.NumOut())
	stores := make([]func(machine.Frame), len(values))
	for i, v := range values {
		at1 := pointers + uintptr(first+i)*8
		if v.Form == machine.FormLocal {
			stores[i] = machine.PointTo(at1, machine.Access{Offset: v.Slot})
		} else {
			stores[i] = machine.PointTo(at1, machine.Access{Mode: machine.ModeBase, Base: c.inMemory(v)})
		}
	}
	store := machine.Sequence(stores)
	if store == nil {
		store = func(machine.Frame) {}
	}
	results := c.resultPointers(t, pointers+uintptr(n)*8, dst)
	call := c.invoke(e, t, pointers, n)
	if t.Fixed != nil {
		fn := t.Fixed
		return func(f machine.Frame) {
			prepare(f)
			store(f)
			results(f)
			call(f, fn, nil)
		}
	}
	// A func value or method of cells is called without a detour through compiled code.
	cells, s := c.cellsCall(e, t, values, dst), c.callSite(e, e.Pos())
	// A func value is evaluated before the arguments, but its nil check follows them, as in
	// compiled Go.
	return func(f machine.Frame) {
		fn, receiver := t.Callee(f)
		prepare(f)
		if cells(f, fn, receiver) {
			return
		}
		store(f)
		if fn == nil {
			machine.PanicNil(f, s)
		}
		results(f)
		call(f, fn, receiver)
	}
}

// cellsCall compiles the call of a func value, or of a method of an interface value, for the case
// that it is a function of cells. The returned function reports whether it is; if not, it has had
// no effect.
func (c *compiler) cellsCall(e *ir.Call, t machine.Target, values []machine.Value, dst []*ir.Local) func(f machine.Frame, fn, receiver unsafe.Pointer) bool {
	call := &machine.Caller{Target: t, M: &c.m.Machine, Site: c.callSite(e, e.Pos())}
	arguments := make([]func(machine.Frame, unsafe.Pointer), len(values))
	for i, v := range values {
		arguments[i] = machine.PutAnywhere(v)
	}
	var moves []func(f, n machine.Frame, code *machine.Code)
	for i, l := range dst {
		if l != nil {
			a := c.local(l, c.typeOf(l.Type))
			to, move := a.Address(), a.Type.Mover()
			moves = append(moves, func(f, n machine.Frame, code *machine.Code) { move(to(f), unsafe.Add(n, code.Results[i].Offset)) })
		}
	}
	return func(f machine.Frame, fn, receiver unsafe.Pointer) bool {
		var n machine.Frame
		var code *machine.Code
		first := 0
		if t.HasReceiver {
			method := call.Method(fn)
			if method == nil {
				return false
			}
			n, code = call.EnterMethod(f, method, receiver)
			first = 1
		} else {
			cl := machine.ClosureOf(fn)
			if cl == nil {
				return false
			}
			n, code = cl.Enter(f, call.Site)
			first = cl.ArgumentsAt()
		}
		for i, put := range arguments {
			put(f, unsafe.Add(n, code.Params[first+i].Offset))
		}
		code.Run(n)
		for _, move := range moves {
			move(f, n, code)
		}
		code.Leave(n)
		return true
	}
}

// spreadValues compiles the results of a call as arguments of another call.
func (c *compiler) spreadValues(args []ir.Expr) (prepare func(machine.Frame), values []machine.Value) {
	last := args[len(args)-1].(*ir.Call)
	locals := temporaries(last.Type().(*types.Tuple))
	prepare = c.callAll(last, locals)
	for _, a := range args[:len(args)-1] {
		values = append(values, c.expr(a))
	}
	for _, l := range locals {
		values = append(values, c.read(c.local(l, c.typeOf(l.Type))))
	}
	return prepare, values
}

// pointers reserves space for n pointers in the frame. An element may point into the frame itself
// or to the heap.
func (c *compiler) pointers(n int) uintptr {
	return c.layout.Add(c.m.Describe(reflect.ArrayOf(n, reflect.TypeFor[unsafe.Pointer]())))
}

// resultPointers compiles the step that sets the pointers to the destinations of results. Discarded
// results are stored in temporaries.
func (c *compiler) resultPointers(t machine.Target, at1 uintptr, dst []*ir.Local) func(machine.Frame) {
	var steps []func(machine.Frame)
	for i := range t.Type.NumOut() {
		offset := at1 + uintptr(i)*8
		var a machine.Access
		if dst != nil && dst[i] != nil {
			a = c.local(dst[i], c.typeOf(dst[i].Type))
		} else {
			a.Offset = c.temporary(c.m.Describe(t.Type.Out(i)))
		}
		steps = append(steps, machine.PointTo(offset, a))
	}
	if run := machine.Sequence(steps); run != nil {
		return run
	}
	return func(machine.Frame) {}
}

// invoke compiles the call itself, with pointers to arguments and results in the frame.
func (c *compiler) invoke(e *ir.Call, t machine.Target, pointers uintptr, n int) func(f machine.Frame, fn, receiver unsafe.Pointer) {
	s, m, out := c.callSite(e, e.Pos()), c.m, t.Type.NumOut()
	host := hostcall.Of(t.Type)
	word := c.temporary(c.pointerType()) // the receiver, in memory
	return func(f machine.Frame, fn, receiver unsafe.Pointer) {
		list := unsafe.Slice((*unsafe.Pointer)(unsafe.Add(f, pointers)), n+out)
		if t.HasReceiver {
			*machine.At[unsafe.Pointer](f, word) = receiver
			list[0] = unsafe.Add(f, word)
		}
		t := machine.HeaderOf(f).Thread
		// A function that always returns quickly neither counts as outside nor needs a poll
		// afterward.
		if s.Brief {
			machine.Fail(f, s)
			host.Call(fn, list[:n:n], list[n:])
			return
		}
		t.Out(f, s)
		host.Call(fn, list[:n:n], list[n:])
		t.In()
		if m.Stop.Load() != 0 {
			m.Poll(f, s)
		}
	}
}
