package exec

import (
	"go/token"
	"unsafe"
)

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

type float interface{ float32 | float64 }

type number interface {
	integer | float | complex64 | complex128
}

type ordered interface{ integer | float | string }

// numeric are the operations of classes of numbers.
type numeric interface {
	arithmetic(op token.Token, x, y value, s *site) any
	assign(op token.Token, a access, y value, s *site) func(frame)
	compare(op token.Token, x, y value) func(frame) bool
	negate(x value) any
	convert(to class, x value) any
	toIndex(x value) func(frame) int
	shiftCount(x value, s *site) func(frame) uint
	shift(op token.Token, x, count value, s *site) any
}

type (
	integers[T integer]                              struct{}
	floats[T float]                                  struct{}
	complexes64                                      struct{ complexes[complex64] }
	complexes128                                     struct{ complexes[complex128] }
	complexes[T interface{ complex64 | complex128 }] struct{}
)

var numbers = [...]numeric{
	classInt: integers[int]{}, classInt8: integers[int8]{}, classInt16: integers[int16]{}, classInt32: integers[int32]{},
	classInt64: integers[int64]{}, classUint: integers[uint]{}, classUint8: integers[uint8]{}, classUint16: integers[uint16]{},
	classUint32: integers[uint32]{}, classUint64: integers[uint64]{}, classUintptr: integers[uintptr]{},
	classFloat32: floats[float32]{}, classFloat64: floats[float64]{},
	classComplex64: complexes64{}, classComplex128: complexes128{}, classMemory: nil,
}

func numberOps(c class) numeric { return numbers[c] }

// arithmetic of what all numbers have.
func common[T number](op token.Token, x, y value) func(frame) T {
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

func (integers[T]) arithmetic(op token.Token, x, y value, s *site) any {
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

// divide compiles x / y and x % y of integers.
func divide[T integer](op token.Token, x, y value, s *site) func(frame) T {
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if y.form == formConst {
		k := y.konst.(T)
		if op == token.QUO {
			return func(f frame) T { return left(f) / k }
		}
		return func(f frame) T { return left(f) % k }
	}
	if op == token.QUO {
		return func(f frame) T {
			a, b := left(f), right(f)
			if b == 0 {
				panicDivide(f, s)
			}
			return a / b
		}
	}
	return func(f frame) T {
		a, b := left(f), right(f)
		if b == 0 {
			panicDivide(f, s)
		}
		return a % b
	}
}

func (floats[T]) arithmetic(op token.Token, x, y value, _ *site) any {
	if op == token.QUO {
		left, right := x.f.(func(frame) T), y.f.(func(frame) T)
		return func(f frame) T { return left(f) / right(f) }
	}
	return common[T](op, x, y)
}

func (complexes[T]) arithmetic(op token.Token, x, y value, _ *site) any {
	if op == token.QUO {
		left, right := x.f.(func(frame) T), y.f.(func(frame) T)
		return func(f frame) T { return left(f) / right(f) }
	}
	return common[T](op, x, y)
}

// assignCommon compiles a op= y for what is worth a closure of its own.
func assignCommon[T number](op token.Token, a access, y value) func(frame) {
	if a.mode == modeFrame {
		return assignLocal[T](op, a.offset, y)
	}
	get, address := y.f.(func(frame) T), a.address()
	switch op {
	case token.ADD:
		return func(f frame) {
			v := get(f)
			*(*T)(address(f)) += v
		}
	case token.SUB:
		return func(f frame) {
			v := get(f)
			*(*T)(address(f)) -= v
		}
	case token.MUL:
		return func(f frame) {
			v := get(f)
			*(*T)(address(f)) *= v
		}
	}
	return nil
}

func assignLocal[T number](op token.Token, offset uintptr, y value) func(frame) {
	if y.form == formConst {
		k := y.konst.(T)
		switch op {
		case token.ADD:
			return func(f frame) { *at[T](f, offset) += k }
		case token.SUB:
			return func(f frame) { *at[T](f, offset) -= k }
		}
	}
	get := y.f.(func(frame) T)
	switch op {
	case token.ADD:
		if y.form == formLocal {
			from := y.slot
			return func(f frame) { *at[T](f, offset) += *at[T](f, from) }
		}
		return func(f frame) { v := get(f); *at[T](f, offset) += v }
	case token.SUB:
		return func(f frame) { v := get(f); *at[T](f, offset) -= v }
	case token.MUL:
		return func(f frame) { v := get(f); *at[T](f, offset) *= v }
	}
	return nil
}

// binaryFunc returns the operation as a function of two numbers.
func (integers[T]) binaryFunc(op token.Token, s *site) func(frame, T, T) T {
	switch op {
	case token.AND:
		return func(_ frame, x, y T) T { return x & y }
	case token.OR:
		return func(_ frame, x, y T) T { return x | y }
	case token.XOR:
		return func(_ frame, x, y T) T { return x ^ y }
	case token.AND_NOT:
		return func(_ frame, x, y T) T { return x &^ y }
	case token.QUO:
		return func(f frame, x, y T) T {
			if y == 0 {
				panicDivide(f, s)
			}
			return x / y
		}
	}
	return func(f frame, x, y T) T {
		if y == 0 {
			panicDivide(f, s)
		}
		return x % y
	}
}

// apply compiles a op= y by a function.
func apply[T comparable](a access, y value, operation func(f frame, x, y T) T) func(frame) {
	get, address := y.f.(func(frame) T), a.address()
	return func(f frame) {
		v := get(f)
		p := (*T)(address(f))
		*p = operation(f, *p, v)
	}
}

func (o integers[T]) assign(op token.Token, a access, y value, s *site) func(frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, o.binaryFunc(op, s))
}

func (floats[T]) assign(op token.Token, a access, y value, _ *site) func(frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, func(_ frame, x, y T) T { return x / y })
}

