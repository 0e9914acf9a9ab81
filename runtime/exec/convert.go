package exec

import (
	"go/constant"
	"go/types"
	"math"
	"reflect"
	"unsafe"
)

// real are the numbers that convert to one another.
type realNumber interface{ integer | float }

// cast compiles a conversion between real numbers.
func cast[F, T realNumber](x value) any {
	if x.form == formLocal {
		slot := x.slot
		return func(f frame) T { return T(*at[F](f, slot)) }
	}
	get := x.f.(func(frame) F)
	return func(f frame) T { return T(get(f)) }
}

func castTo[F realNumber](to class, x value) any {
	switch to {
	case classInt:
		return cast[F, int](x)
	case classInt8:
		return cast[F, int8](x)
	case classInt16:
		return cast[F, int16](x)
	case classInt32:
		return cast[F, int32](x)
	case classInt64:
		return cast[F, int64](x)
	case classUint:
		return cast[F, uint](x)
	case classUint8:
		return cast[F, uint8](x)
	case classUint16:
		return cast[F, uint16](x)
	case classUint32:
		return cast[F, uint32](x)
	case classUint64:
		return cast[F, uint64](x)
	case classUintptr:
		return cast[F, uintptr](x)
	case classFloat32:
		return cast[F, float32](x)
	case classFloat64:
		return cast[F, float64](x)
	}
	return nil
}

func (integers[T]) convert(to class, x value) any {
	switch to {
	case classString:
		get := x.f.(func(frame) T)
		return func(f frame) string {
			v := get(f)
			if r := rune(v); T(r) == v && (r < 0) == (v < 0) {
				return string(r)
			}
			return "\uFFFD"
		}
	case classPointer: // uintptr to unsafe.Pointer
		get := x.f.(func(frame) T)
		return func(f frame) unsafe.Pointer {
			p := uintptr(get(f))
			return *(*unsafe.Pointer)(unsafe.Pointer(&p))
		}
	}
	return castTo[T](to, x)
}

func (floats[T]) convert(to class, x value) any { return castTo[T](to, x) }

func (complexes[T]) convert(to class, x value) any {
	get := x.f.(func(frame) T)
	if to == classComplex64 {
		return func(f frame) complex64 { return complex64(get(f)) }
	}
	return func(f frame) complex128 { return complex128(get(f)) }
}

// conversion compiles a conversion that is no conversion to an interface type.
func (c *compiler) conversion(x value, to *typ, s *site) value {
	from := x.typ
	switch {
	case from.class == to.class && from.class != classMemory:
		x.typ = to
		return x
	case from.class == classMemory && to.class == classMemory:
		x.typ = to
		return x
	}
	out := value{typ: to}
	switch {
	case from.class == classSlice && to.Type.Kind() == reflect.Array:
		return c.sliceToArray(x, to, s)
	case from.class == classSlice && to.Type.Kind() == reflect.Pointer:
		get, n := x.f.(func(frame) slice), to.Type.Elem().Len()
		out.f = func(f frame) unsafe.Pointer {
			v := get(f)
			if v.len < n {
				panicArray(f, s, v, n)
			}
			return v.ptr
		}
	case from.class == classString:
		get := x.f.(func(frame) string)
		if to.Type.Elem().Kind() == reflect.Int32 {
			out.f = func(f frame) slice { r := []rune(get(f)); return *(*slice)(unsafe.Pointer(&r)) }
		} else {
			out.f = func(f frame) slice { b := []byte(get(f)); return *(*slice)(unsafe.Pointer(&b)) }
		}
	case to.class == classString && from.class == classSlice:
		get := x.f.(func(frame) slice)
		if from.Type.Elem().Kind() == reflect.Int32 {
			out.f = func(f frame) string { v := get(f); return string(*(*[]rune)(unsafe.Pointer(&v))) }
		} else {
			out.f = func(f frame) string { v := get(f); return string(*(*[]byte)(unsafe.Pointer(&v))) }
		}
	case from.class == classPointer && to.class == classUintptr:
		get := x.f.(func(frame) unsafe.Pointer)
		out.f = func(f frame) uintptr { return uintptr(get(f)) }
	default:
		out.f = numberOps(from.class).convert(to.class, x)
	}
	return out
}

func (c *compiler) sliceToArray(x value, to *typ, s *site) value {
	get, n := x.f.(func(frame) slice), to.Type.Len()
	return value{typ: to, addr: func(f frame) unsafe.Pointer {
		v := get(f)
		if v.len < n {
			panicArray(f, s, v, n)
		}
		if n == 0 {
			return unsafe.Pointer(&zeroes)
		}
		return v.ptr
	}}
}

// zeroes is memory of zero bytes for values of large types that are zero.
var zeroes [1024]byte

// constantValue converts a constant to the Go type of a class.
func constantValue(v constant.Value, c class) any {
	switch c {
	case classBool:
		return constant.BoolVal(v)
	case classString:
		return constant.StringVal(v)
	case classFloat32:
		x, _ := constant.Float32Val(constant.ToFloat(v))
		return x
	case classFloat64:
		x, _ := constant.Float64Val(constant.ToFloat(v))
		return x
	case classComplex64:
		return complex64(complexOf(v))
	case classComplex128:
		return complexOf(v)
	}
	v = constant.ToInt(v)
	i, exact := constant.Int64Val(v)
	if !exact {
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

func fromInt64(i int64, c class) any {
	switch c {
	case classInt:
		return int(i)
	case classInt8:
		return int8(i)
	case classInt16:
		return int16(i)
	case classInt32:
		return int32(i)
	case classInt64:
		return i
	case classUint:
		return uint(i)
	case classUint8:
		return uint8(i)
	case classUint16:
		return uint16(i)
	case classUint32:
		return uint32(i)
	case classUint64:
		return uint64(i)
	case classUintptr:
		return uintptr(i)
	}
	p := uintptr(i) // a constant converted to unsafe.Pointer
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

// toInt converts an integer constant of any class to int; those that int does not hold become -1.
func toInt(k any) int {
	v := reflect.ValueOf(k)
	if v.CanUint() {
		if u := v.Uint(); u <= math.MaxInt {
			return int(u)
		}
		return tooLarge
	}
	return int(v.Int())
}

// intType is the type int.
func (c *compiler) intType() *typ  { return c.typeOf(types.Typ[types.Int]) }
func (c *compiler) boolType() *typ { return c.typeOf(types.Typ[types.Bool]) }

func (c *compiler) runeType() *typ    { return c.typeOf(types.Typ[types.Int32]) }
func (c *compiler) pointerType() *typ { return c.typeOf(types.Typ[types.UnsafePointer]) }
func (c *compiler) sliceType() *typ   { return c.m.describe(reflect.TypeFor[[]byte]()) }
