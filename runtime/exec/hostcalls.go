package exec

import (
	"go/types"
	"reflect"
	"unsafe"

	"gosphere/runtime/hostcall"
	"gosphere/runtime/ir"
)

// A target is what a call of compiled code, of a func value or of a method of an interface value
// leads to.
type target struct {
	typ reflect.Type // of the function, with the receiver of a method as the first parameter
	// find computes the func value to call and, for a method of an interface value, the receiver.
	find func(f frame) (fn, receiver unsafe.Pointer)
	// fixed is the function if it is always the same.
	fixed unsafe.Pointer
	// hasReceiver reports whether find computes a receiver.
	hasReceiver bool
	method      string  // of an interface value
	offset      uintptr // of the method in the tables of the interface type
}

// extern finds a function of a compiled package.
func (c *compiler) extern(e *ir.ExternExpr) reflect.Value {
	v, err := c.m.host.Func(e.Func, e.Targs)
	if err != nil {
		panic(&Unsupported{e.Pos(), err.Error()})
	}
	return v
}

// target compiles what a call calls. Args are the expressions of the arguments, a receiver of a
// compiled type included.
func (c *compiler) target(e *ir.Call) (t target, args []ir.Expr) {
	switch {
	case e.Extern != nil:
		v := c.extern(e.Extern)
		return target{typ: v.Type(), fixed: *(*unsafe.Pointer)(newFuncCell(v))}, e.Args
	case e.Value != nil:
		x := c.expr(e.Value)
		get := x.f.(func(frame) unsafe.Pointer)
		return target{typ: x.typ.Type, find: func(f frame) (unsafe.Pointer, unsafe.Pointer) { return get(f), nil }}, e.Args
	}
	recv := c.typeOf(e.Method.Recv.Type())
	if recv.class == classIface {
		return c.interfaceTarget(e.Method, recv), e.Args
	}
	m := c.compiledMethod(recv, e.Method)
	return target{typ: m.Type(), fixed: *(*unsafe.Pointer)(newFuncCell(m))}, append([]ir.Expr{e.Method.Recv}, e.Args...)
}

// compiledMethod finds a method of a compiled type as a function.
func (c *compiler) compiledMethod(recv *typ, call *ir.MethodCall) reflect.Value {
	if v, ok := c.m.host.Override(call.Func); ok {
		return v
	}
	m, ok := recv.Type.MethodByName(call.Func.Name())
	if !ok {
		unsupported(call.Recv.Pos(), "%v has no method %s that cells can call", recv.Type, call.Func.Name())
	}
	return m.Func
}

// interfaceTarget finds a method of an interface value in the value's method table.
func (c *compiler) interfaceTarget(call *ir.MethodCall, recv *typ) target {
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
	get := c.expr(call.Recv).f.(func(frame) iface)
	offset := tableCode + uintptr(index)*unsafe.Sizeof(offsetWord)
	s := c.site(call.Recv.Pos())
	return target{typ: reflect.FuncOf(in, out, signature.IsVariadic()), hasReceiver: true, method: recv.Type.Method(index).Name, offset: offset, find: func(f frame) (unsafe.Pointer, unsafe.Pointer) {
		v := get(f)
		if v.tab == nil {
			panicNil(f, s)
		}
		// The word in the table that holds the code's address has the form of a func value.
		return unsafe.Add(v.tab, offset), v.data
	}}
}

const offsetWord = uintptr(0)

// methodIndex returns the place of a method in the tables of an interface type.
func (c *compiler) methodIndex(t reflect.Type, f *types.Func) (index int, signature reflect.Type) {
	name := c.m.host.MethodName(f)
	for i := range t.NumMethod() {
		if m := t.Method(i); m.Name == name {
			return i, m.Type
		}
	}
	return -1, nil
}

// hostCall compiles a call with one result that may lead to compiled code.
func (c *compiler) hostCall(e *ir.Call, t *typ) value {
	target, args := c.target(e)
	values := c.values(target, args, e.Spread)
	if values != nil && t.class != classMemory {
		if f := c.direct(target, values, t, e); f != nil {
			return value{typ: t, f: f}
		}
	}
	result := &ir.Local{Type: e.Type()}
	step := c.hostCallTo(e, target, args, values, []*ir.Local{result})
	a := c.local(result, t)
	if t.class == classMemory {
		address := a.address()
		return value{typ: t, addr: func(f frame) unsafe.Pointer { step(f); return address(f) }}
	}
	return value{typ: t, f: classes[t.class].seq(step, c.read(a))}
}

// hostCallStep compiles a call whose results go to variables, or are dropped where dst is nil.
func (c *compiler) hostCallStep(e *ir.Call, dst []*ir.Local) func(frame) {
	target, args := c.target(e)
	values := c.values(target, args, e.Spread)
	if dst == nil && values != nil && target.typ.NumOut() == 0 {
		if step := c.directStep(target, values, e); step != nil {
			return step
		}
	}
	return c.hostCallTo(e, target, args, values, dst)
}

