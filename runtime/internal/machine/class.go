package machine

import (
	"reflect"
	"unsafe"
)

// A Class says how values of a type are represented while they are computed. Types of one class
// share closures: a type declared as int and int itself differ only in their Type, which matters
// for interface values and reflection.
type Class uint8

// Each class is named after the Go type that represents its values.
const (
	ClassBool Class = iota
	ClassInt
	ClassInt8
	ClassInt16
	ClassInt32
	ClassInt64
	ClassUint
	ClassUint8
	ClassUint16
	ClassUint32
	ClassUint64
	ClassUintptr
	ClassFloat32
	ClassFloat64
	ClassComplex64
	ClassComplex128
	ClassString
	ClassPointer // pointers, maps, channels, functions, unsafe.Pointer
	ClassIface   // interface values, empty or not
	ClassSlice
	// ClassMemory is last, and noResult follows it; tables indexed by classes depend on the order.
	ClassMemory // structs and arrays: represented by their address
)

// Iface is the memory layout of an interface value. The first word is the dynamic type if the
// interface type has no methods, and a method table otherwise.
type Iface struct{ Tab, Data unsafe.Pointer }

// Slice is the memory layout of a slice.
type Slice struct {
	Ptr      unsafe.Pointer
	Len, Cap int
}

var classOfKind = map[reflect.Kind]Class{
	reflect.Bool: ClassBool, reflect.Int: ClassInt, reflect.Int8: ClassInt8, reflect.Int16: ClassInt16,
	reflect.Int32: ClassInt32, reflect.Int64: ClassInt64, reflect.Uint: ClassUint, reflect.Uint8: ClassUint8,
	reflect.Uint16: ClassUint16, reflect.Uint32: ClassUint32, reflect.Uint64: ClassUint64,
	reflect.Uintptr: ClassUintptr, reflect.Float32: ClassFloat32, reflect.Float64: ClassFloat64,
	reflect.Complex64: ClassComplex64, reflect.Complex128: ClassComplex128, reflect.String: ClassString,
	reflect.Pointer: ClassPointer, reflect.Map: ClassPointer, reflect.Chan: ClassPointer, reflect.Func: ClassPointer,
	reflect.UnsafePointer: ClassPointer, reflect.Interface: ClassIface, reflect.Slice: ClassSlice,
	reflect.Struct: ClassMemory, reflect.Array: ClassMemory,
}

// A Type holds the properties of a type that compiled code needs.
type Type struct {
	reflect.Type
	RType RType
	Class Class
	Size  uintptr
	align uintptr
	// Direct reports whether an interface value stores values of the type in its data word.
	Direct bool
	// hasPointers reports whether values contain pointers.
	hasPointers bool
}

// RTypeOf returns the run-time type that t represents.
func RTypeOf(t reflect.Type) RType { return (*Iface)(unsafe.Pointer(&t)).Data }

// TypeFromRType is the inverse of RTypeOf.
func TypeFromRType(r RType) reflect.Type {
	v := Iface{Tab: r}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&v)))
}

// newTyp returns the description of a type.
func newTyp(t reflect.Type) *Type {
	return &Type{
		Type: t, RType: RTypeOf(t), Class: classOfKind[t.Kind()], Size: t.Size(), align: uintptr(t.Align()),
		Direct: isDirect(t), hasPointers: hasPointers(t),
	}
}

// isDirect reports whether interface values store a t in their data word. They do if t consists of
// one pointer and possibly fields without size. It is the rule of Go 1.26, types.IsDirectIface in
// cmd/compile. Earlier releases required a struct of exactly one field.
func isDirect(t reflect.Type) bool { return t.Size() == unsafe.Sizeof(uintptr(0)) && hasPointers(t) }

// hasPointers reports whether values of a type contain pointers that the collector must see.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer,
		reflect.Interface, reflect.Slice:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	}
	return false
}

// pointerWords records the words of a frame that hold pointers if a value of type t is at an
// offset. The words agree with the pointer maps of gc except for the first word of an interface
// value, which gc does not mark. It may point to a method table made at run time or to a forged
// type, and marking it is harmless.
func pointerWords(words map[uintptr]bool, t reflect.Type, offset uintptr) {
	const word = unsafe.Sizeof(uintptr(0))
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Slice:
		words[offset/word] = true
	case reflect.Interface:
		words[offset/word], words[offset/word+1] = true, true
	case reflect.Struct:
		for i := range t.NumField() {
			pointerWords(words, t.Field(i).Type, offset+t.Field(i).Offset)
		}
	case reflect.Array:
		if hasPointers(t.Elem()) {
			for i := range t.Len() {
				pointerWords(words, t.Elem(), offset+uintptr(i)*t.Elem().Size())
			}
		}
	}
}

// Describe returns the description of a run-time type. It is cached for the machine. Descriptions
// can be compared by pointer within a machine.
func (m *Machine) Describe(t reflect.Type) *Type {
	if known, ok := m.described.Load(t); ok {
		return known.(*Type)
	}
	described, _ := m.described.LoadOrStore(t, newTyp(t))
	return described.(*Type)
}

// Structs of words are copied through registers. Arrays are not, because they might overlap.
type (
	words2 struct{ a, b uint64 }
	words3 struct{ a, b, c uint64 }
	words4 struct{ a, b, c, d uint64 }
)

// HasPointers reports whether values of the type contain pointers.
func (t *Type) HasPointers() bool { return t.hasPointers }

// Mover returns a function that copies values of the type. Types without pointers of up to 32 bytes
// are copied by typed assignments; only types with pointers need write barriers.
func (t *Type) Mover() func(to, from unsafe.Pointer) {
	r := t.RType
	switch {
	case t.Size == 0:
		return func(_, _ unsafe.Pointer) {}
	case !t.hasPointers && t.Size == 8 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*uint64)(to) = *(*uint64)(from) }
	case !t.hasPointers && t.Size == 16 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*words2)(to) = *(*words2)(from) }
	case !t.hasPointers && t.Size == 24 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*words3)(to) = *(*words3)(from) }
	case !t.hasPointers && t.Size == 32 && t.align == 8:
		return func(to, from unsafe.Pointer) { *(*words4)(to) = *(*words4)(from) }
	case !t.hasPointers:
		// copy without write barriers is allowed only for types without pointers.
		n := t.Size
		return func(to, from unsafe.Pointer) {
			copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
		}
	}
	return func(to, from unsafe.Pointer) { TypedMove(r, to, from) }
}
