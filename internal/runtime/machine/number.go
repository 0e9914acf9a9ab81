package machine

import (
	"go/token"
	"math/bits"
	"unsafe"
)

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

type float interface{ float32 | float64 }

type number interface {
	integer | float | complex64 | complex128
}

// Ordered is the constraint of types whose values < compares.
type Ordered interface{ integer | float | string }

// Numeric is the set of operations on numbers of one class. The functions have the form that their
// class requires, such as func(Frame) int32. The results are typed any, because an interface method
// cannot have type parameters.
type Numeric interface {
	Arithmetic(op token.Token, x, y Value, s *Site) any
	Assign(op token.Token, a Access, y Value, s *Site) func(Frame)
	Compare(op token.Token, x, y Value) func(Frame) bool
	Negate(x Value) any
	Convert(to Class, x Value) any
	ToIndex(x Value) func(Frame) int
	shiftCount(x Value, s *Site) func(Frame) uint
	Shift(op token.Token, x, count Value, s *Site) any
}

type (
	integers[T integer]                              struct{}
	floats[T float]                                  struct{}
	complexes64                                      struct{ complexes[complex64] }
	complexes128                                     struct{ complexes[complex128] }
	complexes[T interface{ complex64 | complex128 }] struct{}
)

// The index is the class. Classes that are no numbers have the entry nil.
var numbers = [...]Numeric{
	ClassInt: integers[int]{}, ClassInt8: integers[int8]{}, ClassInt16: integers[int16]{}, ClassInt32: integers[int32]{},
	ClassInt64: integers[int64]{}, ClassUint: integers[uint]{}, ClassUint8: integers[uint8]{}, ClassUint16: integers[uint16]{},
	ClassUint32: integers[uint32]{}, ClassUint64: integers[uint64]{}, ClassUintptr: integers[uintptr]{},
	classFloat32: floats[float32]{}, ClassFloat64: floats[float64]{},
	ClassComplex64: complexes64{}, classComplex128: complexes128{}, ClassMemory: nil,
}

// NumberOps returns the operations on numbers of a class.
func NumberOps(c Class) Numeric { return numbers[c] }

// common compiles the arithmetic operations that all numbers have. It returns nil for others.
func common[T number](op token.Token, x, y Value) func(Frame) T {
	switch op {
	case token.ADD:
		return add[T](x, y)
	case token.SUB:
		return sub[T](x, y)
	case token.MUL:
		return mul[T](x, y)
	}
	return nil
}

// Arithmetic compiles an arithmetic or bitwise operation. s is the site of a division by zero.
func (integers[T]) Arithmetic(op token.Token, x, y Value, s *Site) any {
	switch op {
	case token.AND:
		return and[T](x, y)
	case token.OR:
		return or[T](x, y)
	case token.XOR:
		return xor[T](x, y)
	case token.AND_NOT:
		return andNot[T](x, y)
	case token.QUO, token.REM:
		return divide[T](op, x, y, s)
	}
	return common[T](op, x, y)
}

// divide compiles x / y and x % y for integers. A divisor that is the constant argument of an
// inlined function may be zero.
func divide[T integer](op token.Token, x, y Value, s *Site) func(Frame) T {
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if k, ok := y.Const.(T); ok && k != 0 {
		if f := dividePower(op, x, k); f != nil {
			return f
		}
		if op == token.QUO {
			return func(f Frame) T { return left(f) / k }
		}
		return func(f Frame) T { return left(f) % k }
	}
	if op == token.QUO {
		return func(f Frame) T {
			a, b := left(f), right(f)
			if b == 0 {
				panicDivide(f, s)
			}
			return a / b
		}
	}
	return func(f Frame) T {
		a, b := left(f), right(f)
		if b == 0 {
			panicDivide(f, s)
		}
		return a % b
	}
}

// dividePower compiles x / k and x % k if k is a power of two that is greater than 1, for which
// shifts are several times as fast as a division. It returns nil for other divisors.
func dividePower[T integer](op token.Token, x Value, k T) func(Frame) T {
	if k < 2 || k&(k-1) != 0 {
		return nil
	}
	get, shift, mask := x.F.(func(Frame) T), uint(bits.TrailingZeros64(uint64(k))), k-1
	sign := uint(unsafe.Sizeof(k))*8 - 1
	if T(0)-1 > 0 {
		if op == token.QUO {
			return func(f Frame) T { return get(f) >> shift }
		}
		return func(f Frame) T { return get(f) & mask }
	}
	// The quotient is rounded toward zero, so k-1 is added to a negative dividend. The shift by sign
	// gives -1 for it and 0 for others.
	if op == token.QUO {
		return func(f Frame) T {
			v := get(f)
			return (v + v>>sign&mask) >> shift
		}
	}
	return func(f Frame) T {
		v := get(f)
		return v - (v+v>>sign&mask)&^mask
	}
}