func (complexes[T]) assign(op token.Token, a access, y value, _ *site) func(frame) {
	if step := assignCommon[T](op, a, y); step != nil {
		return step
	}
	return apply(a, y, func(_ frame, x, y T) T { return x / y })
}

// order compiles a comparison of ordered values.
func order[T ordered](op token.Token, x, y value) func(frame) bool {
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

func (integers[T]) compare(op token.Token, x, y value) func(frame) bool { return order[T](op, x, y) }
func (floats[T]) compare(op token.Token, x, y value) func(frame) bool   { return order[T](op, x, y) }

func (complexes[T]) compare(op token.Token, x, y value) func(frame) bool {
	left, right := x.f.(func(frame) T), y.f.(func(frame) T)
	if op == token.EQL {
		return func(f frame) bool { return left(f) == right(f) }
	}
	return func(f frame) bool { return left(f) != right(f) }
}

func negate[T number](x value) any {
	get := x.f.(func(frame) T)
	return func(f frame) T { return -get(f) }
}

func (integers[T]) negate(x value) any  { return negate[T](x) }
func (floats[T]) negate(x value) any    { return negate[T](x) }
func (complexes[T]) negate(x value) any { return negate[T](x) }

func complement[T integer](x value) any {
	get := x.f.(func(frame) T)
	return func(f frame) T { return ^get(f) }
}

// toIndex returns -1 for indices that int does not hold.
func (integers[T]) toIndex(x value) func(frame) int {
	get := x.f.(func(frame) T)
	return func(f frame) int {
		v := get(f)
		if i := int(v); T(i) == v && (i < 0) == (v < 0) {
			return i
		}
		headerOf(f).thread.index = uint64(v)
		return tooLarge
	}
}

func (floats[T]) toIndex(value) func(frame) int    { return nil }
func (complexes[T]) toIndex(value) func(frame) int { return nil }

// shiftCount returns the count of a shift, the largest one for those that are as good as infinite.
func (integers[T]) shiftCount(x value, s *site) func(frame) uint {
	get := x.f.(func(frame) T)
	return func(f frame) uint {
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

func (floats[T]) shiftCount(value, *site) func(frame) uint    { return nil }
func (complexes[T]) shiftCount(value, *site) func(frame) uint { return nil }

func (integers[T]) shift(op token.Token, x, count value, s *site) any {
	get := x.f.(func(frame) T)
	if count.form == formConst {
		if k := uint(toInt(count.konst)); op == token.SHL {
			return func(f frame) T { return get(f) << k }
		} else {
			return func(f frame) T { return get(f) >> k }
		}
	}
	n := numberOps(count.typ.class).shiftCount(count, s)
	if op == token.SHL {
		return func(f frame) T {
			v := get(f)
			return v << n(f)
		}
	}
	return func(f frame) T {
		v := get(f)
		return v >> n(f)
	}
}

func (floats[T]) shift(token.Token, value, value, *site) any    { return nil }
func (complexes[T]) shift(token.Token, value, value, *site) any { return nil }
