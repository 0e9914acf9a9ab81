package operation

import (
	"unsafe"

	"gosphere/runtime/internal/machine"
)

// An Access describes how to reach a variable, or a value in memory.
//
// For instance, x.f[2] of a local struct is ModeFrame with the sum of the offsets, p.f is
// ModePointer if p is a local, and s[i].f is ModeBase with the offset of f.
//
// An access is used while code is compiled and copied freely. The closures made from it contain
// only the fields that its mode needs.
type Access struct {
	Mode   AccessMode
	Offset uintptr // of the variable, relative to the frame or the pointer
	// For ModeBox and ModePointer, Offset is relative to the pointer in Slot.
	Slot  uintptr // offset of the pointer in the frame, or in the captured variables
	Env   uintptr // ModeCapture: offset of the pointer to the captured variables in the frame
	Fixed unsafe.Pointer
	Base  func(machine.Frame) unsafe.Pointer
	Site  *machine.Site
	Type  *machine.Type
	// For ModeElem, Slot is the offset of the slice in the frame, Index describes the index, and
	// Size is the size of an element. Base computes the address of the element.
	Index Near
	Size  uintptr
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
	ModeElem                      // in an element of a slice in the frame, whose index is near a variable
)

// captured returns the pointer to the heap cell of a captured variable. env is the offset in the
// frame of the pointer to the captured variables.
func captured(f machine.Frame, env, slot uintptr) unsafe.Pointer {
	return *machine.At[unsafe.Pointer](*machine.At[unsafe.Pointer](f, env), slot)
}

// Address returns a function that computes the address.
//
// A nil pointer is detected here even if the offset would lead to a valid address. Taking the
// address of a field of a nil pointer panics in compiled Go as well.
//
//go:noinline
func (a Access) Address() func(machine.Frame) unsafe.Pointer {
	offset, slot, env, base := a.Offset, a.Slot, a.Env, a.Base
	switch a.Mode {
	case ModeFrame:
		return func(f machine.Frame) unsafe.Pointer { return unsafe.Add(f, offset) }
	case ModeBox:
		return func(f machine.Frame) unsafe.Pointer { return unsafe.Add(*machine.At[unsafe.Pointer](f, slot), offset) }
	case ModeCapture:
		return func(f machine.Frame) unsafe.Pointer { return unsafe.Add(captured(f, env, slot), offset) }
	case ModePointer:
		s := a.Site
		return func(f machine.Frame) unsafe.Pointer {
			p := *machine.At[unsafe.Pointer](f, slot)
			if p == nil {
				machine.PanicNil(f, s)
			}
			return unsafe.Add(p, offset)
		}
	case ModeFixed:
		p := unsafe.Add(a.Fixed, offset)
		return func(machine.Frame) unsafe.Pointer { return p }
	}
	if offset == 0 {
		return base
	}
	if a.Mode == ModeElem {
		return a.elemAddress()
	}
	return func(f machine.Frame) unsafe.Pointer { return unsafe.Add(base(f), offset) }
}

// ElemOf returns the access to an element of a slice if the slice is in the frame and the index is
// near a variable. It returns false for others.
func ElemOf(x, index Value, elem *machine.Type, s *machine.Site) (a Access, ok bool) {
	n := index.near()
	if x.Form != FormLocal || n == nil {
		return Access{}, false
	}
	a = Access{Mode: ModeElem, Slot: x.Slot, Index: *n, Size: elem.Size, Site: s, Type: elem}
	a.Base = a.elemAddress()
	return a, true
}

// elemAddress is Address for ModeElem.
//
//go:noinline
func (a Access) elemAddress() func(machine.Frame) unsafe.Pointer {
	slot, is, plus, size, offset, s := a.Slot, a.Index.slot, a.Index.plus, a.Size, a.Offset, a.Site
	return func(f machine.Frame) unsafe.Pointer {
		v, i := machine.At[sequence](f, slot), *machine.At[int](f, is)+plus
		if uint(i) >= uint(v.Len) {
			machine.PanicIndex(f, s, i, v.Len)
		}
		return unsafe.Add(v.Ptr, uintptr(i)*size+offset)
	}
}

// A Pointed is a variable at a pointer in the frame that may be nil, such as a field of a struct.
// Some operations read it themselves, which saves a call.
type Pointed struct {
	slot, offset uintptr
	site         *machine.Site
}

