package operation

import (
	"go/token"
	"math"
	"math/bits"
	"unsafe"

	"gosphere/runtime/internal/machine"
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
//
// One table of implementations replaces a switch over the classes in each function of package exec.
// A class that lacks an operation, such as a shift of floats, implements it with nil: the type
// checker has rejected programs that would call it.
type Numeric interface {
	Arithmetic(op token.Token, x, y Value, s *machine.Site) any
	Into(op token.Token, x, y Value, to Destination) func(machine.Frame)
	Assign(op token.Token, a Access, y Value, s *machine.Site) func(machine.Frame)
	Compare(op token.Token, x, y Value) func(machine.Frame) bool
	Negate(x Value) any
	Complement(x Value) any
	Convert(to machine.Class, x Value) any
	ToIndex(x Value) func(machine.Frame) int
	shiftCount(x Value, s *machine.Site) func(machine.Frame) uint
	Shift(op token.Token, x, count Value, s *machine.Site) any
	CountTo(n Value, slot uintptr, l *Loop) Stmt
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
	machine.ClassInt: integers[int]{}, machine.ClassInt8: integers[int8]{}, machine.ClassInt16: integers[int16]{}, machine.ClassInt32: integers[int32]{},
	machine.ClassInt64: integers[int64]{}, machine.ClassUint: integers[uint]{}, machine.ClassUint8: integers[uint8]{}, machine.ClassUint16: integers[uint16]{},
	machine.ClassUint32: integers[uint32]{}, machine.ClassUint64: integers[uint64]{}, machine.ClassUintptr: integers[uintptr]{},
	machine.ClassFloat32: floats[float32]{}, machine.ClassFloat64: floats[float64]{},
	machine.ClassComplex64: complexes64{}, machine.ClassComplex128: complexes128{}, machine.ClassMemory: nil,
}

// NumberOps returns the operations on numbers of a class.
func NumberOps(c machine.Class) Numeric { return numbers[c] }

// common compiles the arithmetic operations that all numbers have. It returns nil for others.
func common[T number](op token.Token, x, y Value) func(machine.Frame) T {
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
func (integers[T]) Arithmetic(op token.Token, x, y Value, s *machine.Site) any {
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
//
// The quotient of the smallest integer and -1 wraps around without a panic, as the specification
// demands and as Go's own division does.
func divide[T integer](op token.Token, x, y Value, s *machine.Site) func(machine.Frame) T {
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	if k, ok := y.Const.(T); ok && k != 0 {
		if f := dividePower(op, x, k); f != nil {
			return f
		}
		if op == token.QUO {
			return func(f machine.Frame) T { return left(f) / k }
		}
		return func(f machine.Frame) T { return left(f) % k }
	}
	if op == token.QUO {
		return func(f machine.Frame) T {
			a, b := left(f), right(f)
			if b == 0 {
				machine.PanicDivide(f, s)
			}
			return a / b
		}
	}
	return func(f machine.Frame) T {
		a, b := left(f), right(f)
		if b == 0 {
			machine.PanicDivide(f, s)
		}
		return a % b
	}
}

// dividePower compiles x / k and x % k if k is a power of two that is greater than 1, for which
// shifts are several times as fast as a division. It returns nil for other divisors.
//
// The compiler of this program cannot do that, since k is a variable to it.
func dividePower[T integer](op token.Token, x Value, k T) func(machine.Frame) T {
	if k < 2 || k&(k-1) != 0 {
		return nil
	}
	get, shift, mask := x.F.(func(machine.Frame) T), uint(bits.TrailingZeros64(uint64(k))), k-1
	sign := uint(unsafe.Sizeof(k))*8 - 1
	// The condition is true exactly for unsigned types.
	if T(0)-1 > 0 {
		if op == token.QUO {
			return func(f machine.Frame) T { return get(f) >> shift }
		}
		return func(f machine.Frame) T { return get(f) & mask }
	}
	// The quotient is rounded toward zero, so k-1 is added to a negative dividend. The shift by sign
	// gives -1 for it and 0 for others.
	if op == token.QUO {
		return func(f machine.Frame) T {
			v := get(f)
			return (v + v>>sign&mask) >> shift
		}
	}
	return func(f machine.Frame) T {
		v := get(f)
		return v - (v+v>>sign&mask)&^mask
	}
}

// Arithmetic compiles an arithmetic operation. Division by zero needs no check: it yields an
// infinity or NaN.
func (floats[T]) Arithmetic(op token.Token, x, y Value, _ *machine.Site) any {
	if op == token.QUO {
		left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
		switch {
		case x.Form == FormConst:
			k := x.Const.(T)
			return func(f machine.Frame) T { return k / right(f) }
		case y.Form == FormConst:
			k := y.Const.(T)
			// A multiplication by a power of two is exact as well, and faster.
			if inverse := 1 / k; isPower(k) && isPower(inverse) {
				return func(f machine.Frame) T { return left(f) * inverse }
			}
			return func(f machine.Frame) T { return left(f) / k }
		case y.Form == FormLocal:
			at := y.Slot
			return func(f machine.Frame) T { return left(f) / *(*T)(unsafe.Add(f, at)) }
		}
		return func(f machine.Frame) T { return left(f) / right(f) }
	}
	return common[T](op, x, y)
}

// isPower reports whether a number is a positive or negative power of two with the full precision
// of its type, which excludes subnormal numbers.
func isPower[T float](k T) bool {
	fraction, exponent := math.Frexp(float64(k))
	least := -1021
	if unsafe.Sizeof(k) == 4 {
		least = -125
	}
	return (fraction == 0.5 || fraction == -0.5) && exponent >= least
}

func (complexes[T]) Arithmetic(op token.Token, x, y Value, _ *machine.Site) any {
	if op == token.QUO {
		left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
		return func(f machine.Frame) T { return left(f) / right(f) }
	}
	return common[T](op, x, y)
}

// Order compiles a comparison of ordered values.
func Order[T Ordered](op token.Token, x, y Value) func(machine.Frame) bool {
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

func (integers[T]) Compare(op token.Token, x, y Value) func(machine.Frame) bool {
	return Order[T](op, x, y)
}
func (floats[T]) Compare(op token.Token, x, y Value) func(machine.Frame) bool {
	return Order[T](op, x, y)
}

func (complexes[T]) Compare(op token.Token, x, y Value) func(machine.Frame) bool {
	left, right := x.F.(func(machine.Frame) T), y.F.(func(machine.Frame) T)
	if op == token.EQL {
		return func(f machine.Frame) bool { return left(f) == right(f) }
	}
	return func(f machine.Frame) bool { return left(f) != right(f) }
}

func negate[T number](x Value) any {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame) T { return -get(f) }
}

func (integers[T]) Negate(x Value) any  { return negate[T](x) }
func (floats[T]) Negate(x Value) any    { return negate[T](x) }
func (complexes[T]) Negate(x Value) any { return negate[T](x) }

// Complement compiles ^x.
func (integers[T]) Complement(x Value) any {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame) T { return ^get(f) }
}
func (floats[T]) Complement(Value) any    { return nil }
func (complexes[T]) Complement(Value) any { return nil }

// ToIndex compiles the conversion of an index to int. An index that int cannot represent becomes
// TooLarge; the thread records it for the text of the panic.
//
// The value is not lost, because the runtime's message shows it as the program has written it.
func (integers[T]) ToIndex(x Value) func(machine.Frame) int {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame) int {
		v := get(f)
		// The second condition detects a uint64 that becomes negative.
		if i := int(v); T(i) == v && (i < 0) == (v < 0) {
			return i
		}
		return machine.KeepLarge(f, uint64(v))
	}
}

func (floats[T]) ToIndex(Value) func(machine.Frame) int    { return nil }
func (complexes[T]) ToIndex(Value) func(machine.Frame) int { return nil }

// shiftCount compiles the conversion of a shift count. Very large counts are reduced to one that
// still shifts out every bit. A negative count panics. Go defines shifts by counts of the width and
// more, so reducing a count to 1<<16 does not change the result.
func (integers[T]) shiftCount(x Value, s *machine.Site) func(machine.Frame) uint {
	get := x.F.(func(machine.Frame) T)
	return func(f machine.Frame) uint {
		v := get(f)
		if v < 0 {
			machine.PanicShift(f, s, int64(v))
		}
		if unsafe.Sizeof(v) == 8 && uint64(v) > 1<<16 {
			return 1 << 16
		}
		return uint(v)
	}
}

func (floats[T]) shiftCount(Value, *machine.Site) func(machine.Frame) uint    { return nil }
func (complexes[T]) shiftCount(Value, *machine.Site) func(machine.Frame) uint { return nil }

// Shift compiles a shift. A count that is not constant is computed after the operand and may panic
// if it is negative, and so may the constant argument of an inlined function.
//
// Go's own shift has the semantics of the specification for the type of the left operand: a count
// of the width or more yields 0, or -1 for a negative operand.
func (integers[T]) Shift(op token.Token, x, count Value, s *machine.Site) any {
	if count.Form == FormConst && ToInt(count.Const) >= 0 {
		return shiftBy[T](op, x, uint(ToInt(count.Const)))
	}
	get := x.F.(func(machine.Frame) T)
	n := NumberOps(count.Type.Class).shiftCount(count, s)
	if op == token.SHL {
		return func(f machine.Frame) T {
			v := get(f)
			return v << n(f)
		}
	}
	return func(f machine.Frame) T {
		v := get(f)
		return v >> n(f)
	}
}

// shiftBy compiles a shift by k bits. The mask, which changes no count that is less than the width,
// shows the compiler of this program that none exceeds it.
//
//go:noinline
func shiftBy[T integer](op token.Token, x Value, k uint) func(machine.Frame) T {
	get := x.F.(func(machine.Frame) T)
	slot, local, over := x.Slot, x.Form == FormLocal, k >= 8*uint(unsafe.Sizeof(*new(T)))
	switch {
	case over && op == token.SHL:
		return func(f machine.Frame) T { return get(f) << k }
	case over:
		return func(f machine.Frame) T { return get(f) >> k }
	case local && op == token.SHL:
		return func(f machine.Frame) T {
			v := *(*T)(unsafe.Add(f, slot))
			return v << (k & (8*uint(unsafe.Sizeof(v)) - 1))
		}
	case local:
		return func(f machine.Frame) T {
			v := *(*T)(unsafe.Add(f, slot))
			return v >> (k & (8*uint(unsafe.Sizeof(v)) - 1))
		}
	case op == token.SHL:
		return func(f machine.Frame) T {
			v := get(f)
			return v << (k & (8*uint(unsafe.Sizeof(v)) - 1))
		}
	}
	return func(f machine.Frame) T {
		v := get(f)
		return v >> (k & (8*uint(unsafe.Sizeof(v)) - 1))
	}
}

func (floats[T]) Shift(token.Token, Value, Value, *machine.Site) any    { return nil }
func (complexes[T]) Shift(token.Token, Value, Value, *machine.Site) any { return nil }
