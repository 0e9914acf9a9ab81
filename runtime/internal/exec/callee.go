package exec

import (
	"go/types"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// The limits of inlining calls of func values, in nodes of the representation.
const (
	mostExpanded = 800      // of one function
	mostLiteral  = 300      // of one call
	mostFrame    = 16 << 10 // bytes of the frame of the function, beyond which none is inlined
)

// A callee is a function literal that a func value is known or expected to be. Calls of such a
// value run in the frame of the caller, as those of small functions do. For instance, in
//
//	for v := range only(numbers(n), odd) { sum += v }
//
// where only and numbers return function literals, the loops in both literals, the loop body and
// odd become one piece of code without calls.
//
// A known literal needs no test at run time. For an expected one, the call compares the func value
// with the last one in this frame that has been found to be the literal; see
// [operation.ValueGuard]. A wrong expectation costs time but changes nothing.
type callee struct {
	fn *ir.Func
	// in compiles the function that evaluates the literal, in the same frame, if the literal is
	// known. It is nil if the literal is expected.
	in *compiler
	// captured are the callees that the captured variables of an expected literal should hold.
	captured map[*ir.Local]*callee
}

// noteCallee records the function literal that a Declare statement stores in a variable. The
// variable holds it whenever its scope is left in the order of the statements, which goto
// statements may change.
func (c *compiler) noteCallee(l *ir.Local, x ir.Expr) {
	if _, ok := l.Type.Underlying().(*types.Signature); !ok || x == nil || l.Boxed || c.plain {
		return
	}
	k := c.calleeOf(x)
	if k != nil && (l.Assigned || c.fn.Jumps) {
		k = k.expected()
	}
	c.callees[l] = k
}

// calleeOf returns the function literal that an expression evaluates to, or nil if there is none to
// expect.
func (c *compiler) calleeOf(e ir.Expr) *callee {
	switch e := e.(type) {
	case *ir.FuncLit:
		return &callee{fn: e.Func, in: c}
	case *ir.Convert:
		return c.calleeOf(e.X)
	case *ir.LocalExpr:
		return c.callees[e.Local]
	case *ir.Call:
		return c.returned(e)
	}
	return nil
}

// returned returns the function literal with which the body of a called function ends, as those of
// functions that return iterators do. Parameters that it captures have the callees of the
// arguments.
func (c *compiler) returned(e *ir.Call) *callee {
	var f *ir.Func
	switch {
	case e.Ref != nil:
		if f = c.m.own[e.Ref]; f == nil {
			f = current(e.Ref)
		}
	case e.Value != nil:
		if k := c.calleeOf(e.Value); k != nil {
			f = k.fn
		}
	}
	if f == nil || f.Body == nil || len(f.Body.List) == 0 {
		return nil
	}
	last, ok := f.Body.List[len(f.Body.List)-1].(*ir.Return)
	if !ok || len(last.Values) != 1 {
		return nil
	}
	x := last.Values[0]
	for {
		conversion, ok := x.(*ir.Convert)
		if !ok {
			break
		}
		x = conversion.X
	}
	literal, ok := x.(*ir.FuncLit)
	if !ok {
		return nil
	}
	k := &callee{fn: literal.Func, captured: map[*ir.Local]*callee{}}
	for _, l := range literal.Func.Captures {
		for i, p := range f.Params {
			if p != nil && p == l.Outer && !l.Boxed && i < len(e.Args) {
				k.captured[l] = c.calleeOf(e.Args[i]).expected()
			}
		}
	}
	return k
}

// expected returns the callee for a variable that probably holds the literal.
func (k *callee) expected() *callee {
	if k == nil || k.in == nil {
		return k
	}
	e := &callee{fn: k.fn, captured: map[*ir.Local]*callee{}}
	for _, l := range k.fn.Captures {
		if !l.Boxed {
			e.captured[l] = k.in.callees[l.Outer].expected()
		}
	}
	return e
}

// admits reports whether a call of a function literal may be inlined in the function that c
// compiles, and reserves its nodes. A literal is not inlined in itself.
func (c *compiler) admits(fn *ir.Func) bool {
	if fn.LiteralCost == 0 || fn.LiteralCost > min(mostLiteral, *c.budget) || c.layout.Size > mostFrame {
		return false
	}
	for in := c; in != nil; in = in.caller {
		if in.fn == fn {
			return false
		}
	}
	*c.budget -= fn.LiteralCost
	return true
}

// expandValue compiles a call of a func value whose function literal is known or expected. It
// returns nil for other calls.
func expandValue(c *compiler, e *ir.Call) (x *expansion) {
	if e.Value == nil || c.plain || c.fn.Wrapper {
		return nil
	}
	k := c.calleeOf(e.Value)
	if k == nil || !c.admits(k.fn) {
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
	in := c.inlined(k.fn, e)
	in.definer, in.unchecked = k.in, k.in != nil && k.fn.Iteration && c.leaving == e && c.iterates(k)
	x = &expansion{known: k.in != nil}
	if k.in == nil {
		value, ok := c.expr(e.Value).F.(func(machine.Frame) unsafe.Pointer)
		l, local := e.Value.(*ir.LocalExpr)
		if !local || !ok {
			return nil
		}
		pointer := c.typeOf(types.Typ[types.UnsafePointer])
		x.value = &operation.ValueGuard{Value: value, Fn: k.fn, Found: c.layout.Add(pointer), Env: c.layout.Add(pointer)}
		if a := c.variables[l.Local]; a.Mode == operation.ModeBox {
			x.value.Captured = &a
		}
		in.captured(x.value.Env)
		for _, l := range k.fn.Captures {
			in.callees[l] = k.captured[l]
		}
	} else {
		in.share(k)
	}
	for _, r := range k.fn.Results {
		a := in.declare(r)
		x.results = append(x.results, machine.Slot{Offset: a.Offset, Type: a.Type})
	}
	in.results = x.results
	own := c.layout.Size
	ordinary := *e
	ordinary.Args = nil
	var begin, clear []func(machine.Frame)
	for i, a := range e.Args {
		stored, steps := in.literalArgument(c, k.fn.Params[i], a)
		begin = append(begin, steps...)
		ordinary.Args = append(ordinary.Args, stored)
	}
	for i, r := range k.fn.Results {
		if r.Name != "" {
			clear = append(clear, operation.Clearer(x.results[i].Offset, x.results[i].Type))
		}
	}
	x.begin, x.clear = operation.Sequence(begin), operation.Sequence(clear)
	x.body = in.block(k.fn.Body)
	// The variables of a loop body are kept from one iteration to the next, as in other loops.
	if !k.fn.Iteration {
		x.end = c.layout.Releaser(own)
	}
	if !x.known {
		x.ordinary(c, &ordinary, k.fn)
	}
	return x
}

// inlined returns a compiler for a function that is inlined in the function of c.
func (c *compiler) inlined(fn *ir.Func, e *ir.Call) *compiler {
	return &compiler{m: c.m, fn: fn, level: fn.Levels, layout: c.layout, variables: map[*ir.Local]operation.Access{}, boxes: map[*ir.Local]uintptr{},
		outer: c.site(e.Pos()), constants: map[*ir.Local]operation.Value{}, caller: c, callees: map[*ir.Local]*callee{}, budget: c.budget}
}

// share makes the captured variables of a known literal those of the function that evaluates it.
func (c *compiler) share(k *callee) {
	for _, l := range k.fn.Captures {
		if v, ok := k.in.constants[l.Outer]; ok {
			c.constants[l] = v
			continue
		}
		c.variables[l] = k.in.local(l.Outer, c.typeOf(l.Type))
		c.callees[l] = k.in.callees[l.Outer]
	}
}

// literalArgument makes an argument the value of a parameter of an inlined literal. It returns an
// expression for use by an ordinary call, and steps that store the argument.
func (c *compiler) literalArgument(caller *compiler, p *ir.Local, e ir.Expr) (ir.Expr, []func(machine.Frame)) {
	again := &ir.Local{Type: e.Type()}
	use := ir.Use(again)
	k := caller.calleeOf(e)
	if literal, ok := e.(*ir.FuncLit); ok && p != nil && !p.Assigned && !p.Boxed {
		// The literal is evaluated only if its value is needed.
		slot := caller.layout.Add(caller.typeOf(types.Typ[types.UnsafePointer]))
		t := caller.typeOf(e.Type())
		make := caller.literal(literal, t, true)
		a := operation.Access{Mode: operation.ModeBase, Type: t, Base: func(f machine.Frame) unsafe.Pointer {
			at := machine.At[unsafe.Pointer](f, slot)
			if *at == nil {
				*at = make(f)
			}
			return unsafe.Pointer(at)
		}}
		c.variables[p], c.callees[p], caller.variables[again] = a, k, a
		return use, []func(machine.Frame){func(f machine.Frame) { *machine.At[unsafe.Pointer](f, slot) = nil }}
	}
	v := caller.expr(e)
	if p != nil && p.Boxed {
		slot := machine.Slot{Offset: caller.layout.Add(v.Type), Type: v.Type}
		a := operation.Access{Mode: operation.ModeFrame, Offset: slot.Offset, Type: v.Type}
		caller.variables[again] = a
		return use, append([]func(machine.Frame){caller.storeValue(a, v)}, c.parameter(p, slot)...)
	}
	v, step := argument(c, caller, p, v, e)
	if p != nil && !p.Assigned {
		c.callees[p] = k
	}
	caller.constants[again] = v
	if step == nil {
		return use, nil
	}
	return use, []func(machine.Frame){step}
}

// iterates reports whether c compiles the iterator function of the loop with the body k, and
// nothing but the loop calls it: it is inlined where the loop is, or is the body of a loop in such
// a function that leaves it at once.
func (c *compiler) iterates(k *callee) bool {
	in := c
	for in.fn.Iteration {
		if !in.unchecked {
			return false
		}
		in = in.definer
	}
	return in.caller == k.in
}