// pointed returns the variable of an access with ModePointer.
func (a Access) pointed() *Pointed { return &Pointed{a.Slot, a.Offset, a.Site} }

// address returns the address of the variable. It panics if the pointer is nil.
func (p *Pointed) address(f machine.Frame) unsafe.Pointer {
	v := *(*unsafe.Pointer)(unsafe.Add(f, p.slot)) // At would make this too large to be inlined
	if v == nil {
		p.fail(f)
	}
	return unsafe.Add(v, p.offset)
}

//go:noinline
func (p *Pointed) fail(f machine.Frame) { machine.PanicNil(f, p.site) }

// Read returns the value of a variable. A variable in the frame is marked as such, so that users of
// the value can read it without a call.
//
// FormLocal is a promise about the frame of this function, so a captured variable does not have it.
func (a Access) Read() Value {
	if a.Type.Class == machine.ClassMemory {
		return Value{Type: a.Type, Addr: a.Address()}
	}
	v := Value{Type: a.Type, F: Classes[a.Type.Class].Load(a)}
	switch a.Mode {
	case ModeFrame:
		v.Form, v.Slot = FormLocal, a.Offset
	case ModePointer:
		v.Pointed = a.pointed()
	}
	return v
}

// PointTo returns a step that stores a pointer to the variable in a slot of the frame.
//
//go:noinline
func PointTo(slot uintptr, a Access) func(machine.Frame) {
	if a.Mode == ModeFrame {
		offset := a.Offset
		return func(f machine.Frame) { *machine.At[unsafe.Pointer](f, slot) = unsafe.Add(f, offset) }
	}
	address := a.Address()
	return func(f machine.Frame) { *machine.At[unsafe.Pointer](f, slot) = address(f) }
}

// Load returns a function that reads the variable. Each mode has its own closure, so that the
// common ones need no further call.
//
// T is the Go type of the class. The variable may have a declared type of the same layout.
func Load[T any](a Access) func(machine.Frame) T {
	offset, slot, env, base := a.Offset, a.Slot, a.Env, a.Base
	switch a.Mode {
	case ModeFrame:
		return func(f machine.Frame) T { return *(*T)(unsafe.Add(f, offset)) }
	case ModeBox:
		if offset == 0 {
			return func(f machine.Frame) T { return *(*T)(*machine.At[unsafe.Pointer](f, slot)) }
		}
		return func(f machine.Frame) T { return *machine.At[T](*machine.At[unsafe.Pointer](f, slot), offset) }
	case ModeCapture:
		return func(f machine.Frame) T { return *machine.At[T](captured(f, env, slot), offset) }
	case ModePointer:
		s := a.Site
		return func(f machine.Frame) T {
			p := *machine.At[unsafe.Pointer](f, slot)
			if p == nil {
				machine.PanicNil(f, s)
			}
			return *(*T)(unsafe.Add(p, offset))
		}
	case ModeFixed:
		p := (*T)(unsafe.Add(a.Fixed, offset))
		return func(machine.Frame) T { return *p }
	case ModeElem:
		is, plus, size, s := a.Index.slot, a.Index.plus, a.Size, a.Site
		return func(f machine.Frame) T {
			v, i := machine.At[sequence](f, slot), *machine.At[int](f, is)+plus
			if uint(i) >= uint(v.Len) {
				machine.PanicIndex(f, s, i, v.Len)
			}
			return *machine.At[T](v.Ptr, uintptr(i)*size+offset)
		}
	}
	return func(f machine.Frame) T { return *machine.At[T](base(f), offset) }
}

