package exec

import (
	"go/types"
	"reflect"
	"unsafe"
)

// A class says how values of a type are held while they are computed.
type class uint8

const (
	classBool class = iota
	classInt
	classInt8
	classInt16
	classInt32
	classInt64
	classUint
	classUint8
	classUint16
	classUint32
	classUint64
	classUintptr
	classFloat32
	classFloat64
	classComplex64
	classComplex128
	classString
	classPointer // pointers, maps, channels, functions, unsafe.Pointer
	classIface   // interface values, empty or not
	classSlice
	classMemory // structs and arrays: held by address
)

// iface is the memory of an interface value. The first word is the type for an empty interface
// and a method table for others.
type iface struct{ tab, data unsafe.Pointer }

// slice is the memory of a slice.
type slice struct {
	ptr      unsafe.Pointer
	len, cap int
}

var classOfKind = map[reflect.Kind]class{
	reflect.Bool: classBool, reflect.Int: classInt, reflect.Int8: classInt8, reflect.Int16: classInt16,
	reflect.Int32: classInt32, reflect.Int64: classInt64, reflect.Uint: classUint, reflect.Uint8: classUint8,
	reflect.Uint16: classUint16, reflect.Uint32: classUint32, reflect.Uint64: classUint64,
	reflect.Uintptr: classUintptr, reflect.Float32: classFloat32, reflect.Float64: classFloat64,
	reflect.Complex64: classComplex64, reflect.Complex128: classComplex128, reflect.String: classString,
	reflect.Pointer: classPointer, reflect.Map: classPointer, reflect.Chan: classPointer, reflect.Func: classPointer,
	reflect.UnsafePointer: classPointer, reflect.Interface: classIface, reflect.Slice: classSlice,
	reflect.Struct: classMemory, reflect.Array: classMemory,
}

// A typ is what compiled code needs of a type.
type typ struct {
	reflect.Type
	rtype rtype
	class class
	size  uintptr
	align uintptr
	// direct reports whether an interface value holds the value itself as its data word.
	direct bool
	// hasPointers reports whether values contain pointers.
	hasPointers bool
}

// rtypeOf returns the run-time type that a reflect.Type stands for.
func rtypeOf(t reflect.Type) rtype { return (*iface)(unsafe.Pointer(&t)).data }

// typeFromRtype is the inverse of rtypeOf.
func typeFromRtype(r rtype) reflect.Type {
	v := iface{tab: r}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&v)))
}

// newTyp describes a type.
func newTyp(t reflect.Type) *typ {
	return &typ{
		Type: t, rtype: rtypeOf(t), class: classOfKind[t.Kind()], size: t.Size(), align: uintptr(t.Align()),
		direct: isDirect(t), hasPointers: hasPointers(t),
	}
}

// isDirect reports whether interface values hold a t as their data word: it is one pointer.
func isDirect(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.NumField() == 1 && isDirect(t.Field(0).Type)
	case reflect.Array:
		return t.Len() == 1 && isDirect(t.Elem())
	}
	return false
}

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

// pointerWords sets the words of a frame that hold pointers of a value of type t at an offset.
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

// typeOf returns the description of a type of the program.
func (c *compiler) typeOf(t types.Type) *typ { return c.m.typeOf(t) }

func (m *Machine) typeOf(t types.Type) *typ {
	if known := m.types[t]; known != nil {
		return known
	}
	real, err := m.host.Type(t)
	if err != nil {
		panic(&Unsupported{Message: err.Error()})
	}
	described := m.describe(real)
	m.types[t] = described
	return described
}

// describe returns the description of a run-time type.
func (m *Machine) describe(t reflect.Type) *typ {
	if known, ok := m.described.Load(t); ok {
		return known.(*typ)
	}
	described, _ := m.described.LoadOrStore(t, newTyp(t))
	return described.(*typ)
}
