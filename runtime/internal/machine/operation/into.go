package operation

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// A Destination is a number in the frame that the result of an operation is stored in or added to.
// One closure then computes the result and stores it.
type Destination struct {
	offset uintptr
	add    bool
}

// to returns the step that computes the value into a variable of the frame, or nil if there is
// none.
func (v Value) to(d Destination) func(machine.Frame) {
	if v.To == nil {
		return nil
	}
	return v.To(d)
}

// Into compiles an operation with a destination. It returns nil if there is no such form.
func (integers[T]) Into(op token.Token, x, y Value, to Destination) func(machine.Frame) {
	switch op {
	case token.AND:
		return intoAnd[T](x, y, to)
	case token.XOR:
		return intoXor[T](x, y, to)
	}
	return intoCommon[T](op, x, y, to)
}

// Into compiles an operation with a destination. It returns nil if there is no such form.
func (floats[T]) Into(op token.Token, x, y Value, to Destination) func(machine.Frame) {
	if op != token.QUO {
		return intoCommon[T](op, x, y, to)
	}
	if to.add {
		return nil
	}
	left, right, a, b, o := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T), x.Slot, y.Slot, to.offset
	switch {
	case x.Form == FormConst:
		k := x.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = k / right(f) }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) / k }
	case y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) / *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) / right(f) }
	}
	return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) / right(f) }
}

// Into returns nil: complex numbers have no such forms.
func (complexes[T]) Into(token.Token, Value, Value, Destination) func(machine.Frame) { return nil }

// intoCommon compiles the operations that all numbers have. The sum of a variable and a product has
// its own form; see addProduct.
func intoCommon[T number](op token.Token, x, y Value, to Destination) func(machine.Frame) {
	switch {
	case op == token.ADD && !to.add:
		return intoSum[T](x, y, to.offset)
	case op == token.SUB && !to.add:
		return intoDifference[T](x, y, to.offset)
	case op == token.MUL && !to.add:
		return intoProduct[T](x, y, to.offset)
	case op == token.ADD:
		return addSum[T](x, y, to.offset)
	case op == token.SUB:
		return addDifference[T](x, y, to.offset)
	}
	return nil
}

// intoSum compiles a = x + y. It returns nil where add reads operands that this function would call
// closures for.
func intoSum[T number](x, y Value, o uintptr) func(machine.Frame) {
	left, right, a, b := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T), x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) + *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) + k }
	case y.Form == FormConst && x.Elem == nil && x.Sum == nil:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) + k }
	case y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) + *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) + right(f) }
	case y.Form == FormConst || x.Form == FormConst || x.Pointed != nil && y.Pointed != nil:
		return nil // add has a form that reads these operands
	}
	return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) + right(f) }
}

// intoDifference compiles a = x - y. Differences of fields, as of two points, are read here.
func intoDifference[T number](x, y Value, o uintptr) func(machine.Frame) {
	left, right, a, b := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T), x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) - *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) - k }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) - k }
	case y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) - *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) - right(f) }
	case x.Pointed != nil && y.Pointed != nil:
		p, q := x.Pointed, y.Pointed
		return func(f machine.Frame) {
			v := *(*T)(p.address(f))
			*(*T)(unsafe.Add(f, o)) = v - *(*T)(q.address(f))
		}
	}
	return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) - right(f) }
}

// intoProduct compiles a = x * y for an operand that is a variable or a constant. Other products
// have forms in mul.
func intoProduct[T number](x, y Value, o uintptr) func(machine.Frame) {
	left, right, a, b := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T), x.Slot, y.Slot
	switch {
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) * *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) * k }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) * k }
	case y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) * *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) * right(f) }
	}
	return nil
}

// addSum compiles a += x + y for an operand that is a variable or a constant. The sum is assigned
// before it is added, because the variable is read after the operands, which may be calls.
//
//go:noinline
func addSum[T number](x, y Value, o uintptr) func(machine.Frame) {
	left, b := x.F.(func(machine.Frame) T), y.Slot
	switch {
	case y.Form == FormConst && x.Elem == nil && x.Sum == nil:
		k := y.Const.(T)
		return func(f machine.Frame) { v := left(f) + k; *(*T)(unsafe.Add(f, o)) += v }
	case y.Form == FormLocal:
		return func(f machine.Frame) { v := left(f) + *(*T)(unsafe.Add(f, b)); *(*T)(unsafe.Add(f, o)) += v }
	}
	return nil
}

// addDifference compiles a += x - y like addSum.
//
//go:noinline
func addDifference[T number](x, y Value, o uintptr) func(machine.Frame) {
	left, b := x.F.(func(machine.Frame) T), y.Slot
	switch y.Form {
	case FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { v := left(f) - k; *(*T)(unsafe.Add(f, o)) += v }
	case FormLocal:
		return func(f machine.Frame) { v := left(f) - *(*T)(unsafe.Add(f, b)); *(*T)(unsafe.Add(f, o)) += v }
	}
	return nil
}

// intoAnd compiles a = x & y and a += x & y for an operand that is a variable or a constant, such
// as the mask of a hash.
func intoAnd[T integer](x, y Value, to Destination) func(machine.Frame) {
	left, a, b, o := x.F.(func(machine.Frame) T), x.Slot, y.Slot, to.offset
	switch {
	case x.Form == FormLocal && y.Form == FormConst && to.add:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) += *(*T)(unsafe.Add(f, a)) & k }
	case x.Form == FormLocal && y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) & k }
	case y.Form == FormConst && to.add:
		k := y.Const.(T)
		return func(f machine.Frame) { v := left(f) & k; *(*T)(unsafe.Add(f, o)) += v }
	case y.Form == FormConst:
		k := y.Const.(T)
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) & k }
	case y.Form == FormLocal && to.add:
		return func(f machine.Frame) { v := left(f) & *(*T)(unsafe.Add(f, b)); *(*T)(unsafe.Add(f, o)) += v }
	case y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) & *(*T)(unsafe.Add(f, b)) }
	}
	return nil
}

// intoXor compiles a = x ^ y and a += x ^ y.
func intoXor[T integer](x, y Value, to Destination) func(machine.Frame) {
	left, right, a, b, o := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T), x.Slot, y.Slot, to.offset
	switch {
	case x.Form == FormLocal && y.Form == FormLocal && to.add:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) += *(*T)(unsafe.Add(f, a)) ^ *(*T)(unsafe.Add(f, b)) }
	case x.Form == FormLocal && y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = *(*T)(unsafe.Add(f, a)) ^ *(*T)(unsafe.Add(f, b)) }
	case y.Form == FormLocal && to.add:
		return func(f machine.Frame) { v := left(f) ^ *(*T)(unsafe.Add(f, b)); *(*T)(unsafe.Add(f, o)) += v }
	case y.Form == FormLocal:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) ^ *(*T)(unsafe.Add(f, b)) }
	case to.add:
		return func(f machine.Frame) { v := left(f) ^ right(f); *(*T)(unsafe.Add(f, o)) += v }
	}
	return func(f machine.Frame) { *(*T)(unsafe.Add(f, o)) = left(f) ^ right(f) }
}