// Arithmetic compiles an arithmetic operation. Division by zero needs no check: it yields an
// infinity or NaN.
func (floats[T]) Arithmetic(op token.Token, x, y Value, _ *Site) any {
	if op == token.QUO {
		left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
		switch {
		case x.Form == FormConst:
			k := x.Const.(T)
			return func(f Frame) T { return k / right(f) }
		case y.Form == FormConst:
			k := y.Const.(T)
			return func(f Frame) T { return left(f) / k }
		case y.Form == FormLocal:
			at := y.Slot
			return func(f Frame) T { return left(f) / *At[T](f, at) }
		}
		return func(f Frame) T { return left(f) / right(f) }
	}
	return common[T](op, x, y)
}

func (complexes[T]) Arithmetic(op token.Token, x, y Value, _ *Site) any {
	if op == token.QUO {
		left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
		return func(f Frame) T { return left(f) / right(f) }
	}
	return common[T](op, x, y)
}

// assignCommon compiles a op= y for the operations that are frequent enough to have their own
// closures. It returns nil for others.
func assignCommon[T number](op token.Token, a Access, y Value) func(Frame) {
	if a.Mode == ModeFrame {
		return assignLocal[T](op, a.Offset, y)
	}
	get, address := y.F.(func(Frame) T), a.Address()
	if a.Mode == ModeCapture && op == token.ADD {
		slot, offset := a.Slot, a.Offset
		return func(f Frame) {
			v := get(f)
			*At[T](captured(f, slot), offset) += v
		}
	}
	switch op {
	case token.ADD:
		return func(f Frame) {
			v := get(f)
			*(*T)(address(f)) += v
		}
	case token.SUB:
		return func(f Frame) {
			v := get(f)
			*(*T)(address(f)) -= v
		}
	case token.MUL:
		return func(f Frame) {
			v := get(f)
			*(*T)(address(f)) *= v
		}
	}
	return nil
}

// assignLocal compiles a op= y for a variable in the frame. The operand is computed before the
// variable is read, because computing it may change the variable.
func assignLocal[T number](op token.Token, offset uintptr, y Value) func(Frame) {
	if y.Form == FormConst {
		k := y.Const.(T)
		switch op {
		case token.ADD:
			return func(f Frame) { *At[T](f, offset) += k }
		case token.SUB:
			return func(f Frame) { *At[T](f, offset) -= k }
		}
	}
	get := y.F.(func(Frame) T)
	switch op {
	case token.ADD:
		if y.Form == FormLocal {
			from := y.Slot
			return func(f Frame) { *At[T](f, offset) += *At[T](f, from) }
		}
		if e := y.Elem; e != nil {
			return func(f Frame) { v := at[T](e, f); *At[T](f, offset) += v }
		}
		if y.Product != nil {
			return addProduct[T](offset, y.Product)
		}
		return func(f Frame) { v := get(f); *At[T](f, offset) += v }
	case token.SUB:
		return func(f Frame) { v := get(f); *At[T](f, offset) -= v }
	case token.MUL:
		return func(f Frame) { v := get(f); *At[T](f, offset) *= v }
	}
	return nil
}

// addProduct compiles a += x * y for a variable in the frame. The product is assigned before it is
// added, because an assignment rounds it on architectures that multiply and add in one operation.
func addProduct[T number](offset uintptr, p *Product) func(Frame) {
	left, right := p.x.F.(func(Frame) T), p.y.F.(func(Frame) T)
	x, y := p.x.Elem, p.y.Elem
	switch {
	case p.x.Form == FormLocal && p.y.Form == FormLocal:
		a, b := p.x.Slot, p.y.Slot
		return func(f Frame) { v := *At[T](f, a) * *At[T](f, b); *At[T](f, offset) += v }
	case p.y.Form == FormLocal:
		b := p.y.Slot
		return func(f Frame) { v := left(f) * *At[T](f, b); *At[T](f, offset) += v }
	case p.x.Form == FormLocal:
		a := p.x.Slot
		return func(f Frame) { v := *At[T](f, a) * right(f); *At[T](f, offset) += v }
	case x != nil && y != nil:
		return func(f Frame) { v := at[T](x, f); v *= at[T](y, f); *At[T](f, offset) += v }
	case y != nil:
		return func(f Frame) { v := left(f); v *= at[T](y, f); *At[T](f, offset) += v }
	}
	return func(f Frame) { v := left(f); v *= right(f); *At[T](f, offset) += v }
}

// binaryFunc returns the operation as a function of two numbers. s is the site of a division by
// zero.
func (integers[T]) binaryFunc(op token.Token, s *Site) func(Frame, T, T) T {
	switch op {
	case token.AND:
		return func(_ Frame, x, y T) T { return x & y }
	case token.OR:
		return func(_ Frame, x, y T) T { return x | y }
	case token.XOR:
		return func(_ Frame, x, y T) T { return x ^ y }
	case token.AND_NOT:
		return func(_ Frame, x, y T) T { return x &^ y }
	case token.QUO:
		return func(f Frame, x, y T) T {
			if y == 0 {
				panicDivide(f, s)
			}
			return x / y
		}
	}
	return func(f Frame, x, y T) T {
		if y == 0 {
			panicDivide(f, s)
		}
		return x % y
	}
}

