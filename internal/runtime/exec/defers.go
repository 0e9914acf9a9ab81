package exec

import (
	"go/token"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// deferStmt compiles a defer statement. The call is made from the frame of the function that owns
// the list. d.Frame is the frame of the function whose list it is, which for the body of a
// range-over-func loop is an enclosing one.
func (c *compiler) deferStmt(s *ir.Defer) func(machine.Frame) {
	prepare := c.delayed(s.Call, c.end(s.Call.Pos()))
	list := machine.Load[unsafe.Pointer](machine.Access{Mode: machine.ModeFrame, Offset: c.defersAt})
	if s.List != nil {
		list = c.expr(s.List).F.(func(machine.Frame) unsafe.Pointer)
	}
	return func(f machine.Frame) {
		d := (*machine.Defers)(list(f))
		call := prepare(f)
		d.Calls = append(d.Calls, func() { call(d.Frame, d) })
	}
}

// goStmt compiles a go statement.
func (c *compiler) goStmt(s *ir.Go) func(machine.Frame) {
	prepare, m := c.delayed(s.Call, s.Call.Pos()), c.m
	return func(f machine.Frame) {
		call := prepare(f)
		// Current is the thread of the new goroutine, whose root frame stands in for a caller.
		m.Host.Go(func() { call(machine.Current().Base(), nil) })
	}
}

// end returns the position at which compiled Go makes the deferred calls of the function: that of
// the closing brace. The statements of a cell have none, and pos is the position there.
func (c *compiler) end(pos token.Pos) token.Pos {
	f := c.fn
	for f.Iteration {
		f = f.Parent
	}
	if f.Name == ir.CellName {
		return pos
	}
	return f.End - 1
}

// delayed compiles the evaluation of the operands of a call that is made later, from another frame
// and at another position.
func (c *compiler) delayed(e ir.Expr, pos token.Pos) func(f machine.Frame) func(from machine.Frame, d *machine.Defers) {
	switch e := e.(type) {
	case *ir.Call:
		if e.Ref != nil {
			return c.delayedRef(e, pos)
		}
		return c.delayedCall(e, pos)
	case *ir.Builtin:
		return c.delayedBuiltin(e, pos)
	}
	unsupported(e.Pos(), "internal: a delayed %T", e)
	return nil
}

// delayedRef evaluates the arguments in a new frame for the callee. The frame is allocated rather
// than taken from the free list, because the call may be made on another goroutine or much later.
func (c *compiler) delayedRef(e *ir.Call, pos token.Pos) func(f machine.Frame) func(machine.Frame, *machine.Defers) {
	fn, layout, s := machine.FuncOf(e.Ref), c.m.signatureOf(e.Ref.Sig), c.site(pos)
	arguments := c.arguments(e, layout)
	return func(f machine.Frame) func(machine.Frame, *machine.Defers) {
		// The version at the time of the statement is called, as a function value would be.
		code := fn.Code.Load()
		n := machine.Malloc(code.Size, code.FrameType, true)
		machine.HeaderOf(n).Code = code
		for _, a := range arguments {
			a(f, n)
		}
		return func(from machine.Frame, d *machine.Defers) { code.Resume(n, from, s, d) }
	}
}

// delayedCall evaluates the operands of a call of compiled code, a func value or a method of an
// interface value. The arguments are copied to the heap.
func (c *compiler) delayedCall(e *ir.Call, pos token.Pos) func(f machine.Frame) func(machine.Frame, *machine.Defers) {
	t, args := c.target(e)
	values := c.values(t, args, e.Spread)
	prepare := func(machine.Frame) {}
	if values == nil {
		prepare, values = c.spreadValues(args)
	}
	s, m := c.callSite(e, pos), c.m
	run := m.DelayedTarget(t, s)
	puts := make([]func(machine.Frame, unsafe.Pointer), len(values))
	types := make([]*machine.Type, len(values))
	for i, v := range values {
		puts[i], types[i] = machine.Put(v), v.Type
	}
	return func(f machine.Frame) func(machine.Frame, *machine.Defers) {
		fn, receiver := t.Callee(f)
		prepare(f)
		list := make([]unsafe.Pointer, 0, len(values)+1)
		if t.HasReceiver {
			list = append(list, unsafe.Pointer(&receiver))
		}
		for i, put := range puts {
			// The frame may have been reused when the call is made.
			p := machine.Malloc(max(types[i].Size, 1), types[i].RType, true)
			put(f, p)
			list = append(list, p)
		}
		return func(from machine.Frame, d *machine.Defers) { run(from, fn, list, d) }
	}
}

// recovered compiles recover. It returns the panic value only in a function that a deferring
// function calls directly, which is when Deferred is set.
func (c *compiler) recovered(e *ir.Builtin) machine.Value {
	return machine.Value{Type: c.typeOf(e.Type()), F: func(f machine.Frame) machine.Iface {
		d := machine.HeaderOf(f).Deferred
		if d == nil || d.Panic == nil {
			return machine.Iface{}
		}
		v := d.Panic.Value
		d.Panic = nil
		return *(*machine.Iface)(unsafe.Pointer(&v))
	}}
}
