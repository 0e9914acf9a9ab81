package exec

import (
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// An expansion is a call whose callee runs in the frame of the caller. The arguments that are
// neither constants nor variables of the caller are first stored in the frame. If the function has
// been redeclared since the caller was compiled, an ordinary call is made with the same arguments.
//
// For instance, with
//
//	func add(a, b int) int { return a + b }
//
// the statement sum += add(i, 1) is compiled like sum += i + 1: a is the variable i of the caller,
// and b the constant.
//
// Redeclaring a function must affect all callers at their next call, including those of earlier
// cells. The guard therefore compares the version at each call. That costs one load and one
// comparison; an ordinary call costs a frame, its cleanup and a poll. The stop flag is not tested
// by an inlined call: package ir inlines no loops and no recursion, and loops in function literals
// test it, so that the time between two polls stays bounded.
type expansion struct {
	guard   operation.Guard
	value   *operation.ValueGuard // of a call of a func value whose literal is expected; nil for others
	known   bool                  // whether the literal of the func value is known
	begin   func(machine.Frame)   // stores the arguments; may be nil
	clear   func(machine.Frame)   // clears results; may be nil
	body    operation.Stmt
	end     func(machine.Frame) // releases what the variables of the callee refer to; may be nil
	call    *operation.CallSite
	results []machine.Slot
	// built is the result of a pure function if it is a struct that is built in the frame.
	built operation.Value
	// slow makes the ordinary call of a func value, and leaves the results in their slots.
	slow func(machine.Frame)
}

// expand compiles a call that package ir has marked for inlining. It returns nil if the call has no
// mark, or if the callee cannot be compiled any more.
//
// The method that a wrapper calls need not have a frame of its own: only functions that recover
// need the mark of deferred calls in the header, and they are not inlined.
func expand(c *compiler, e *ir.Call) (x *expansion) {
	if e.Inline == nil || e.Inline == c.fn && c.level >= c.fn.Levels {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(*Unsupported); !ok {
				panic(r)
			}
			x = nil
		}
	}()
	// A function of an earlier cell was compiled with the types of its time. If a type has since been
	// renewed, compiling the body now may fail, and an ordinary call of the old code is correct.
	fn, layout := e.Inline, c.m.signatureOf(e.Ref.Sig)
	// The callee shares the layout of the caller's frame, so its variables get offsets of their own
	// there.
	in := c.inlined(fn, e)
	if fn == c.fn {
		in.level = c.level + 1
	}
	x = &expansion{
		guard: operation.Guard{Fn: machine.FuncOf(e.Ref), Version: fn},
		call:  &operation.CallSite{Fn: machine.FuncOf(e.Ref), Site: in.outer, Wrapper: c.fn.Wrapper, Results: layout.Results},
	}
	values := make([]operation.Value, len(e.Args))
	for i, a := range e.Args {
		values[i] = c.expr(a)
	}
	for _, r := range fn.Results {
		a := in.declare(r)
		x.results = append(x.results, machine.Slot{Offset: a.Offset, Type: a.Type})
		in.results = x.results
	}
	// Slots from here on belong to the callee. The results are below and remain until the caller has
	// read them. The caller of the expansion copies them before it evaluates another call.
	own := c.layout.Size
	// Temporaries that operands need have been allocated before this point, while the arguments were
	// compiled. They belong to the caller and are not released with the callee.
	var begin, clear []func(machine.Frame)
	for i, v := range values {
		v, step := c.pureArgument(in, fn, fn.Params[i], v, e.Args[i])
		if p := fn.Params[i]; p != nil && !p.Assigned && !c.plain {
			in.callees[p] = c.calleeOf(e.Args[i])
		}
		if step != nil {
			begin = append(begin, step)
		}
		// The ordinary call must not evaluate the argument a second time, so it reads what the first step
		// has stored.
		x.call.Arguments = append(x.call.Arguments, operation.Argument(layout.Params[i].Offset, v))
	}
	for i, r := range fn.Results {
		// An unnamed result has no reader before its return statement. The functions that are inlined
		// have no deferred calls, which could return it earlier.
		if r.Name != "" {
			clear = append(clear, operation.Clearer(x.results[i].Offset, x.results[i].Type))
		}
	}
	if len(begin) == 1 && fn.Params[0] != nil {
		x.guard.Int = operation.IntArgumentOf([]machine.Slot{{Offset: in.variables[fn.Params[0]].Offset}}, values)
	}
	x.begin, x.clear = operation.Sequence(begin), operation.Sequence(clear)
	if fn.Pure && len(fn.Body.List) == 1 {
		if v := in.expr(fn.Body.List[0].(*ir.Return).Values[0]); v.InFrame != nil {
			x.built, x.end = v, c.layout.Releaser(own)
			return x
		}
	}
	x.body = in.block(fn.Body)
	// A wrapper returns after the call, and its frame is cleared then.
	if !c.fn.Wrapper {
		x.end = c.layout.Releaser(own)
	}
	return x
}

