package exec

import (
	"go/types"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// conversion compiles a conversion between types that are not interface types. Types of the same
// class differ only in their description: after type Celsius float64, the conversion Celsius(x)
// costs nothing at run time.
//
// Conversions between numbers are Go's own for the classes of the operands. They wrap around and
// round as the specification says, and where it leaves the result of a float conversion to the
// implementation, it is that of the architecture.
func (c *compiler) conversion(x operation.Value, to *machine.Type, s *machine.Site) operation.Value {
	from := x.Type
	switch {
	case from.Class == to.Class && from.Class != machine.ClassMemory:
		x.Type = to
		return x
	// Struct types that are identical except for tags, and array types with identical elements, have
	// the same layout.
	case from.Class == machine.ClassMemory && to.Class == machine.ClassMemory:
		x.Type = to
		return x
	}
	out := operation.Value{Type: to}
	switch {
	case from.Class == machine.ClassSlice && to.Type.Kind() == reflect.Array:
		return c.sliceToArray(x, to, s)
	case from.Class == machine.ClassSlice && to.Type.Kind() == reflect.Pointer:
		// The result points into the slice's own array. A nil slice becomes a nil pointer.
		get, n := x.F.(func(machine.Frame) machine.Slice), to.Type.Elem().Len()
		out.F = func(f machine.Frame) unsafe.Pointer {
			v := get(f)
			if v.Len < n {
				machine.PanicArray(f, s, v, n)
			}
			return v.Ptr
		}
	// Go's own conversions copy, and decode or encode UTF-8. A machine.Slice has the layout of a
	// slice, so the result only changes its type.
	case from.Class == machine.ClassString:
		get := x.F.(func(machine.Frame) string)
		if to.Type.Elem().Kind() == reflect.Int32 {
			out.F = func(f machine.Frame) machine.Slice { r := []rune(get(f)); return *(*machine.Slice)(unsafe.Pointer(&r)) }
		} else if x.Form == operation.FormConst {
			// gc copies the bytes of a constant from an array, so that the result has no spare
			// capacity and two appends to it do not share memory.
			text := x.Const.(string)
			out.F = func(machine.Frame) machine.Slice {
				b := make([]byte, len(text))
				copy(b, text)
				return *(*machine.Slice)(unsafe.Pointer(&b))
			}
		} else {
			out.F = func(f machine.Frame) machine.Slice { b := []byte(get(f)); return *(*machine.Slice)(unsafe.Pointer(&b)) }
		}
	case to.Class == machine.ClassString && from.Class == machine.ClassSlice:
		get := x.F.(func(machine.Frame) machine.Slice)
		if from.Type.Elem().Kind() == reflect.Int32 {
			out.F = func(f machine.Frame) string { v := get(f); return string(*(*[]rune)(unsafe.Pointer(&v))) }
		} else {
			out.F = func(f machine.Frame) string { v := get(f); return string(*(*[]byte)(unsafe.Pointer(&v))) }
		}
	// The frame holds the pointer until the function returns. The collector then does not free the
	// object while the integer is converted back, is an argument (go:uintptrescapes, system calls),
	// or is stored in the Data field of a reflect.SliceHeader or StringHeader. In the last case
	// Leave, which clears the slot with a write barrier, also replaces the barrier that the store of
	// an integer does not have.
	case from.Class == machine.ClassPointer && to.Class == machine.ClassUintptr:
		get, kept := x.F.(func(machine.Frame) unsafe.Pointer), c.temporary(c.pointerType())
		out.F = func(f machine.Frame) uintptr {
			p := get(f)
			*machine.At[unsafe.Pointer](f, kept) = p
			return uintptr(p)
		}
	default:
		out.F = operation.NumberOps(from.Class).Convert(to.Class, x)
	}
	return out
}

// sliceToArray compiles the conversion of a slice to an array. The value is read from the slice's
// own array; the expression's user copies it.
func (c *compiler) sliceToArray(x operation.Value, to *machine.Type, s *machine.Site) operation.Value {
	get, n := x.F.(func(machine.Frame) machine.Slice), to.Type.Len()
	return operation.Value{Type: to, Addr: func(f machine.Frame) unsafe.Pointer {
		v := get(f)
		if v.Len < n {
			machine.PanicArray(f, s, v, n)
		}
		// A nil slice has no address, and a value of ClassMemory must have one.
		if n == 0 {
			return unsafe.Pointer(&machine.Zeroes)
		}
		return v.Ptr
	}}
}

// The functions below return descriptions of frequent types.
func (c *compiler) intType() *machine.Type  { return c.typeOf(types.Typ[types.Int]) }
func (c *compiler) boolType() *machine.Type { return c.typeOf(types.Typ[types.Bool]) }

func (c *compiler) runeType() *machine.Type    { return c.typeOf(types.Typ[types.Int32]) }
func (c *compiler) pointerType() *machine.Type { return c.typeOf(types.Typ[types.UnsafePointer]) }
func (c *compiler) sliceType() *machine.Type   { return c.m.Describe(reflect.TypeFor[[]byte]()) }
