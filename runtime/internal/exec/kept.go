package exec

import (
	"go/types"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// keep compiles a defer statement that runs at most once: its operands are stored in variables of
// the frame, which no other statement changes.
func (c *compiler) keep(s *ir.Defer) func(machine.Frame) {
	e := s.Call.(*ir.Call)
	var steps []func(machine.Frame)
	kept := func(x ir.Expr) ir.Expr {
		if _, constant := x.(*ir.Const); constant {
			return x
		}
		l := &ir.Local{Type: x.Type()}
		v := c.expr(x)
		steps = append(steps, c.storeValue(c.local(l, c.typeOf(l.Type)), v))
		return ir.Use(l)
	}
	later := *e
	later.Args, later.P = nil, c.end(e.Pos())
	var literal *ir.FuncLit
	switch {
	case e.Value != nil:
		// A literal is evaluated when it is called. Its captured variables are the same then.
		if literal, _ = e.Value.(*ir.FuncLit); literal == nil {
			later.Value = kept(e.Value)
		}
	case e.Method != nil:
		m := *e.Method
		m.Recv = kept(m.Recv)
		later.Method = &m
	}
	for _, a := range e.Args {
		later.Args = append(later.Args, kept(a))
	}
	// The specification requires a nil interface value to panic at the statement, after its operands
	// have been evaluated.
	if e.Method != nil && types.IsInterface(e.Method.Recv.Type()) {
		get, at := c.expr(later.Method.Recv).F.(func(machine.Frame) machine.Iface), c.site(e.Pos())
		steps = append(steps, func(f machine.Frame) {
			if get(f).Tab == nil {
				machine.PanicNil(f, at)
			}
		})
	}
	i := 0
	for c.once[i] != s {
		i++
	}
	if literal != nil {
		c.kept.Calls[i] = c.literalCall(literal, &later)
	} else {
		c.kept.Calls[i] = c.callStep(&later)
	}
	c.kept.Late[i] = c.delayed(&later, later.P)
	set, bit := c.kept.Set, uint32(1)<<i
	steps = append(steps, func(f machine.Frame) { *machine.At[uint32](f, set) |= bit })
	return operation.Sequence(steps)
}

// literalCall compiles a call of a function literal that has no func value. The results are
// discarded.
func (c *compiler) literalCall(literal *ir.FuncLit, e *ir.Call) func(machine.Frame) {
	if x := expandValue(c, e); x != nil {
		return x.step()
	}
	code, fill := c.literalCode(literal, c.plain)
	var arguments []func(f, n machine.Frame)
	for i, a := range e.Args {
		arguments = append(arguments, operation.Argument(code.Params[i].Offset, c.expr(a)))
	}
	site := c.site(e.Pos())
	return func(f machine.Frame) {
		n := code.Enter(f, site)
		if fill != nil {
			machine.HeaderOf(n).Env = fill(f)
		}
		for _, put := range arguments {
			put(f, n)
		}
		code.Run(n)
		code.Leave(n)
	}
}