// pureArgument is like argument, but does not copy structs and arrays if the function changes
// nothing: its parameter is then the variable of the caller, or the temporary of the value.
func (c *compiler) pureArgument(in *compiler, fn *ir.Func, p *ir.Local, v operation.Value, e ir.Expr) (operation.Value, func(machine.Frame)) {
	if !fn.Pure || p == nil || p.Assigned || v.Type.Class != machine.ClassMemory {
		return argument(in, c, p, v, e)
	}
	if v.Kept != nil {
		a := operation.Access{Mode: operation.ModeFrame, Offset: *v.Kept, Type: v.Type}
		in.variables[p] = a
		addr := v.Addr
		return c.read(a), func(f machine.Frame) { addr(f) }
	}
	if !isVariable(e) {
		return argument(in, c, p, v, e)
	}
	a := c.place(e)
	in.variables[p] = a
	if a.Mode == operation.ModeFrame || a.Mode == operation.ModeFixed {
		return v, nil
	}
	// A nil pointer panics when the argument is evaluated.
	address := a.Address()
	return v, func(f machine.Frame) { address(f) }
}

// isVariable reports whether an expression is a variable, or a field of one or of what a local
// pointer refers to.
func isVariable(e ir.Expr) bool {
	for {
		switch x := e.(type) {
		case *ir.LocalExpr, *ir.GlobalExpr:
			return true
		case *ir.Field:
			e = x.X
		case *ir.Deref:
			l, ok := x.X.(*ir.LocalExpr)
			return ok && !l.Local.Boxed
		default:
			return false
		}
	}
}

// argument makes an argument the value of a parameter of an inlined function. It returns the value
// for use by an ordinary call, and the step that stores it in the frame. The step is nil if the
// callee can use the argument itself: a constant, or a variable of the caller that does not change
// during the call. c compiles the callee, and caller the function that it is inlined in.
//
// A variable of the caller can replace the parameter only if neither side assigns to it while the
// body runs. The callee does not if p.Assigned is false, and it has no access to variables of the
// caller. A variable with a heap cell is excluded: a closure that the callee calls might assign to
// it, and the parameter has to keep the value from the time of the call. A captured copy qualifies,
// since copies are never assigned to.
func argument(c, caller *compiler, p *ir.Local, v operation.Value, e ir.Expr) (operation.Value, func(machine.Frame)) {
	if p == nil {
		p = &ir.Local{Type: e.Type()}
	}
	if v.Form == operation.FormConst && !p.Assigned {
		c.constants[p] = v
		return v, nil
	}
	if l, ok := e.(*ir.LocalExpr); ok && !p.Assigned && !l.Local.Boxed {
		a := caller.local(l.Local, v.Type)
		if a.Mode == operation.ModeFrame || a.Mode == operation.ModeBox {
			c.variables[p] = a
			return v, nil
		}
	}
	a := c.declare(p)
	return c.read(a), c.storeValue(a, v)
}

