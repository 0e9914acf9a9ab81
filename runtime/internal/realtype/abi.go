package realtype

import (
	"reflect"
	"unsafe"
)

// The types below mirror those of internal/abi in Go 1.27 (type.go and map.go), field for field.
// SelfCheck compares them with compiled types.

// Bits of abiType.flags.
const (
	flagUncommon  = 1 << 0 // an abiUncommon follows the type
	flagExtraStar = 1 << 1 // the text in name begins with a star that is not part of it
	flagNamed     = 1 << 2
	flagDirect    = 1 << 5 // an interface value stores the value itself, which is one pointer
)

// An abiType is the part that all types begin with. ptrBytes is the length of the prefix that
// contains pointers, and gcData has one bit for each word of it. hash, equal and gcData of a forged
// type decide how the runtime treats values in maps, comparisons and collections, so they are
// copied from the layout and never computed here. name and ptrToThis are offsets: non-negative ones
// lead into a module's data, negative ones were returned by addReflectOff.
type abiType struct {
	size       uintptr
	ptrBytes   uintptr
	hash       uint32
	flags      uint8
	align      uint8
	fieldAlign uint8
	kind       uint8
	equal      func(unsafe.Pointer, unsafe.Pointer) bool
	gcData     *byte
	name       int32
	ptrToThis  int32
}

// An abiUncommon is the additional part of a type that has a name or methods.
type abiUncommon struct {
	pkgPath  int32
	count    uint16 // number of methods
	exported uint16 // number of methods that reflect lists, which come first
	offset   uint32 // from the abiUncommon to the first method
	_        uint32
}

// An abiMethod is an entry of a method table. All fields are offsets as in abiType.
type abiMethod struct {
	name, typ int32
	ifn       int32 // code for a call through an interface, whose receiver is one word
	tfn       int32 // code for a call with the actual receiver
}

// An abiField is a field of a struct. An unexported field is recognized by its name alone.
type abiField struct {
	name   *byte
	typ    *abiType
	offset uintptr
}

// An abiStruct is a struct type. pkgPath is the package of the unexported fields, or nil.
type abiStruct struct {
	abiType
	pkgPath *byte
	fields  []abiField
}

// An abiElem is a pointer or slice type.
type abiElem struct {
	abiType
	elem *abiType
}

// An abiArray is an array type. slice is the type of slices of the array.
type abiArray struct {
	abiType
	elem, slice *abiType
	length      uintptr
}

type abiChan struct {
	abiType
	elem      *abiType
	direction int
}

// An abiFunc is followed by the uncommon part, if there is one, and then by the types of the
// parameters and results.
type abiFunc struct {
	abiType
	in, out uint16 // the top bit of out means variadic
}

type abiInterfaceMethod struct {
	name, typ int32
}

// An abiInterface is an interface type. Its methods are sorted in the order of compareNames.
type abiInterface struct {
	abiType
	pkgPath *byte
	methods []abiInterfaceMethod
}

// An abiMap is a map type. group is the type in which the runtime allocates eight slots of a key
// and an element each. It stays that of the layout when key and elem are replaced, because only its
// size and its pointers matter.
type abiMap struct {
	abiType
	key, elem, group *abiType
	hasher           func(unsafe.Pointer, uintptr) uintptr
	groupSize        uintptr
	keysOffset       uintptr
	keyStride        uintptr
	elemsOffset      uintptr
	elemStride       uintptr
	elemOffset       uintptr
	mapFlags         uint32
}

// An emptyInterface is the memory layout of a value of type any.
type emptyInterface struct {
	typ  *abiType
	data unsafe.Pointer
}

// abiOf returns the run-time type that a reflect.Type represents. The data word of a reflect.Type
// points to a reflect.rtype, whose first field is the run-time type.
func abiOf(t reflect.Type) *abiType {
	return (*abiType)((*emptyInterface)(unsafe.Pointer(&t)).data)
}

// reflectOf is the inverse of abiOf.
func reflectOf(t *abiType) reflect.Type {
	var v any
	(*emptyInterface)(unsafe.Pointer(&v)).typ = t
	// TypeOf reads only the type word, so the nil data word is harmless.
	return reflect.TypeOf(v)
}

// addReflectOff returns a negative offset that the runtime resolves to p, and keeps p alive. Types
// refer to names, types and code by offsets of 32 bits, which cannot reach memory allocated at run
// time. Equal pointers have equal offsets.
//
//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(p unsafe.Pointer) int32

// Bits of the first byte of a name.
const (
	nameExported = 1 << 0
	nameTagged   = 1 << 1
	nameEmbedded = 1 << 3
)

// newName encodes a name as the runtime stores it: flags, length and bytes, followed by length and
// bytes of the tag. The collector finds the bytes by the result, which points to their beginning.
func newName(name, tag string, flags byte) *byte {
	if tag != "" {
		flags |= nameTagged
	}
	text := appendCounted([]byte{flags}, name)
	if tag != "" {
		text = appendCounted(text, tag)
	}
	return &text[0]
}

// appendCounted appends the length of s as a varint, followed by s.
func appendCounted(text []byte, s string) []byte {
	n := len(s)
	for ; n >= 0x80; n >>= 7 {
		text = append(text, byte(n)|0x80)
	}
	return append(append(text, byte(n)), s...)
}

// nameOffset registers a name with the runtime, which keeps it alive, and returns its offset.
func nameOffset(name string, flags byte) int32 {
	return addReflectOff(unsafe.Pointer(newName(name, "", flags)))
}

func init() {
	// The first offset is -1. As an offset of code it would mean that the linker has removed the
	// method. A name takes this offset, so that no method gets it.
	nameOffset("realtype", 0)
}
