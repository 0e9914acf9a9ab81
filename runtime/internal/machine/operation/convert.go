package operation

import (
	"go/constant"
	"math"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// realNumber is the constraint of numbers that can be converted to one another.
type realNumber interface{ integer | float }

// cast compiles a conversion between real numbers. Conversions that do not fit have the result of
// Go's own conversion, which for floats to integers depends on the architecture.
//
// An element of a slice in a local variable is read here, because conversions of elements, such as
// float64(row[j]), are frequent in loops over float32.
func cast[F, T realNumber](x Value) any {
	if x.Form == FormLocal {
		slot := x.Slot
		return func(f machine.Frame) T { return T(*machine.At[F](f, slot)) }
	}
	if e := x.Elem; e != nil && e.index == nil {
		xs, is, plus, s := e.slot, e.near.slot, e.near.plus, e.site
		return func(f machine.Frame) T {
			v, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
			if uint(i) >= uint(v.Len) {
				machine.PanicIndex(f, s, i, v.Len)
			}
			return T(*machine.At[F](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(F))))
		}
	}
	get := x.F.(func(machine.Frame) F)
	return func(f machine.Frame) T { return T(get(f)) }
}

// castTo compiles the conversion of a number of type F to the class of another real number. It
// returns nil for other classes.
func castTo[F realNumber](to machine.Class, x Value) any {
	switch to {
	case machine.ClassInt:
		return cast[F, int](x)
	case machine.ClassInt8:
		return cast[F, int8](x)
	case machine.ClassInt16:
		return cast[F, int16](x)
	case machine.ClassInt32:
		return cast[F, int32](x)
	case machine.ClassInt64:
		return cast[F, int64](x)
	case machine.ClassUint:
		return cast[F, uint](x)
	case machine.ClassUint8:
		return cast[F, uint8](x)
	case machine.ClassUint16:
		return cast[F, uint16](x)
	case machine.ClassUint32:
		return cast[F, uint32](x)
	case machine.ClassUint64:
		return cast[F, uint64](x)
	case machine.ClassUintptr:
		return cast[F, uintptr](x)
	case machine.ClassFloat32:
		return cast[F, float32](x)
	case machine.ClassFloat64:
		return cast[F, float64](x)
	}
	return nil
}

// Convert compiles the conversion of an integer to another number, to a string with one code point,
// or to unsafe.Pointer.
func (integers[T]) Convert(to machine.Class, x Value) any {
	switch to {
	case machine.ClassString:
		get := x.F.(func(machine.Frame) T)
		return func(f machine.Frame) string {
			v := get(f)
			if r := rune(v); T(r) == v && (r < 0) == (v < 0) {
				return string(r)
			}
			return "\uFFFD"
		}
	case machine.ClassPointer: // uintptr to unsafe.Pointer
		get := x.F.(func(machine.Frame) T)
		return func(f machine.Frame) unsafe.Pointer {
			// go vet rejects the direct conversion. A uintptr does not keep an object alive, in
			// cells as in compiled Go.
			p := uintptr(get(f))
			return *(*unsafe.Pointer)(unsafe.Pointer(&p))
		}
	}
	return castTo[T](to, x)
}

func (floats[T]) Convert(to machine.Class, x Value) any { return castTo[T](to, x) }

func (complexes[T]) Convert(to machine.Class, x Value) any {
	get := x.F.(func(machine.Frame) T)
	if to == machine.ClassComplex64 {
		return func(f machine.Frame) complex64 { return complex64(get(f)) }
	}
	return func(f machine.Frame) complex128 { return complex128(get(f)) }
}

// ConstantValue converts a constant to the Go type of a class.
//
// The value is rounded to the type, as the specification says for the conversion of a constant to a
// floating-point type. The type checker has verified that it can be represented.
func ConstantValue(v constant.Value, c machine.Class) any {
	switch c {
	case machine.ClassBool:
		return constant.BoolVal(v)
	case machine.ClassString:
		return constant.StringVal(v)
	case machine.ClassFloat32:
		x, _ := constant.Float32Val(constant.ToFloat(v))
		return x
	case machine.ClassFloat64:
		x, _ := constant.Float64Val(constant.ToFloat(v))
		return x
	case machine.ClassComplex64:
		return complex64(complexOf(v))
	case machine.ClassComplex128:
		return complexOf(v)
	}
	v = constant.ToInt(v)
	i, exact := constant.Int64Val(v)
	if !exact {
		// A uint64 above the maximum of int64 keeps its bits in i.
		u, _ := constant.Uint64Val(v)
		i = int64(u)
	}
	return fromInt64(i, c)
}

func complexOf(v constant.Value) complex128 {
	v = constant.ToComplex(v)
	re, _ := constant.Float64Val(constant.Real(v))
	im, _ := constant.Float64Val(constant.Imag(v))
	return complex(re, im)
}

// fromInt64 converts an integer constant to the Go type of a class. The conversion cannot overflow,
// because the type checker has verified the constant. For a uint64, i has the bits of the value.
func fromInt64(i int64, c machine.Class) any {
	switch c {
	case machine.ClassInt:
		return int(i)
	case machine.ClassInt8:
		return int8(i)
	case machine.ClassInt16:
		return int16(i)
	case machine.ClassInt32:
		return int32(i)
	case machine.ClassInt64:
		return i
	case machine.ClassUint:
		return uint(i)
	case machine.ClassUint8:
		return uint8(i)
	case machine.ClassUint16:
		return uint16(i)
	case machine.ClassUint32:
		return uint32(i)
	case machine.ClassUint64:
		return uint64(i)
	case machine.ClassUintptr:
		return uintptr(i)
	}
	p := uintptr(i) // a constant converted to unsafe.Pointer
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

// ToInt converts an integer constant of any class to int. It returns TooLarge for values above the
// maximum of int.
func ToInt(k any) int {
	v := reflect.ValueOf(k)
	if v.CanUint() {
		if u := v.Uint(); u <= math.MaxInt {
			return int(u)
		}
		return machine.TooLarge
	}
	return int(v.Int())
}
