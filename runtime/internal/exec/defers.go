package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// deferStmt compiles a defer statement. The call is made from the frame of the function that owns
// the list. d.Frame is the frame of the function whose list it is, which for the body of a
// range-over-func loop is an enclosing one.
//
// The list is a Go slice of closures.
func (c *compiler) deferStmt(s *ir.Defer) func(machine.Frame) {
	if c.kept != nil {
		return c.keep(s)
	}
	prepare := c.delayed(s.Call, c.end(s.Call.Pos()))
	list := operation.Load[unsafe.Pointer](operation.Access{Mode: operation.ModeFrame, Offset: c.defersAt})
	if s.List != nil {
		list = c.expr(s.List).F.(func(machine.Frame) unsafe.Pointer)
	}
	return func(f machine.Frame) {
		// The list is looked up before the operands are evaluated. They may panic, and then nothing is
		// deferred.
		d := (*machine.Defers)(list(f))
		call := prepare(f)
		d.Calls = append(d.Calls, func() { call(d.Frame, d) })
	}
}

// goStmt compiles a go statement.
//
// The operands are evaluated on the current goroutine, as the specification requires, with its
// frame and thread. Only the call itself runs on the new goroutine, which gets a thread of its own
// when Host.Go calls the function.
func (c *compiler) goStmt(s *ir.Go) func(machine.Frame) {
	prepare, m, at := c.delayed(s.Call, s.Call.Pos()), c.m, c.site(s.Call.Pos())
	return func(f machine.Frame) {
		call := prepare(f)
		// Current is the thread of the new goroutine, whose root frame stands in for a caller.
		m.Host.Go(func() {
			t := machine.Current()
			t.Created = at
			call(t.Base(), nil)
		})
	}
}

// end returns the position at which compiled Go makes the deferred calls of the function: that of
// the closing brace. The statements of a cell have none, and pos is the position there.
//
// A loop over a function has its body in a function of its own, but its defer statements belong to
// the function around it, whose end is meant.
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
//
// The compiled function has two stages. The first one runs at the statement and returns the second
// one, which makes the call. from is then the frame that counts as the caller in stack traces, and
// d identifies the deferred calls for recover; it is nil in a go statement.
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
//
// Evaluating into the frame of the callee needs no second copy when the call is made. The frame is
// not released after the call, and the collector frees it.
func (c *compiler) delayedRef(e *ir.Call, pos token.Pos) func(f machine.Frame) func(machine.Frame, *machine.Defers) {
	fn, layout, s := machine.FuncOf(e.Ref), c.m.signatureOf(e.Ref.Sig), c.site(pos)
	arguments, _ := c.arguments(e, layout)
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
//
// The callee is evaluated first. A nil func value is kept and panics when the call is made, but a
// nil interface value panics here: the specification treats only the former as part of the call.
func (c *compiler) delayedCall(e *ir.Call, pos token.Pos) func(f machine.Frame) func(machine.Frame, *machine.Defers) {
	t, args := c.target(e)
	values := c.values(args)
	s, here, m := c.callSite(e, pos), c.site(e.Pos()), c.m
	run := m.DelayedTarget(t, s)
	puts := make([]func(machine.Frame, unsafe.Pointer), len(values))
	types := make([]*machine.Type, len(values))
	for i, v := range values {
		puts[i], types[i] = operation.Put(v), v.Type
	}
	return func(f machine.Frame) func(machine.Frame, *machine.Defers) {
		fn, receiver := t.Callee(f)
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
		if t.HasReceiver && fn == nil {
			machine.PanicNil(f, here)
		}
		return func(from machine.Frame, d *machine.Defers) { run(from, fn, list, d) }
	}
}

// recovered compiles recover. It returns the panic value only in a function that a deferring
// function calls directly, which is when Deferred is set.
//
// Compiled Go decides by comparing the stack pointer of the caller with that of the panic. Frames
// of cells have no such relation to Go's stack, so the code that runs a deferred call marks its
// frame instead. A function that the deferred one calls has an unmarked frame, in which recover
// returns nil as the language requires.
func (c *compiler) recovered(e *ir.Builtin) operation.Value {
	return operation.Value{Type: c.typeOf(e.Type()), F: func(f machine.Frame) machine.Iface {
		d := machine.HeaderOf(f).Deferred
		if d == nil || d.Panic == nil {
			return machine.Iface{}
		}
		v := d.Panic.Value
		// The panic ends here. RunDeferring sees the nil when the deferred call returns, and returns
		// normally to the caller.
		d.Panic = nil
		return *(*machine.Iface)(unsafe.Pointer(&v))
	}}
}
