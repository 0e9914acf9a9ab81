package operation

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// assignCommon compiles a op= y for the operations that are frequent enough to have their own
// closures. It returns nil for others.
//
// Division is missing, because it needs a check; Assign compiles it with a function.
func assignCommon[T number](op token.Token, a Access, y Value) func(machine.Frame) {
	if a.Mode == ModeFrame {
		return assignLocal[T](op, a.Offset, y)
	}
	get, address := y.F.(func(machine.Frame) T), a.Address()
	if a.Mode == ModeCapture && op == token.ADD {
		slot, env, offset := a.Slot, a.Env, a.Offset
		return func(f machine.Frame) {
			v := get(f)
			*machine.At[T](captured(f, env, slot), offset) += v
		}
	}
	if a.Mode == ModePointer && op != token.MUL {
		return assignPointed[T](op, a.pointed(), get)
	}
	switch op {
	case token.ADD:
		return func(f machine.Frame) {
			v := get(f)
			*(*T)(address(f)) += v
		}
	case token.SUB:
		return func(f machine.Frame) {
			v := get(f)
			*(*T)(address(f)) -= v
		}
	case token.MUL:
		return func(f machine.Frame) {
			v := get(f)
			*(*T)(address(f)) *= v
		}
	}
	return nil
}

// assignPointed compiles a += y and a -= y for a variable at a pointer, such as a field of a
// struct. The operand is computed before the pointer is checked. It returns nil for other
// operations.
//
//go:noinline
func assignPointed[T number](op token.Token, p *Pointed, get func(machine.Frame) T) func(machine.Frame) {
	switch op {
	case token.ADD:
		return func(f machine.Frame) { v := get(f); *(*T)(p.address(f)) += v }
	case token.SUB:
		return func(f machine.Frame) { v := get(f); *(*T)(p.address(f)) -= v }
	}
	return nil
}

// assignLocal compiles a op= y for a variable in the frame. The operand is computed before the
// variable is read, because computing it may change the variable.
//
// These closures are the bodies of most loops, so each form of the operand that saves a call has
// one.
func assignLocal[T number](op token.Token, offset uintptr, y Value) func(machine.Frame) {
	if y.Form == FormConst {
		k := y.Const.(T)
		switch op {
		case token.ADD:
			return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) += k }
		case token.SUB:
			return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) -= k }
		}
	}
	get := y.F.(func(machine.Frame) T)
	switch op {
	case token.ADD:
		if y.Form == FormLocal {
			from := y.Slot
			return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) += *(*T)(unsafe.Add(f, from)) }
		}
		if e := y.Elem; e != nil {
			return func(f machine.Frame) { v := at[T](e, f); *(*T)(unsafe.Add(f, offset)) += v }
		}
		if y.Product != nil {
			return addProduct[T](offset, y.Product)
		}
		if step := y.to(Destination{offset, true}); step != nil {
			return step
		}
		return func(f machine.Frame) { v := get(f); *(*T)(unsafe.Add(f, offset)) += v }
	case token.SUB:
		return func(f machine.Frame) { v := get(f); *(*T)(unsafe.Add(f, offset)) -= v }
	case token.MUL:
		return func(f machine.Frame) { v := get(f); *(*T)(unsafe.Add(f, offset)) *= v }
	}
	return nil
}

