package builtin

import (
	"math"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// Make compiles make for a type and the sizes that are given. The result is a function for the
// class of the type. Large requests are checked with the host first: it refuses a request with an
// error of the cell, where the runtime would end the process with "out of memory".
func Make(m *machine.Machine, t *machine.Type, sizes []func(machine.Frame) int, s *machine.Site) any {
	r := t.RType
	switch t.Type.Kind() {
	case reflect.Map:
		hint := func(machine.Frame) int { return 0 }
		if len(sizes) > 0 {
			hint = sizes[0]
		}
		entry := t.Type.Key().Size() + t.Type.Elem().Size()
		return func(f machine.Frame) unsafe.Pointer {
			n := hint(f)
			machine.Fail(f, s)
			// The size of make for a map is a hint: the runtime ignores a negative one that is not
			// constant.
			return machine.MakeMap(r, max(m.Room(n, entry, ""), 0), nil)
		}
	case reflect.Chan:
		size := func(machine.Frame) int { return 0 }
		if len(sizes) > 0 {
			size = sizes[0]
		}
		entry := t.Type.Elem().Size()
		return func(f machine.Frame) unsafe.Pointer {
			n := size(f)
			machine.Fail(f, s)
			// The panic of the runtime for a size that no channel can have has no prefix.
			if n > 0 && m.Room(n, entry, "") == 0 {
				n = -1
			}
			return machine.MakeChan(r, n)
		}
	}
	elem, size, length := machine.RTypeOf(t.Type.Elem()), t.Type.Elem().Size(), sizes[0]
	if len(sizes) == 1 {
		return func(f machine.Frame) machine.Slice {
			n := length(f)
			machine.Fail(f, s)
			m.Room(n, size, "makeslice: len out of range")
			// MakeSlice returns zeroed memory that the collector knows the element type of.
			return machine.Slice{Ptr: machine.MakeSlice(elem, n, n), Len: n, Cap: n}
		}
	}
	capacity := sizes[1]
	return func(f machine.Frame) machine.Slice {
		n := length(f)
		k := capacity(f)
		machine.Fail(f, s)
		// Otherwise MakeSlice panics. The runtime reports a length that no slice can have before such
		// a capacity.
		if n >= 0 && n <= k {
			m.Room(n, size, "makeslice: len out of range")
			m.Room(k, size, "makeslice: cap out of range")
		}
		return machine.Slice{Ptr: machine.MakeSlice(elem, n, k), Len: n, Cap: k}
	}
}

// Data compiles unsafe.SliceData and unsafe.StringData.
func Data(x operation.Value) func(machine.Frame) unsafe.Pointer {
	get := Elements(x)
	return func(f machine.Frame) unsafe.Pointer { return get(f).Ptr }
}

// UnsafeString compiles unsafe.String. Go's own function panics if the length is negative or the
// pointer is nil.
//
//go:noinline
func UnsafeString(pointer func(machine.Frame) unsafe.Pointer, number func(machine.Frame) int, s *machine.Site) func(machine.Frame) string {
	return func(f machine.Frame) string {
		p := pointer(f)
		n := number(f)
		machine.Fail(f, s)
		return unsafe.String((*byte)(p), n)
	}
}

// UnsafeSlice compiles unsafe.Slice for elements of a size. Go's own function needs the type of the
// elements, which is not a type of this program, so its checks are written out here. They are those
// of compiled Go without -d=checkptr.
func UnsafeSlice(pointer func(machine.Frame) unsafe.Pointer, number func(machine.Frame) int, size uintptr, s *machine.Site) func(machine.Frame) machine.Slice {
	return func(f machine.Frame) machine.Slice {
		p := pointer(f)
		n := number(f)
		// The last condition is that of compiled Go: the slice may end at the end of the address
		// space, but not beyond it.
		if n < 0 || size > 0 && uintptr(n) > math.MaxInt/size || uintptr(n)*size > -uintptr(p) && p != nil {
			machine.Raise(f, s, machine.RuntimeError("unsafe.Slice: len out of range"))
		}
		if p == nil && n > 0 {
			machine.Raise(f, s, machine.RuntimeError("unsafe.Slice: ptr is nil and len is not zero"))
		}
		return machine.Slice{Ptr: p, Len: n, Cap: n}
	}
}
