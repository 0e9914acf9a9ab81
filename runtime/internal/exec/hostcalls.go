package exec

import (
	"go/types"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/hostcall"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
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
//
// The four kinds differ in what is known in advance. A compiled function and a method of a compiled
// type are fixed, and their call needs no check. A func value may be nil, compiled or of cells. A
// method of an interface value may be compiled or of cells, or nil.
func (c *compiler) target(e *ir.Call) (t machine.Target, args []ir.Expr) {
	switch {
	case e.Extern != nil: // strings.ToUpper(s)
		v := c.extern(e.Extern)
		// The word of the func value is kept in the closure. It is the address of a static closure
		// object, or of one that reflect has allocated, which the closure keeps alive.
		return machine.Target{Type: v.Type(), Fixed: *(*unsafe.Pointer)(machine.NewFuncCell(v))}, e.Args
	case e.Value != nil: // f(x) for a variable f
		x := c.expr(e.Value)
		get := x.F.(func(machine.Frame) unsafe.Pointer)
		return machine.Target{Type: x.Type.Type, Value: get}, e.Args
	}
	recv := c.typeOf(e.Method.Recv.Type())
	if recv.Class == machine.ClassIface { // err.Error()
		return c.interfaceTarget(e.Method, recv), e.Args
	}
	m := c.compiledMethod(recv, e.Method) // t.Unix() for a time.Time
	return machine.Target{Type: m.Type(), Fixed: *(*unsafe.Pointer)(machine.NewFuncCell(m))}, append([]ir.Expr{e.Method.Recv}, e.Args...)
}

// compiledMethod returns a method of a compiled type as a function.
//
// The function takes the receiver as its first parameter. reflect's Method.Func of a concrete type
// has that form.
func (c *compiler) compiledMethod(recv *machine.Type, call *ir.MethodCall) reflect.Value {
	if v, ok := c.m.Host.Override(call.Func); ok {
		return v
	}
	m, ok := recv.Type.MethodByName(call.Func.Name())
	if !ok {
		unsupported(call.Recv.Pos(), "%v has no method %s that can be called", recv.Type, call.Func.Name())
	}
	return m.Func
}

// interfaceTarget compiles the lookup of a method in the method table of an interface value. The
// index of a method is fixed by the interface type, whose methods are sorted by name, and the code
// is read from the value's table.
//
// The receiver is declared as unsafe.Pointer, since every method in a table takes the data word of
// the interface value. If the dynamic type is not pointer-shaped, the entry is a wrapper of the
// compiler that loads the value from there.
func (c *compiler) interfaceTarget(call *ir.MethodCall, recv *machine.Type) machine.Target {
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
	return machine.Target{Type: reflect.FuncOf(in, out, signature.IsVariadic()), HasReceiver: true, Method: recv.Type.Method(index).Name, Offset: offset, Find: func(f machine.Frame) (unsafe.Pointer, unsafe.Pointer) {
		v := get(f)
		// The call checks for nil when it has evaluated the arguments, as compiled Go does.
		if v.Tab == nil {
			return nil, nil
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
//
// The temporary for the result is a local that no statement declares. It is at the same place in
// every call of the function, so the value is valid until the expression is evaluated again.
func (c *compiler) hostCall(e *ir.Call, t *machine.Type) operation.Value {
	target, args := c.target(e)
	values := c.values(args)
	// Frequent signatures have a typed form, which passes arguments in registers. The general form
	// passes pointers to them.
	if t.Class != machine.ClassMemory {
		if f := c.direct(target, operation.Operands(values), t, e); f != nil {
			return operation.Value{Type: t, F: f}
		}
	}
	result := &ir.Local{Type: e.Type()}
	step := c.hostCallTo(e, target, values, []*ir.Local{result})
	a := c.local(result, t)
	if t.Class == machine.ClassMemory {
		address := a.Address()
		return operation.Value{Type: t, Addr: func(f machine.Frame) unsafe.Pointer { step(f); return address(f) }}
	}
	return operation.Value{Type: t, F: operation.Classes[t.Class].Seq(step, c.read(a))}
}

// hostCallStep compiles a call whose results are stored in variables, or discarded if dst is nil.
func (c *compiler) hostCallStep(e *ir.Call, dst []*ir.Local) func(machine.Frame) {
	target, args := c.target(e)
	values := c.values(args)
	if step := c.directStep(target, operation.Operands(values), e, dst); step != nil {
		return step
	}
	return c.hostCallTo(e, target, values, dst)
}

// values compiles the arguments of a call.
//
// The expressions are compiled here once and shared by the forms that are tried. Compiling an
// expression twice would duplicate its temporaries and its function literals.
func (c *compiler) values(args []ir.Expr) []operation.Value {
	values := make([]operation.Value, len(args))
	for i, a := range args {
		values[i] = c.expr(a)
	}
	return values
}

// hostCallTo compiles the general form of a call, which has arguments and results in memory. A
// function of cells is called in its own frame, and other functions through package hostcall.
//
// The order is that of compiled Go: callee, arguments, nil check, call. The destinations of results
// are computed last, because the pointers to heap cells of variables must be those at the time of
// the call.
func (c *compiler) hostCallTo(e *ir.Call, t machine.Target, values []operation.Value, dst []*ir.Local) func(machine.Frame) {
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
		if v.Form == operation.FormLocal {
			// A local is passed by its address in the frame, without a copy. The callee copies it into a
			// register or to the stack before it runs, and package lower has made sure that no later
			// argument changes it.
			stores[i] = operation.PointTo(at1, operation.Access{Offset: v.Slot})
		} else {
			stores[i] = operation.PointTo(at1, operation.Access{Mode: operation.ModeBase, Base: c.inMemory(v)})
		}
	}
	store := operation.Sequence(stores)
	if store == nil {
		store = func(machine.Frame) {}
	}
	results := c.resultPointers(t, pointers+uintptr(n)*8, dst)
	call := c.invoke(e, t, pointers, n)
	if t.Fixed != nil {
		fn := t.Fixed
		return func(f machine.Frame) {
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
//
// The detour would enter compiled code through the func value and return to the machine in
// Closure.begin, which looks up the thread of the goroutine.
func (c *compiler) cellsCall(e *ir.Call, t machine.Target, values []operation.Value, dst []*ir.Local) func(f machine.Frame, fn, receiver unsafe.Pointer) bool {
	call := &machine.Caller{Target: t, M: &c.m.Machine, Site: c.callSite(e, e.Pos())}
	arguments := make([]func(machine.Frame, unsafe.Pointer), len(values))
	for i, v := range values {
		arguments[i] = operation.PutAnywhere(v)
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
			if fn == nil {
				return false
			}
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

// pointers reserves space for n pointers in the frame. An element may point into the frame itself
// or to the heap.
//
// The slots are typed as pointers, so the collector keeps what they refer to alive during the call
// and Leave clears them. A pointer into the frame keeps the whole frame alive, which the call does
// in any case.
func (c *compiler) pointers(n int) uintptr {
	return c.layout.Add(c.m.Describe(reflect.ArrayOf(n, reflect.TypeFor[unsafe.Pointer]())))
}

// resultPointers compiles the step that sets the pointers to the destinations of results. Discarded
// results are stored in temporaries.
//
// The general form always writes results, so each one needs a destination. A temporary is shared by
// no other expression and may keep the last discarded value alive until the function returns.
func (c *compiler) resultPointers(t machine.Target, at1 uintptr, dst []*ir.Local) func(machine.Frame) {
	var steps []func(machine.Frame)
	for i := range t.Type.NumOut() {
		offset := at1 + uintptr(i)*8
		var a operation.Access
		if dst != nil && dst[i] != nil {
			a = c.local(dst[i], c.typeOf(dst[i].Type))
		} else {
			a.Offset = c.temporary(c.m.Describe(t.Type.Out(i)))
		}
		steps = append(steps, operation.PointTo(offset, a))
	}
	if run := operation.Sequence(steps); run != nil {
		return run
	}
	return func(machine.Frame) {}
}

// invoke compiles the call itself, with pointers to arguments and results in the frame.
//
// Between Out and In the goroutine counts as outside: the session may give the execution lock to
// another cell if the call takes long, and the poll after In takes it back before any variable of
// cells is read. The list of arguments has no spare capacity, so that appending to it could not
// overwrite the results.
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
