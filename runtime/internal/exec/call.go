package exec

import (
	"go/types"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// call compiles a call with one result. A function with a body in source is inlined if package ir
// has marked the call, and otherwise gets a frame of its own. A result of ClassMemory is copied out
// of the callee's frame before that frame is released.
func (c *compiler) call(e *ir.Call) operation.Value {
	t := c.typeOf(e.Type())
	if x := expandValue(c, e); x != nil {
		return x.asValue(t)
	}
	if e.Ref == nil {
		return c.hostCall(e, t)
	}
	if x := expand(c, e); x != nil {
		return x.asValue(t)
	}
	site := c.refCall(e)
	r := site.Results[0]
	if t.Class != machine.ClassMemory {
		return operation.Value{Type: t, F: operation.Classes[t.Class].Call(site)}
	}
	start := site.Start()
	into := func(f machine.Frame, to unsafe.Pointer) {
		n := start(f)
		r.Type.Mover()(to, unsafe.Add(n, r.Offset))
		machine.HeaderOf(n).Code.Leave(n)
	}
	offset := c.temporary(t)
	return operation.Value{Type: t, Into: into, Addr: func(f machine.Frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		into(f, p)
		return p
	}}
}

// callStep compiles a call whose results are discarded.
func (c *compiler) callStep(e *ir.Call) func(machine.Frame) {
	if x := expandValue(c, e); x != nil {
		return x.step()
	}
	if e.Ref == nil {
		return c.hostCallStep(e, nil)
	}
	if x := expand(c, e); x != nil {
		return x.step()
	}
	return c.refCall(e).Step()
}

// callAll compiles a call whose results are stored in variables. A nil variable discards its
// result.
//
// The destinations are locals, whose addresses do not depend on one another, so the order of the
// stores does not matter. The frame of the callee stays valid until Leave, even if the callee has
// returned pointers, which never point into a frame.
func (c *compiler) callAll(e *ir.Call, dst []*ir.Local) func(machine.Frame) {
	if x := expandValue(c, e); x != nil {
		return x.store(c, dst)
	}
	if e.Ref == nil {
		return c.hostCallStep(e, dst)
	}
	if x := expand(c, e); x != nil {
		return x.store(c, dst)
	}
	site := c.refCall(e)
	var moves []func(f, n machine.Frame)
	for i, l := range dst {
		if l != nil {
			moves = append(moves, c.resultTo(l, site.Results[i]))
		}
	}
	start := site.Start()
	return func(f machine.Frame) {
		n := start(f)
		for _, move := range moves {
			move(f, n)
		}
		machine.HeaderOf(n).Code.Leave(n)
	}
}

// resultTo compiles the copying of a result in the callee's frame to a variable.
func (c *compiler) resultTo(l *ir.Local, r machine.Slot) func(f, n machine.Frame) {
	a := c.local(l, c.typeOf(l.Type))
	to, move := a.Address(), a.Type.Mover()
	if a.Mode == operation.ModeFrame {
		offset := a.Offset
		return func(f, n machine.Frame) { move(unsafe.Add(f, offset), unsafe.Add(n, r.Offset)) }
	}
	return func(f, n machine.Frame) { move(to(f), unsafe.Add(n, r.Offset)) }
}

// refCall compiles a call of a function with a body in source.
//
// The target is the Function and not its Code: a cell that redeclares the function changes the Code
// that the same call site loads.
func (c *compiler) refCall(e *ir.Call) *operation.CallSite {
	layout := c.m.signatureOf(e.Ref.Sig)
	steps, values := c.arguments(e, layout)
	return &operation.CallSite{
		Fn: machine.FuncOf(e.Ref), Site: c.site(e.Pos()), Arguments: steps, Wrapper: c.fn.Wrapper,
		Results: layout.Results, Int: operation.IntArgumentOf(layout.Params, values),
	}
}

// arguments compiles the storing of arguments in the callee's frame. An argument is stored directly
// in the frame of the callee, which is entered before the arguments are evaluated. A recursive call
// among them takes another frame.
//
// This order deserves care in two cases. If an argument panics, the frame that has been entered is
// not released and the collector frees it. And while the arguments are evaluated, the new frame is
// not yet the current position of the thread, so that a stack trace of an argument does not contain
// the call.
func (c *compiler) arguments(e *ir.Call, layout *machine.Signature) (steps []func(f, n machine.Frame), values []operation.Value) {
	for i, a := range e.Args {
		x := c.expr(a)
		steps, values = append(steps, operation.Argument(layout.Params[i].Offset, x)), append(values, x)
	}
	return steps, values
}

// temporaries returns a temporary for each component of a tuple.
func temporaries(t *types.Tuple) []*ir.Local {
	list := make([]*ir.Local, t.Len())
	for i := range list {
		list[i] = &ir.Local{Type: t.At(i).Type()}
	}
	return list
}
