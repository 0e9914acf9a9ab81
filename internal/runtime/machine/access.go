package machine

import (
	"unsafe"
)

// An Access describes how to reach a variable, or a value in memory.
//
// For instance, x.f[2] of a local struct is ModeFrame with the sum of the offsets, p.f is
// ModePointer if p is a local, and s[i].f is ModeBase with the offset of f.
type Access struct {
	Mode   AccessMode
	Offset uintptr // of the variable, relative to the frame or the pointer
	// For ModeBox and ModePointer, Offset is relative to the pointer in Slot.
	Slot  uintptr // offset of the pointer in the frame, or in the captured variables
	Fixed unsafe.Pointer
	Base  func(Frame) unsafe.Pointer
	Site  *Site
	Type  *Type
}

// An AccessMode says where the variable of an [Access] is.
type AccessMode uint8

const (
	ModeFrame   AccessMode = iota // in the frame
	ModeBox                       // at a pointer in the frame that is never nil
	ModePointer                   // at a pointer in the frame that may be nil
	ModeCapture                   // at a pointer in the captured variables that is never nil
	ModeFixed                     // at a fixed address
	ModeBase                      // at a computed address
)

// captured returns the pointer to the heap cell of a captured variable.
func captured(f Frame, slot uintptr) unsafe.Pointer {
	return *At[unsafe.Pointer](*At[unsafe.Pointer](f, EnvOffset), slot)
}

// Address returns a function that computes the address.
func (a Access) Address() func(Frame) unsafe.Pointer {
	offset, slot, base := a.Offset, a.Slot, a.Base
	switch a.Mode {
	case ModeFrame:
		return func(f Frame) unsafe.Pointer { return unsafe.Add(f, offset) }
	case ModeBox:
		return func(f Frame) unsafe.Pointer { return unsafe.Add(*At[unsafe.Pointer](f, slot), offset) }
	case ModeCapture:
		return func(f Frame) unsafe.Pointer { return unsafe.Add(captured(f, slot), offset) }
	case ModePointer:
		s := a.Site
		return func(f Frame) unsafe.Pointer {
			p := *At[unsafe.Pointer](f, slot)
			if p == nil {
				PanicNil(f, s)
			}
			return unsafe.Add(p, offset)
		}
	case ModeFixed:
		p := unsafe.Add(a.Fixed, offset)
		return func(Frame) unsafe.Pointer { return p }
	}
	if offset == 0 {
		return base
	}
	return func(f Frame) unsafe.Pointer { return unsafe.Add(base(f), offset) }
}

// PointTo returns a step that stores a pointer to the variable in a slot of the frame.
func PointTo(slot uintptr, a Access) func(Frame) {
	if a.Mode == ModeFrame {
		offset := a.Offset
		return func(f Frame) { *At[unsafe.Pointer](f, slot) = unsafe.Add(f, offset) }
	}
	address := a.Address()
	return func(f Frame) { *At[unsafe.Pointer](f, slot) = address(f) }
}

// Load returns a function that reads the variable. Each mode has its own closure, so that the
// common ones need no further call.
func Load[T any](a Access) func(Frame) T {
	offset, slot, base := a.Offset, a.Slot, a.Base
	switch a.Mode {
	case ModeFrame:
		return func(f Frame) T { return *At[T](f, offset) }
	case ModeBox:
		if offset == 0 {
			return func(f Frame) T { return *(*T)(*At[unsafe.Pointer](f, slot)) }
		}
		return func(f Frame) T { return *At[T](*At[unsafe.Pointer](f, slot), offset) }
	case ModeCapture:
		return func(f Frame) T { return *At[T](captured(f, slot), offset) }
	case ModePointer:
		s := a.Site
		return func(f Frame) T {
			p := *At[unsafe.Pointer](f, slot)
			if p == nil {
				PanicNil(f, s)
			}
			return *At[T](p, offset)
		}
	case ModeFixed:
		p := (*T)(unsafe.Add(a.Fixed, offset))
		return func(Frame) T { return *p }
	}
	return func(f Frame) T { return *At[T](base(f), offset) }
}

// store returns a step that writes the value of x. The value is computed before the pointer is
// checked, as in compiled Go. x is evaluated completely before the destination is located, also
// because it may change the pointer.
func store[T any](a Access, x Value) func(Frame) {
	offset, slot, base := a.Offset, a.Slot, a.Base
	// The address of a variable in the frame cannot change, so these forms need no temporary.
	if a.Mode == ModeFrame {
		switch x.Form {
		case FormConst:
			k := x.Const.(T)
			return func(f Frame) { *At[T](f, offset) = k }
		case FormLocal:
			from := x.Slot
			return func(f Frame) { *At[T](f, offset) = *At[T](f, from) }
		}
	}
	get := x.F.(func(Frame) T)
	switch a.Mode {
	case ModeFrame:
		return func(f Frame) { *At[T](f, offset) = get(f) }
	case ModeBox:
		return func(f Frame) {
			v := get(f)
			*At[T](*At[unsafe.Pointer](f, slot), offset) = v
		}
	case ModeCapture:
		if x.Form == FormConst {
			k := x.Const.(T)
			return func(f Frame) { *At[T](captured(f, slot), offset) = k }
		}
		return func(f Frame) {
			v := get(f)
			*At[T](captured(f, slot), offset) = v
		}
	case ModePointer:
		s := a.Site
		return func(f Frame) {
			v := get(f)
			p := *At[unsafe.Pointer](f, slot)
			if p == nil {
				PanicNil(f, s)
			}
			*At[T](p, offset) = v
		}
	case ModeFixed:
		p := (*T)(unsafe.Add(a.Fixed, offset))
		return func(f Frame) { *p = get(f) }
	}
	return func(f Frame) {
		v := get(f)
		*At[T](base(f), offset) = v
	}
}