// apply compiles a op= y with a function. The operand is computed before the variable is read, as
// in compiled Go. The address is computed once, so that effects of the destination happen once.
func apply[T comparable](a Access, y Value, operation func(f Frame, x, y T) T) func(Frame) {
	get, address := y.F.(func(Frame) T), a.Address()
	return func(f Frame) {
		v := get(f)
		p := (*T)(address(f))
		*p = operation(f, *p, v)
	}
}

func (o integers[T]) Assign(op token.Token, a Access, y Value, s *Site) func(Frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, o.binaryFunc(op, s))
}

func (floats[T]) Assign(op token.Token, a Access, y Value, _ *Site) func(Frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, func(_ Frame, x, y T) T { return x / y })
}

func (complexes[T]) Assign(op token.Token, a Access, y Value, _ *Site) func(Frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, func(_ Frame, x, y T) T { return x / y })
}

// Order compiles a comparison of ordered values.
func Order[T Ordered](op token.Token, x, y Value) func(Frame) bool {
	switch op {
	case token.EQL:
		return same[T](x, y)
	case token.NEQ:
		return differ[T](x, y)
	case token.LSS:
		return less[T](x, y)
	case token.LEQ:
		return lessEqual[T](x, y)
	case token.GTR:
		return greater[T](x, y)
	}
	return greaterEqual[T](x, y)
}

func (integers[T]) Compare(op token.Token, x, y Value) func(Frame) bool { return Order[T](op, x, y) }
func (floats[T]) Compare(op token.Token, x, y Value) func(Frame) bool   { return Order[T](op, x, y) }

func (complexes[T]) Compare(op token.Token, x, y Value) func(Frame) bool {
	left, right := x.F.(func(Frame) T), y.F.(func(Frame) T)
	if op == token.EQL {
		return func(f Frame) bool { return left(f) == right(f) }
	}
	return func(f Frame) bool { return left(f) != right(f) }
}

func negate[T number](x Value) any {
	get := x.F.(func(Frame) T)
	return func(f Frame) T { return -get(f) }
}

func (integers[T]) Negate(x Value) any  { return negate[T](x) }
func (floats[T]) Negate(x Value) any    { return negate[T](x) }
func (complexes[T]) Negate(x Value) any { return negate[T](x) }

// Complement compiles ^x.
func Complement[T integer](x Value) any {
	get := x.F.(func(Frame) T)
	return func(f Frame) T { return ^get(f) }
}

// ToIndex compiles the conversion of an index to int. An index that int cannot represent becomes
// TooLarge; the thread records it for the text of the panic.
func (integers[T]) ToIndex(x Value) func(Frame) int {
	get := x.F.(func(Frame) T)
	return func(f Frame) int {
		v := get(f)
		// The second condition detects a uint64 that becomes negative.
		if i := int(v); T(i) == v && (i < 0) == (v < 0) {
			return i
		}
		HeaderOf(f).Thread.index = uint64(v)
		return TooLarge
	}
}

func (floats[T]) ToIndex(Value) func(Frame) int    { return nil }
func (complexes[T]) ToIndex(Value) func(Frame) int { return nil }

// shiftCount compiles the conversion of a shift count. Very large counts are reduced to one that
// still shifts out every bit. A negative count panics. Go defines shifts by counts of the width and
// more, so reducing a count to 1<<16 does not change the result.
func (integers[T]) shiftCount(x Value, s *Site) func(Frame) uint {
	get := x.F.(func(Frame) T)
	return func(f Frame) uint {
		v := get(f)
		if v < 0 {
			panicShift(f, s, int64(v))
		}
		if unsafe.Sizeof(v) == 8 && uint64(v) > 1<<16 {
			return 1 << 16
		}
		return uint(v)
	}
}

func (floats[T]) shiftCount(Value, *Site) func(Frame) uint    { return nil }
func (complexes[T]) shiftCount(Value, *Site) func(Frame) uint { return nil }

// Shift compiles a shift. A count that is not constant is computed after the operand and may panic
// if it is negative, and so may the constant argument of an inlined function.
func (integers[T]) Shift(op token.Token, x, count Value, s *Site) any {
	get := x.F.(func(Frame) T)
	if count.Form == FormConst && ToInt(count.Const) >= 0 {
		if k := uint(ToInt(count.Const)); op == token.SHL {
			return func(f Frame) T { return get(f) << k }
		} else {
			return func(f Frame) T { return get(f) >> k }
		}
	}
	n := NumberOps(count.Type.Class).shiftCount(count, s)
	if op == token.SHL {
		return func(f Frame) T {
			v := get(f)
			return v << n(f)
		}
	}
	return func(f Frame) T {
		v := get(f)
		return v >> n(f)
	}
}

func (floats[T]) Shift(token.Token, Value, Value, *Site) any    { return nil }
func (complexes[T]) Shift(token.Token, Value, Value, *Site) any { return nil }