// values compiles arguments; nil for the results of another call.
func (c *compiler) values(t target, args []ir.Expr, spread bool) []value {
	if spread {
		return nil
	}
	values := make([]value, len(args))
	for i, a := range args {
		values[i] = c.expr(a)
	}
	return values
}

// hostCallTo compiles the general form of a call: arguments in memory, results to memory. A
// function of cells is called in a frame of its own, other functions by package hostcall.
func (c *compiler) hostCallTo(e *ir.Call, t target, args []ir.Expr, values []value, dst []*ir.Local) func(frame) {
	prepare := func(frame) {}
	if values == nil {
		prepare, values = c.spreadValues(args)
	}
	n := t.typ.NumIn()
	first := 0
	if t.hasReceiver {
		first = 1
	}
	pointers := c.pointers(n + t.typ.NumOut())
	stores := make([]func(frame), len(values))
	for i, v := range values {
		at1, address := pointers+uintptr(first+i)*8, c.inMemory(v)
		stores[i] = func(f frame) { *at[unsafe.Pointer](f, at1) = address(f) }
	}
	store := sequence(stores)
	if store == nil {
		store = func(frame) {}
	}
	results := c.resultPointers(t, pointers+uintptr(n)*8, dst)
	call := c.invoke(e, t, pointers, n)
	return func(f frame) {
		fn, receiver := t.fixed, unsafe.Pointer(nil)
		if t.find != nil {
			fn, receiver = t.find(f)
		}
		prepare(f)
		store(f)
		results(f)
		call(f, fn, receiver)
	}
}

// spreadValues compiles the results of a call as arguments of another.
func (c *compiler) spreadValues(args []ir.Expr) (prepare func(frame), values []value) {
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

// pointers reserves room for pointers in the frame.
func (c *compiler) pointers(n int) uintptr {
	return c.layout.add(c.m.describe(reflect.ArrayOf(n, reflect.TypeFor[unsafe.Pointer]())))
}

// resultPointers compiles setting the pointers to where results go. Results that nothing wants go
// to temporaries.
func (c *compiler) resultPointers(t target, at1 uintptr, dst []*ir.Local) func(frame) {
	var steps []func(frame)
	for i := range t.typ.NumOut() {
		offset := at1 + uintptr(i)*8
		var address func(frame) unsafe.Pointer
		if dst != nil && dst[i] != nil {
			address = c.local(dst[i], c.typeOf(dst[i].Type)).address()
		} else {
			temporary := c.temporary(c.m.describe(t.typ.Out(i)))
			address = func(f frame) unsafe.Pointer { return unsafe.Add(f, temporary) }
		}
		steps = append(steps, func(f frame) { *at[unsafe.Pointer](f, offset) = address(f) })
	}
	if run := sequence(steps); run != nil {
		return run
	}
	return func(frame) {}
}

// invoke compiles the call itself, with pointers to arguments and results in the frame.
func (c *compiler) invoke(e *ir.Call, t target, pointers uintptr, n int) func(f frame, fn, receiver unsafe.Pointer) {
	s, m, out := c.callSite(e), c.m, t.typ.NumOut()
	host := hostcall.Of(t.typ)
	word := c.temporary(c.pointerType()) // the receiver, where its address can be taken
	external := func(f frame, fn, receiver unsafe.Pointer) {
		list := unsafe.Slice((*unsafe.Pointer)(unsafe.Add(f, pointers)), n+out)
		if t.hasReceiver {
			*at[unsafe.Pointer](f, word) = receiver
			list[0] = unsafe.Add(f, word)
		}
		t := headerOf(f).thread
		if s.brief {
			fail(f, s)
			host.Call(fn, list[:n:n], list[n:])
			return
		}
		t.out(f, s)
		host.Call(fn, list[:n:n], list[n:])
		t.in()
		if m.stop.Load() != 0 {
			m.poll(f, s)
		}
	}
	if t.find == nil || t.hasReceiver {
		return external
	}
	cells := c.callClosure(s, t.typ, pointers, n)
	return func(f frame, fn, receiver unsafe.Pointer) {
		if fn == nil {
			panicNil(f, s)
		}
		if cl := made(fn); cl != nil {
			cells(f, cl)
			return
		}
		external(f, fn, receiver)
	}
}

// callClosure compiles the call of a closure of cells with arguments and results in memory.
func (c *compiler) callClosure(s *site, t reflect.Type, pointers uintptr, n int) func(f frame, cl *closure) {
	var in, out []func(to, from unsafe.Pointer)
	for i := range t.NumIn() {
		in = append(in, c.m.describe(t.In(i)).mover())
	}
	for i := range t.NumOut() {
		out = append(out, c.m.describe(t.Out(i)).mover())
	}
	return func(f frame, cl *closure) {
		callee, code := cl.enter(f, s)
		skip := cl.argumentsAt()
		list := unsafe.Slice((*unsafe.Pointer)(unsafe.Add(f, pointers)), n+len(out))
		for i, move := range in {
			move(unsafe.Add(callee, code.params[skip+i].offset), list[i])
		}
		code.run(callee)
		for i, move := range out {
			move(list[n+i], unsafe.Add(callee, code.results[i].offset))
		}
		code.leave(callee)
	}
}
