package realtype

import (
	"reflect"
	"unsafe"
)

// The types below mirror those of internal/abi in Go 1.26 (type.go and map.go), field for field.
// SelfCheck compares them with compiled types.

// Bits of abiType.flags.
const (
	flagUncommon  = 1 << 0 // an abiUncommon follows the type
	flagExtraStar = 1 << 1 // the text in name begins with a star that is not part of it
	flagNamed     = 1 << 2
	flagDirect    = 1 << 5 // an interface value stores the value itself, which is one pointer
)

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

type abiMethod struct {
	name, typ int32
	ifn       int32 // code for a call through an interface, whose receiver is one word
	tfn       int32 // code for a call with the actual receiver
}

type abiField struct {
	name   *byte
	typ    *abiType
	offset uintptr
}

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

type abiInterfaceMethod struct{ name, typ int32 }

type abiInterface struct {
	abiType
	pkgPath *byte
	methods []abiInterfaceMethod
}

type abiMap struct {
	abiType
	key, elem, group *abiType
	hasher           func(unsafe.Pointer, uintptr) uintptr
	groupSize        uintptr
	slotSize         uintptr
	elemOffset       uintptr
	mapFlags         uint32
}

// An emptyInterface is the memory layout of a value of type any.
type emptyInterface struct {
	typ  *abiType
	data unsafe.Pointer
}

// abiOf returns the run-time type that a reflect.Type represents.
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

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(p unsafe.Pointer) int32

// Bits of the first byte of a name.
const (
	nameExported = 1 << 0
	nameTagged   = 1 << 1
	nameEmbedded = 1 << 3
)

// newName encodes a name as the runtime stores it: flags, length and bytes, followed by length and
// bytes of the tag.
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