// store returns a step that writes the value of x. The value is computed before the pointer is
// checked, as in compiled Go. x is evaluated completely before the destination is located, also
// because it may change the pointer.
//
// Go's assignment on type T has the write barrier if T contains pointers, also for memory that is
// addressed by an unsafe.Pointer.
func store[T any](a Access, x Value) func(machine.Frame) {
	offset, slot, env, base := a.Offset, a.Slot, a.Env, a.Base
	// The address of a variable in the frame cannot change, so these forms need no temporary.
	if a.Mode == ModeFrame {
		switch x.Form {
		case FormConst:
			k := x.Const.(T)
			return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) = k }
		case FormLocal:
			from := x.Slot
			return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) = *(*T)(unsafe.Add(f, from)) }
		}
		if e := x.Elem; e != nil && e.index == nil {
			xs, is, plus, s := e.parts()
			return func(f machine.Frame) {
				v, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
				if uint(i) >= uint(v.Len) {
					machine.PanicIndex(f, s, i, v.Len)
				}
				*(*T)(unsafe.Add(f, offset)) = *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
			}
		} else if e != nil {
			return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) = at[T](e, f) }
		}
		if n := x.Near; n != nil {
			from, plus := n.slot, n.plus
			return func(f machine.Frame) { *machine.At[int](f, offset) = *machine.At[int](f, from) + plus }
		}
		if step := x.to(Destination{offset: offset}); step != nil {
			return step
		}
	}
	get := x.F.(func(machine.Frame) T)
	switch a.Mode {
	case ModeFrame:
		return func(f machine.Frame) { *(*T)(unsafe.Add(f, offset)) = get(f) }
	case ModeBox:
		return func(f machine.Frame) {
			v := get(f)
			*machine.At[T](*machine.At[unsafe.Pointer](f, slot), offset) = v
		}
	case ModeCapture:
		if x.Form == FormConst {
			k := x.Const.(T)
			return func(f machine.Frame) { *machine.At[T](captured(f, env, slot), offset) = k }
		}
		return func(f machine.Frame) {
			v := get(f)
			*machine.At[T](captured(f, env, slot), offset) = v
		}
	case ModePointer:
		s := a.Site
		return func(f machine.Frame) {
			v := get(f)
			p := *machine.At[unsafe.Pointer](f, slot)
			if p == nil {
				machine.PanicNil(f, s)
			}
			*(*T)(unsafe.Add(p, offset)) = v
		}
	case ModeFixed:
		p := (*T)(unsafe.Add(a.Fixed, offset))
		return func(f machine.Frame) { *p = get(f) }
	case ModeElem:
		is, plus, size, s := a.Index.slot, a.Index.plus, a.Size, a.Site
		return func(f machine.Frame) {
			v := get(f)
			x, i := machine.At[sequence](f, slot), *machine.At[int](f, is)+plus
			if uint(i) >= uint(x.Len) {
				machine.PanicIndex(f, s, i, x.Len)
			}
			*machine.At[T](x.Ptr, uintptr(i)*size+offset) = v
		}
	}
	return func(f machine.Frame) {
		v := get(f)
		*machine.At[T](base(f), offset) = v
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
//
// The index is compared as an unsigned number, which rejects negative ones with the same
// comparison.
func loadElem[T any](x, index Value, s *machine.Site) func(machine.Frame) T {
	if n := index.near(); n != nil && x.Form == FormLocal {
		xs, is, plus := x.Slot, n.slot, n.plus
		return func(f machine.Frame) T {
			v, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
			if uint(i) >= uint(v.Len) {
				machine.PanicIndex(f, s, i, v.Len)
			}
			return *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
		}
	}
	get := index.F.(func(machine.Frame) int)
	if x.Form == FormLocal {
		xs := x.Slot
		return func(f machine.Frame) T {
			i := get(f)
			v := machine.At[sequence](f, xs)
			if uint(i) >= uint(v.Len) {
				machine.PanicIndex(f, s, i, v.Len)
			}
			return *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
		}
	}
	if x.Type.Class == machine.ClassString {
		from := x.F.(func(machine.Frame) string)
		return func(f machine.Frame) T {
			v := from(f)
			i := get(f)
			if uint(i) >= uint(len(v)) {
				machine.PanicIndex(f, s, i, len(v))
			}
			return *machine.At[T](unsafe.Pointer(unsafe.StringData(v)), uintptr(i))
		}
	}
	from := x.F.(func(machine.Frame) machine.Slice)
	return func(f machine.Frame) T {
		v := from(f)
		i := get(f)
		if uint(i) >= uint(v.Len) {
			machine.PanicIndex(f, s, i, v.Len)
		}
		return *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
	}
}

// parts returns what a closure needs of an element whose index is near a variable.
func (e *Elem) parts() (slice, index uintptr, plus int, s *machine.Site) {
	return e.slot, e.near.slot, e.near.plus, e.site
}

// at returns the element for a frame.
func at[T any](e *Elem, f machine.Frame) T {
	var i int
	if e.index != nil {
		i = e.index(f)
	} else {
		i = *machine.At[int](f, e.near.slot) + e.near.plus
	}
	v := machine.At[sequence](f, e.slot)
	if uint(i) >= uint(v.Len) {
		machine.PanicIndex(f, e.site, i, v.Len)
	}
	return *machine.At[T](v.Ptr, uintptr(i)*unsafe.Sizeof(*new(T)))
}

// storeElem returns a step that writes an element of a slice. The value is computed first, then the
// slice and the index.
//
// The order is that of ir.Assign: in a[i] = f(), the bounds are checked after f has been called.
func storeElem[T any](x, index, v Value, s *machine.Site) func(machine.Frame) {
	get := v.F.(func(machine.Frame) T)
	if n := index.near(); n != nil && x.Form == FormLocal {
		xs, is, plus := x.Slot, n.slot, n.plus
		if v.Form == FormConst || v.Form == FormLocal {
			return storeNearby[T](&Elem{slot: xs, near: *n, site: s}, v)
		}
		return func(f machine.Frame) {
			v := get(f)
			x, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
			if uint(i) >= uint(x.Len) {
				machine.PanicIndex(f, s, i, x.Len)
			}
			*(*T)(unsafe.Add(x.Ptr, uintptr(i)*unsafe.Sizeof(v))) = v
		}
	}
	from, at1 := x.F.(func(machine.Frame) machine.Slice), index.F.(func(machine.Frame) int)
	return func(f machine.Frame) {
		v := get(f)
		x, i := from(f), at1(f)
		if uint(i) >= uint(x.Len) {
			machine.PanicIndex(f, s, i, x.Len)
		}
		*(*T)(unsafe.Add(x.Ptr, uintptr(i)*unsafe.Sizeof(v))) = v
	}
}

// storeNearby compiles the writing of a constant, or of a variable in the frame, to an element
// whose index is near a variable. Filling a slice and swapping elements consist of such
// assignments.
//
//go:noinline
func storeNearby[T any](e *Elem, v Value) func(machine.Frame) {
	xs, is, plus, s := e.parts()
	if v.Form == FormConst {
		k := v.Const.(T)
		return func(f machine.Frame) {
			x, i := machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
			if uint(i) >= uint(x.Len) {
				machine.PanicIndex(f, s, i, x.Len)
			}
			*(*T)(unsafe.Add(x.Ptr, uintptr(i)*unsafe.Sizeof(k))) = k
		}
	}
	from := v.Slot
	return func(f machine.Frame) {
		v, x, i := *(*T)(unsafe.Add(f, from)), machine.At[sequence](f, xs), *machine.At[int](f, is)+plus
		if uint(i) >= uint(x.Len) {
			machine.PanicIndex(f, s, i, x.Len)
		}
		*(*T)(unsafe.Add(x.Ptr, uintptr(i)*unsafe.Sizeof(v))) = v
	}
}

// Clearer returns a step that sets a variable in the frame to zero. The variable may hold a value
// of an earlier iteration or, for words without pointers, of an earlier call.
func Clearer(offset uintptr, t *machine.Type) func(machine.Frame) {
	if t.Class != machine.ClassMemory {
		return Classes[t.Class].Store(Access{Mode: ModeFrame, Offset: offset, Type: t}, Zero(t))
	}
	r := t.RType
	if t.Size == 0 {
		return func(machine.Frame) {}
	}
	return func(f machine.Frame) { machine.TypedClear(r, unsafe.Add(f, offset)) }
}

// Zero returns the zero value of a type. Large values share memory that is never written.
func Zero(t *machine.Type) Value {
	if t.Class != machine.ClassMemory {
		return ConstantOf(t, Classes[t.Class].zero())
	}
	var p unsafe.Pointer
	if t.Size <= uintptr(len(machine.Zeroes)) {
		p = unsafe.Pointer(&machine.Zeroes)
	} else {
		// It is allocated once, when the expression is compiled.
		p = machine.Malloc(t.Size, t.RType, true)
	}
	return Value{Type: t, Addr: func(machine.Frame) unsafe.Pointer { return p }}
}
