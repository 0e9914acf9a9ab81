package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
	"gosphere/runtime/internal/realtype"
)

// compare compiles a comparison.
//
// Go's own == on the Go type of the class has the right semantics for NaN, signed zeros and
// strings. Types with pointers are compared by address; a comparison of functions, maps or slices
// with anything but nil is rejected by the type checker.
func (c *compiler) compare(e *ir.Compare) operation.Value {
	out := operation.Value{Type: c.typeOf(e.Type())}
	if test := c.compareZero(e); test != nil {
		out.F = test
		return out
	}
	x, y := c.expr(e.X), c.expr(e.Y)
	switch x.Type.Class {
	case machine.ClassString:
		out.F = operation.Order[string](e.Op, x, y)
	case machine.ClassIface:
		out.F = negated(e.Op, c.equalInterfaces(x, y, c.site(e.Pos())))
	case machine.ClassMemory:
		out.F = negated(e.Op, c.equalMemory(x, y, c.site(e.Pos())))
	case machine.ClassBool, machine.ClassPointer:
		out.F = negated(e.Op, operation.Classes[x.Type.Class].Equal(x, y))
	default:
		out.F, out.Test = operation.NumberOps(x.Type.Class).Compare(e.Op, x, y), operation.TestOf(e.Op, x, y)
	}
	return out
}

// compareZero compiles a comparison with nil. It returns nil if neither operand is a Zero of a type
// that has the value nil. Functions, maps and slices have no other comparison.
//
// A struct or an array that is compared with its zero value is not meant here: it is compared like
// any two values.
func (c *compiler) compareZero(e *ir.Compare) any {
	operand := e.X
	if _, ok := e.X.(*ir.Zero); ok {
		operand = e.Y
	} else if _, ok := e.Y.(*ir.Zero); !ok {
		return nil
	}
	t := c.typeOf(operand.Type())
	if t.Class != machine.ClassSlice && t.Class != machine.ClassIface && t.Class != machine.ClassPointer {
		return nil
	}
	x := c.expr(operand)
	// A slice is nil if it has no array, and an interface value if it has no type. An empty slice
	// is not nil, and neither is an interface value that holds a nil pointer.
	var isNil func(machine.Frame) bool
	switch get := x.F.(type) {
	case func(machine.Frame) machine.Slice:
		isNil = func(f machine.Frame) bool { return get(f).Ptr == nil }
	case func(machine.Frame) machine.Iface:
		isNil = func(f machine.Frame) bool { return get(f).Tab == nil }
	case func(machine.Frame) unsafe.Pointer:
		isNil = func(f machine.Frame) bool { return get(f) == nil }
	}
	return negated(e.Op, isNil)
}

// negated returns the test itself for == and its negation for !=.
func negated(op token.Token, equal func(machine.Frame) bool) func(machine.Frame) bool {
	if op == token.EQL {
		return equal
	}
	return func(f machine.Frame) bool { return !equal(f) }
}

// equalInterfaces compiles the comparison of interface values. The comparison itself is Go's, so
// that it panics with the runtime's error.
//
// The specification requires a panic for identical dynamic types that are not comparable. For types
// that differ the result is false without a panic.
func (c *compiler) equalInterfaces(x, y operation.Value, s *machine.Site) func(machine.Frame) bool {
	a, b := x.F.(func(machine.Frame) machine.Iface), y.F.(func(machine.Frame) machine.Iface)
	tableX, tableY := machine.HasTable(x.Type), machine.HasTable(y.Type)
	return func(f machine.Frame) bool {
		v, w := a(f), b(f)
		// Values of different types are unequal, even if neither is comparable.
		if v.TypeWord(tableX) != w.TypeWord(tableY) {
			return false
		}
		machine.Fail(f, s) // types that are not comparable panic
		return v.AsAny(tableX) == w.AsAny(tableY)
	}
}

// equalMemory compiles the comparison of structs and arrays. Operands without size are evaluated
// for their effects.
//
// EqualFunc returns the function that the runtime has for the type, which compares fields in order,
// skips blank fields and may panic at an interface value.
func (c *compiler) equalMemory(x, y operation.Value, s *machine.Site) func(machine.Frame) bool {
	equal := realtype.EqualFunc(x.Type.Type)
	a, b := x.Addr, y.Addr
	if x.Type.Size == 0 {
		return func(f machine.Frame) bool { a(f); b(f); return true }
	}
	return func(f machine.Frame) bool {
		// The operands are not copied. Neither may be a temporary that the other one overwrites, which
		// holds since temporaries are not shared between expressions.
		p := a(f)
		q := b(f)
		machine.Fail(f, s) // an interface value inside may not be comparable
		return equal(p, q)
	}
}
