package realtype

import (
	"reflect"
	"unsafe"
)

// FrameType makes a type for memory of the given size, a multiple of the word size, in which the
// listed words hold pointers. The type has neither name nor fields and is used only for allocation.
// The memory must keep the result reachable, because the runtime does not.
func FrameType(size uintptr, pointers map[uintptr]bool) unsafe.Pointer {
	const word = unsafe.Sizeof(uintptr(0))
	// The source has several fields without pointers, so the compiler represents its values neither
	// directly in interface values nor with a special equality function.
	source := abiOf(reflect.TypeFor[struct{ a, b, c uintptr }]())
	t := &abiStruct{abiType: *source}
	t.size, t.ptrBytes, t.flags, t.equal = size, 0, 0, nil
	t.align, t.fieldAlign = uint8(word), uint8(word)
	// One bit for each word. The collector reads the mask a word at a time, so the mask ends with a
	// spare word.
	mask := make([]byte, (size/word+7)/8+word)
	for w := range pointers {
		mask[w/8] |= 1 << (w % 8)
		t.ptrBytes = max(t.ptrBytes, (w+1)*word)
	}
	t.gcData = &mask[0]
	return unsafe.Pointer(t)
}

// EqualFunc returns the function with which the runtime compares values of a type in memory, or nil
// if the type is not comparable.
func EqualFunc(t reflect.Type) func(p, q unsafe.Pointer) bool { return abiOf(t).equal }
