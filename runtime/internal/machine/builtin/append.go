package builtin

import (
	"unsafe"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// AppendScalar compiles append of one element that is not a struct or an array. The typed forms
// avoid a call for the store; the default serves the remaining classes, which contain no pointers.
//
// The list of classes is that of frequent element types. A class with pointers must be in it,
// because only a typed store has the write barrier.
func AppendScalar(elem *machine.Type, get func(machine.Frame) machine.Slice, x operation.Value) func(machine.Frame) machine.Slice {
	switch elem.Class {
	case machine.ClassInt:
		return appendOne[int](elem, get, x)
	case machine.ClassFloat64:
		return appendOne[float64](elem, get, x)
	case machine.ClassString:
		return appendOne[string](elem, get, x)
	case machine.ClassPointer:
		return appendOne[unsafe.Pointer](elem, get, x)
	case machine.ClassUint8:
		return appendOne[uint8](elem, get, x)
	case machine.ClassInt32:
		return appendOne[int32](elem, get, x)
	case machine.ClassIface:
		return appendOne[machine.Iface](elem, get, x)
	case machine.ClassSlice:
		return appendOne[machine.Slice](elem, get, x)
	}
	// The element is first stored in a Go variable, since a put to the array itself would evaluate it
	// after growing.
	put, size, r := operation.Put(x), elem.Size, elem.RType
	return func(f machine.Frame) machine.Slice {
		v := get(f)
		var room [2]uint64 // the remaining classes contain no pointers
		put(f, unsafe.Pointer(&room))
		if v.Len == v.Cap {
			v = machine.GrowSlice(r, v, 1)
		}
		copy(unsafe.Slice((*byte)(unsafe.Add(v.Ptr, uintptr(v.Len)*size)), size), unsafe.Slice((*byte)(unsafe.Pointer(&room)), size))
		v.Len++
		return v
	}
}

// appendOne compiles append of one element of type T. The element is computed before the slice
// grows, because computing it may use the same array. If the slice has room, the element is stored
// in the shared array, as the language specifies.
//
// GrowSlice has the growth rule of the runtime, so that capacities, which programs print, agree
// with compiled Go.
//
//go:noinline
func appendOne[T any](elem *machine.Type, get func(machine.Frame) machine.Slice, x operation.Value) func(machine.Frame) machine.Slice {
	element, r := x.F.(func(machine.Frame) T), elem.RType
	return func(f machine.Frame) machine.Slice {
		v := get(f)
		k := element(f)
		if v.Len == v.Cap {
			v = machine.GrowSlice(r, v, 1)
		}
		*machine.At[T](v.Ptr, uintptr(v.Len)*unsafe.Sizeof(k)) = k
		v.Len++
		return v
	}
}

// AppendSlice compiles append(x, y...). elem describes the elements.
//
// Large requests are checked with the host like those of make. Without elements to append, the
// result is the operand itself, which may be nil.
//
//go:noinline
func AppendSlice(m *machine.Machine, elem *machine.Type, get func(machine.Frame) machine.Slice, y operation.Value, s *machine.Site) func(machine.Frame) machine.Slice {
	r, size := elem.RType, elem.Size
	from := Elements(y)
	return func(f machine.Frame) machine.Slice {
		v := get(f)
		w := from(f)
		if w.Len == 0 {
			return v
		}
		at := v.Len
		if v.Len+w.Len < 0 {
			machine.Raise(f, s, machine.RuntimeError("growslice: len out of range"))
		}
		if v.Len+w.Len > v.Cap {
			machine.Fail(f, s)
			m.Room(v.Len+w.Len, size, "growslice: len out of range")
			v = machine.GrowSlice(r, v, w.Len)
		}
		v.Len = at + w.Len
		machine.TypedCopy(r, machine.Slice{Ptr: unsafe.Add(v.Ptr, uintptr(at)*size), Len: w.Len, Cap: w.Len}, w)
		return v
	}
}

// Elements compiles to a slice, or to the bytes of a string, which must not be modified.
//
// Append and copy accept a string for a slice of bytes, and neither writes to its source.
func Elements(y operation.Value) func(machine.Frame) machine.Slice {
	if y.Type.Class == machine.ClassString {
		text := y.F.(func(machine.Frame) string)
		return func(f machine.Frame) machine.Slice {
			s := text(f)
			return machine.Slice{Ptr: unsafe.Pointer(unsafe.StringData(s)), Len: len(s), Cap: len(s)}
		}
	}
	return y.F.(func(machine.Frame) machine.Slice)
}