// A sequence is the beginning that slices and strings have in common.
type sequence struct {
	Ptr unsafe.Pointer
	Len int
}

// loadElem returns a function that reads an element of a slice, or a byte of a string. A slice in a
// local variable is read after the index has been computed, because computing the index may change
// it.
func loadElem[T any](x, index Value, s *Site) func(Frame) T {
	if n := index.near(); n != nil && x.Form == FormLocal {
		xs, is, plus := x.Slot, n.slot, n.plus
		return func(f Frame) T {
			v, i := At[sequence](f, xs), *At[int](f, is)+plus
			if uint(i) >= uint(v.Len) {
				PanicIndex(f, s, i, v.Len)
			}
			return *At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
		}
	}
	get := index.F.(func(Frame) int)
	if x.Form == FormLocal {
		xs := x.Slot
		return func(f Frame) T {
			i := get(f)
			v := At[sequence](f, xs)
			if uint(i) >= uint(v.Len) {
				PanicIndex(f, s, i, v.Len)
			}
			return *At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
		}
	}
	if x.Type.Class == ClassString {
		from := x.F.(func(Frame) string)
		return func(f Frame) T {
			v := from(f)
			i := get(f)
			if uint(i) >= uint(len(v)) {
				PanicIndex(f, s, i, len(v))
			}
			return *At[T](unsafe.Pointer(unsafe.StringData(v)), uintptr(i))
		}
	}
	from := x.F.(func(Frame) Slice)
	return func(f Frame) T {
		v := from(f)
		i := get(f)
		if uint(i) >= uint(v.Len) {
			PanicIndex(f, s, i, v.Len)
		}
		return *At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
	}
}

// at returns the element for a frame.
func at[T any](e *Elem, f Frame) T {
	var i int
	if e.index != nil {
		i = e.index(f)
	} else {
		i = *At[int](f, e.near.slot) + e.near.plus
	}
	v := At[sequence](f, e.slot)
	if uint(i) >= uint(v.Len) {
		PanicIndex(f, e.site, i, v.Len)
	}
	return *At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
}

// storeElem returns a step that writes an element of a slice. The value is computed first, then the
// slice and the index.
func storeElem[T any](x, index, v Value, s *Site) func(Frame) {
	get := v.F.(func(Frame) T)
	if n := index.near(); n != nil && x.Form == FormLocal {
		xs, is, plus := x.Slot, n.slot, n.plus
		return func(f Frame) {
			v := get(f)
			x, i := At[sequence](f, xs), *At[int](f, is)+plus
			if uint(i) >= uint(x.Len) {
				PanicIndex(f, s, i, x.Len)
			}
			*At[T](x.Ptr, uintptr(i)*unsafe.Sizeof(v)) = v
		}
	}
	from, at1 := x.F.(func(Frame) Slice), index.F.(func(Frame) int)
	return func(f Frame) {
		v := get(f)
		x, i := from(f), at1(f)
		if uint(i) >= uint(x.Len) {
			PanicIndex(f, s, i, x.Len)
		}
		*At[T](x.Ptr, uintptr(i)*unsafe.Sizeof(v)) = v
	}
}

// Clearer returns a step that sets a variable in the frame to zero. The variable may hold a value
// of an earlier iteration or, for words without pointers, of an earlier call.
func Clearer(offset uintptr, t *Type) func(Frame) {
	if t.Class != ClassMemory {
		return Classes[t.Class].Store(Access{Mode: ModeFrame, Offset: offset, Type: t}, Zero(t))
	}
	r := t.RType
	if t.Size == 0 {
		return func(Frame) {}
	}
	return func(f Frame) { TypedClear(r, unsafe.Add(f, offset)) }
}

// Zero returns the zero value of a type. Large values share memory that is never written.
func Zero(t *Type) Value {
	if t.Class != ClassMemory {
		return ConstantOf(t, Classes[t.Class].zero())
	}
	var p unsafe.Pointer
	if t.Size <= uintptr(len(Zeroes)) {
		p = unsafe.Pointer(&Zeroes)
	} else {
		// It is allocated once, when the expression is compiled.
		p = Malloc(t.Size, t.RType, true)
	}
	return Value{Type: t, Addr: func(Frame) unsafe.Pointer { return p }}
}
