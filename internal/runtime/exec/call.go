package exec

import (
	"go/types"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// call compiles a call with one result. A function with a body in source is inlined if package ir
// has marked the call, and otherwise gets a frame of its own. A result of ClassMemory is copied out
// of the callee's frame before that frame is released.
func (c *compiler) call(e *ir.Call) machine.Value {
	t := c.typeOf(e.Type())
	if e.Ref == nil {
		return c.hostCall(e, t)
	}
	if x := expand(c, e); x != nil {
		return x.value(t)
	}
	site := c.refCall(e)
	r := site.Results[0]
	if t.Class != machine.ClassMemory {
		return machine.Value{Type: t, F: machine.Classes[t.Class].Call(site)}
	}
	start := site.Start()
	into := func(f machine.Frame, to unsafe.Pointer) {
		n := start(f)
		r.Type.Mover()(to, unsafe.Add(n, r.Offset))
		machine.HeaderOf(n).Code.Leave(n)
	}
	offset := c.temporary(t)
	return machine.Value{Type: t, Into: into, Addr: func(f machine.Frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		into(f, p)
		return p
	}}
}

// callStep compiles a call whose results are discarded.
func (c *compiler) callStep(e *ir.Call) func(machine.Frame) {
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
func (c *compiler) callAll(e *ir.Call, dst []*ir.Local) func(machine.Frame) {
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
	if a.Mode == machine.ModeFrame {
		offset := a.Offset
		return func(f, n machine.Frame) { move(unsafe.Add(f, offset), unsafe.Add(n, r.Offset)) }
	}
	return func(f, n machine.Frame) { move(to(f), unsafe.Add(n, r.Offset)) }
}

// refCall compiles a call of a function with a body in source.
func (c *compiler) refCall(e *ir.Call) *machine.CallSite {
	layout := c.m.signatureOf(e.Ref.Sig)
	return &machine.CallSite{
		Fn: machine.FuncOf(e.Ref), Site: c.site(e.Pos()), Arguments: c.arguments(e, layout), Wrapper: c.fn.Wrapper,
		Results: layout.Results,
	}
}

// arguments compiles the storing of arguments in the callee's frame. An argument is stored directly
// in the frame of the callee, which is entered before the arguments are evaluated. A recursive call
// among them takes another frame.
func (c *compiler) arguments(e *ir.Call, layout *machine.Signature) []func(f, n machine.Frame) {
	if e.Spread {
		return []func(f, n machine.Frame){c.spread(e.Args[len(e.Args)-1].(*ir.Call), layout, len(e.Args)-1, e.Args[:len(e.Args)-1])}
	}
	list := make([]func(f, n machine.Frame), len(e.Args))
	for i, a := range e.Args {
		list[i] = machine.Argument(layout.Params[i].Offset, c.expr(a))
	}
	return list
}

// spread compiles the arguments of f(g()): the results of g become parameters. The arguments in
// first precede them; they are receivers.
func (c *compiler) spread(call *ir.Call, layout *machine.Signature, skip int, first []ir.Expr) func(f, n machine.Frame) {
	locals := temporaries(call.Type().(*types.Tuple))
	run := c.callAll(call, locals)
	var moves []func(f, n machine.Frame)
	for i, a := range first {
		moves = append(moves, machine.Argument(layout.Params[i].Offset, c.expr(a)))
	}
	for i, l := range locals {
		moves = append(moves, machine.Argument(layout.Params[skip+i].Offset, c.read(c.local(l, c.typeOf(l.Type)))))
	}
	return func(f, n machine.Frame) {
		run(f)
		for _, move := range moves {
			move(f, n)
		}
	}
}

// temporaries returns a temporary for each component of a tuple.
func temporaries(t *types.Tuple) []*ir.Local {
	list := make([]*ir.Local, t.Len())
	for i := range list {
		list[i] = &ir.Local{Type: t.At(i).Type()}
	}
	return list
}