// addProduct compiles a += x * y for a variable in the frame. The product is assigned before it is
// added, because an assignment rounds it on architectures that multiply and add in one operation.
//
// The specification permits fusing x*y + z, and gc fuses within one expression on arm64 and others.
// In the source the product is an operand of +=, which gc would fuse as well; rounding the product
// makes the result the same on every architecture.
//
//go:noinline
func addProduct[T number](offset uintptr, p *Product) func(machine.Frame) {
	left, right := p.x.F.(func(machine.Frame) T), p.y.F.(func(machine.Frame) T)
	x, y := p.x.Elem, p.y.Elem
	switch {
	case p.x.Form == FormLocal && p.y.Form == FormLocal:
		a, b := p.x.Slot, p.y.Slot
		return func(f machine.Frame) {
			v := *(*T)(unsafe.Add(f, a)) * *(*T)(unsafe.Add(f, b))
			*(*T)(unsafe.Add(f, offset)) += v
		}
	case p.y.Form == FormLocal:
		b := p.y.Slot
		return func(f machine.Frame) { v := left(f) * *(*T)(unsafe.Add(f, b)); *(*T)(unsafe.Add(f, offset)) += v }
	case p.x.Form == FormLocal:
		a := p.x.Slot
		return func(f machine.Frame) { v := *(*T)(unsafe.Add(f, a)) * right(f); *(*T)(unsafe.Add(f, offset)) += v }
	case x != nil && y != nil:
		return func(f machine.Frame) { v := at[T](x, f); v *= at[T](y, f); *(*T)(unsafe.Add(f, offset)) += v }
	case y != nil:
		return func(f machine.Frame) { v := left(f); v *= at[T](y, f); *(*T)(unsafe.Add(f, offset)) += v }
	}
	return func(f machine.Frame) { v := left(f); v *= right(f); *(*T)(unsafe.Add(f, offset)) += v }
}

// binaryFunc returns the operation as a function of two numbers. s is the site of a division by
// zero.
//
// A function is called for each evaluation, which is acceptable for the operators that are rarely
// used with an assignment.
func (integers[T]) binaryFunc(op token.Token, s *machine.Site) func(machine.Frame, T, T) T {
	switch op {
	case token.AND:
		return func(_ machine.Frame, x, y T) T { return x & y }
	case token.OR:
		return func(_ machine.Frame, x, y T) T { return x | y }
	case token.XOR:
		return func(_ machine.Frame, x, y T) T { return x ^ y }
	case token.AND_NOT:
		return func(_ machine.Frame, x, y T) T { return x &^ y }
	case token.QUO:
		return func(f machine.Frame, x, y T) T {
			if y == 0 {
				machine.PanicDivide(f, s)
			}
			return x / y
		}
	}
	return func(f machine.Frame, x, y T) T {
		if y == 0 {
			machine.PanicDivide(f, s)
		}
		return x % y
	}
}

// apply compiles a op= y with a function. The operand is computed before the variable is read, as
// in compiled Go. The address is computed once, so that effects of the destination happen once.
func apply[T comparable](a Access, y Value, operation func(f machine.Frame, x, y T) T) func(machine.Frame) {
	get, address := y.F.(func(machine.Frame) T), a.Address()
	return func(f machine.Frame) {
		v := get(f)
		p := (*T)(address(f))
		*p = operation(f, *p, v)
	}
}

func (o integers[T]) Assign(op token.Token, a Access, y Value, s *machine.Site) func(machine.Frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	if a.Mode != ModeFrame {
		return apply(a, y, o.binaryFunc(op, s))
	}
	get, offset := y.F.(func(machine.Frame) T), a.Offset
	switch op {
	case token.AND:
		return func(f machine.Frame) { v := get(f); *(*T)(unsafe.Add(f, offset)) &= v }
	case token.OR:
		return func(f machine.Frame) { v := get(f); *(*T)(unsafe.Add(f, offset)) |= v }
	case token.XOR:
		return func(f machine.Frame) { v := get(f); *(*T)(unsafe.Add(f, offset)) ^= v }
	}
	return store[T](a, Value{F: o.Arithmetic(op, inFrame[T](a), y, s)})
}

func (o floats[T]) Assign(op token.Token, a Access, y Value, s *machine.Site) func(machine.Frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	if a.Mode == ModeFrame {
		return store[T](a, Value{F: o.Arithmetic(op, inFrame[T](a), y, s)})
	}
	return apply(a, y, func(_ machine.Frame, x, y T) T { return x / y })
}

func (complexes[T]) Assign(op token.Token, a Access, y Value, _ *machine.Site) func(machine.Frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, func(_ machine.Frame, x, y T) T { return x / y })
}

// inFrame returns the value of a variable in the frame, for which a op= b is compiled like a = a op
// b: computing b cannot change it, because variables that other functions reach are elsewhere.
func inFrame[T number](a Access) Value {
	return Value{Type: a.Type, F: Load[T](a), Form: FormLocal, Slot: a.Offset}
}