// asValue compiles the expansion for its single result.
//
// A result of ClassMemory stays in the frame of the caller, below the part that the releaser
// clears. It remains valid until the same call is evaluated again.
func (x *expansion) asValue(t *machine.Type) operation.Value {
	r := x.results[0]
	if x.built.InFrame != nil {
		return x.asStruct(t)
	}
	if t.Class == machine.ClassMemory {
		run := x.step()
		return operation.Value{Type: t, Addr: func(f machine.Frame) unsafe.Pointer {
			run(f)
			return unsafe.Add(f, r.Offset)
		}}
	}
	class := operation.Classes[t.Class]
	get := x.body.ValueOf(operation.Result{Slot: r, Class: class})
	if x.clear != nil {
		get = operation.Value{Type: t, F: class.Seq(x.clear, get)}
	}
	switch {
	case x.known:
		return operation.Value{Type: t, F: class.InlineKnown(x.begin, get.F, x.end)}
	case x.value != nil:
		slow := class.Seq(x.slow, operation.Result{Slot: r, Class: class}.Load())
		return operation.Value{Type: t, F: class.InlineValue(x.value, x.begin, get.F, slow, x.end)}
	}
	return operation.Value{Type: t, F: class.Inline(&x.guard, x.begin, get.F, class.Call(x.call), x.end)}
}

// asStruct compiles the expansion of a pure function whose result is a struct in the frame.
func (x *expansion) asStruct(t *machine.Type) operation.Value {
	r := x.results[0]
	inFrame := func(at uintptr) func(machine.Frame) {
		start, from, move := x.call.Start(), x.call.Results[0].Offset, t.Mover()
		slow := func(f machine.Frame) {
			n := start(f)
			move(unsafe.Add(f, at), unsafe.Add(n, from))
			machine.HeaderOf(n).Code.Leave(n)
		}
		return x.guard.Step(x.begin, x.built.InFrame(at), slow, x.end)
	}
	store := inFrame(r.Offset)
	return operation.Value{Type: t, InFrame: inFrame, Kept: &r.Offset, Addr: func(f machine.Frame) unsafe.Pointer {
		store(f)
		return unsafe.Add(f, r.Offset)
	}}
}

// step compiles the expansion as a statement that leaves the results in the frame.
//
// The ordinary call copies its results to the same slots, so that what follows need not know which
// of the two was made.
func (x *expansion) step() func(machine.Frame) {
	if x.built.InFrame != nil {
		addr := x.asStruct(x.results[0].Type).Addr
		return func(f machine.Frame) { addr(f) }
	}
	run := x.body.AsStep()
	if x.clear != nil {
		run = both(x.clear, run)
	}
	switch {
	case x.known:
		steps := []func(machine.Frame){run}
		if x.begin != nil {
			steps = []func(machine.Frame){x.begin, run}
		}
		if x.end != nil {
			steps = append(steps, x.end)
		}
		return operation.Sequence(steps)
	case x.value != nil:
		return x.value.Step(x.begin, run, x.slow, x.end)
	}
	start, results := x.call.Start(), x.results
	slow := func(f machine.Frame) {
		n := start(f)
		for i, r := range x.call.Results {
			r.Type.Mover()(unsafe.Add(f, results[i].Offset), unsafe.Add(n, r.Offset))
		}
		machine.HeaderOf(n).Code.Leave(n)
	}
	return x.guard.Step(x.begin, run, slow, x.end)
}

// ordinary compiles the ordinary call of a func value, whose arguments are variables of c.
func (x *expansion) ordinary(c *compiler, e *ir.Call, fn *ir.Func) {
	var results []*ir.Local
	for i, r := range x.results {
		l := &ir.Local{Type: fn.Results[i].Type}
		c.variables[l] = operation.Access{Mode: operation.ModeFrame, Offset: r.Offset, Type: r.Type}
		results = append(results, l)
	}
	x.slow = c.hostCallStep(e, results)
}

// store compiles an expansion whose results are stored in variables of the caller. A nil variable
// discards its result.
func (x *expansion) store(c *compiler, dst []*ir.Local) func(machine.Frame) {
	steps := []func(machine.Frame){x.step()}
	for i, l := range dst {
		if l != nil {
			r := x.results[i]
			steps = append(steps, c.copyTo(c.local(l, c.typeOf(l.Type)), operation.Access{Mode: operation.ModeFrame, Offset: r.Offset, Type: r.Type}))
		}
	}
	return operation.Sequence(steps)
}
