package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/ir"
	"gosphere/runtime/realtype"
)

// compare compiles a comparison.
func (c *compiler) compare(e *ir.Compare) value {
	out := value{typ: c.typeOf(e.Type())}
	if test := c.compareZero(e); test != nil {
		out.f = test
		return out
	}
	x, y := c.expr(e.X), c.expr(e.Y)
	switch x.typ.class {
	case classString:
		out.f = order[string](e.Op, x, y)
	case classIface:
		out.f = negated(e.Op, c.equalInterfaces(x, y, c.site(e.Pos())))
	case classMemory:
		out.f = negated(e.Op, c.equalMemory(x, y, c.site(e.Pos())))
	case classBool, classPointer:
		out.f = negated(e.Op, classes[x.typ.class].equal(x, y))
	default:
		out.f = numberOps(x.typ.class).compare(e.Op, x, y)
	}
	return out
}

// compareZero compiles the comparison with nil of what has a nil value.
func (c *compiler) compareZero(e *ir.Compare) any {
	operand := e.X
	if _, ok := e.X.(*ir.Zero); ok {
		operand = e.Y
	} else if _, ok := e.Y.(*ir.Zero); !ok {
		return nil
	}
	t := c.typeOf(operand.Type())
	if t.class != classSlice && t.class != classIface && t.class != classPointer {
		return nil
	}
	x := c.expr(operand)
	var isNil func(frame) bool
	switch get := x.f.(type) {
	case func(frame) slice:
		isNil = func(f frame) bool { return get(f).ptr == nil }
	case func(frame) iface:
		isNil = func(f frame) bool { return get(f).tab == nil }
	case func(frame) unsafe.Pointer:
		isNil = func(f frame) bool { return get(f) == nil }
	}
	return negated(e.Op, isNil)
}

// negated turns the test for equality into that for inequality if the operator says so.
func negated(op token.Token, equal func(frame) bool) func(frame) bool {
	if op == token.EQL {
		return equal
	}
	return func(f frame) bool { return !equal(f) }
}

func (c *compiler) equalInterfaces(x, y value, s *site) func(frame) bool {
	a, b := x.f.(func(frame) iface), y.f.(func(frame) iface)
	tableX, tableY := hasTable(x.typ), hasTable(y.typ)
	return func(f frame) bool {
		v, w := a(f), b(f)
		if v.typeWord(tableX) != w.typeWord(tableY) {
			return false
		}
		fail(f, s) // types that cannot be compared panic
		return v.asAny(tableX) == w.asAny(tableY)
	}
}

func (c *compiler) equalMemory(x, y value, s *site) func(frame) bool {
	equal := realtype.EqualFunc(x.typ.Type)
	a, b := x.addr, y.addr
	if x.typ.size == 0 {
		return func(f frame) bool { a(f); b(f); return true }
	}
	return func(f frame) bool {
		p := a(f)
		q := b(f)
		fail(f, s) // an interface value inside may not be comparable
		return equal(p, q)
	}
}
