package machine

import (
	"go/constant"
	"math"
	"reflect"
	"unsafe"
)

// realNumber is the constraint of numbers that can be converted to one another.
type realNumber interface{ integer | float }

// cast compiles a conversion between real numbers. Conversions that do not fit have the result of
// Go's own conversion, which for floats to integers depends on the architecture.
func cast[F, T realNumber](x Value) any {
	if x.Form == FormLocal {
		slot := x.Slot
		return func(f Frame) T { return T(*At[F](f, slot)) }
	}
	if e := x.Elem; e != nil && e.index == nil {
		xs, is, plus, s := e.slot, e.near.slot, e.near.plus, e.site
		return func(f Frame) T {
			v, i := At[sequence](f, xs), *At[int](f, is)+plus
			if uint(i) >= uint(v.Len) {
				PanicIndex(f, s, i, v.Len)
			}
			return T(*At[F](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(F))))
		}
	}
	get := x.F.(func(Frame) F)
	return func(f Frame) T { return T(get(f)) }
}

// castTo compiles the conversion of a number of type F to the class of another real number. It
// returns nil for other classes.
func castTo[F realNumber](to Class, x Value) any {
	switch to {
	case ClassInt:
		return cast[F, int](x)
	case ClassInt8:
		return cast[F, int8](x)
	case ClassInt16:
		return cast[F, int16](x)
	case ClassInt32:
		return cast[F, int32](x)
	case ClassInt64:
		return cast[F, int64](x)
	case ClassUint:
		return cast[F, uint](x)
	case ClassUint8:
		return cast[F, uint8](x)
	case ClassUint16:
		return cast[F, uint16](x)
	case ClassUint32:
		return cast[F, uint32](x)
	case ClassUint64:
		return cast[F, uint64](x)
	case ClassUintptr:
		return cast[F, uintptr](x)
	case classFloat32:
		return cast[F, float32](x)
	case ClassFloat64:
		return cast[F, float64](x)
	}
	return nil
}

// Convert compiles the conversion of an integer to another number, to a string with one code point,
// or to unsafe.Pointer.
func (integers[T]) Convert(to Class, x Value) any {
	switch to {
	case ClassString:
		get := x.F.(func(Frame) T)
		return func(f Frame) string {
			v := get(f)
			if r := rune(v); T(r) == v && (r < 0) == (v < 0) {
				return string(r)
			}
			return "\uFFFD"
		}
	case ClassPointer: // uintptr to unsafe.Pointer
		get := x.F.(func(Frame) T)
		return func(f Frame) unsafe.Pointer {
			// go vet rejects the direct conversion. A uintptr does not keep an object alive, in
			// cells as in compiled Go.
			p := uintptr(get(f))
			return *(*unsafe.Pointer)(unsafe.Pointer(&p))
		}
	}
	return castTo[T](to, x)
}

func (floats[T]) Convert(to Class, x Value) any { return castTo[T](to, x) }

func (complexes[T]) Convert(to Class, x Value) any {
	get := x.F.(func(Frame) T)
	if to == ClassComplex64 {
		return func(f Frame) complex64 { return complex64(get(f)) }
	}
	return func(f Frame) complex128 { return complex128(get(f)) }
}

// Zeroes is read-only memory of zero bytes, used for zero values of types up to its size. Values of
// size zero have this address as well.
var Zeroes [1024]byte

// ConstantValue converts a constant to the Go type of a class.
func ConstantValue(v constant.Value, c Class) any {
	switch c {
	case ClassBool:
		return constant.BoolVal(v)
	case ClassString:
		return constant.StringVal(v)
	case classFloat32:
		x, _ := constant.Float32Val(constant.ToFloat(v))
		return x
	case ClassFloat64:
		x, _ := constant.Float64Val(constant.ToFloat(v))
		return x
	case ClassComplex64:
		return complex64(complexOf(v))
	case classComplex128:
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
// because the type checker has verified the constant.
func fromInt64(i int64, c Class) any {
	switch c {
	case ClassInt:
		return int(i)
	case ClassInt8:
		return int8(i)
	case ClassInt16:
		return int16(i)
	case ClassInt32:
		return int32(i)
	case ClassInt64:
		return i
	case ClassUint:
		return uint(i)
	case ClassUint8:
		return uint8(i)
	case ClassUint16:
		return uint16(i)
	case ClassUint32:
		return uint32(i)
	case ClassUint64:
		return uint64(i)
	case ClassUintptr:
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
		return TooLarge
	}
	return int(v.Int())
}
