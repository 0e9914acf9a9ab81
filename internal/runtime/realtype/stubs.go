package realtype

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// stubCount is the number of stubs that stubs_amd64.s and stubs_arm64.s hold.
const stubCount = 16384

// stubSize is the distance between two stubs in bytes, on both architectures.
const stubSize = 16

// slots holds for each stub the function that it jumps to, as a pointer to its closure.
// It is a Go variable so that the collector sees the closures.
var slots [stubCount]unsafe.Pointer

// firstStub is the address of the code of stub 0. It is set in the assembly: there the
// name of a function means its first instruction, in Go a wrapper around it.
var firstStub uintptr

// slotsUsed counts the slots given away, under world.
var slotsUsed int

// stubCode returns the code address of a stub.
func stubCode(slot int) unsafe.Pointer {
	// Written so because the address is one of code, which the collector does not
	// move, and go vet cannot know.
	address := firstStub + uintptr(slot)*stubSize
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// setSlot makes a stub jump to a function. Calls that are already under way finish in
// the old one.
func setSlot(slot int, function reflect.Value) {
	v := function.Interface()
	atomic.StorePointer(&slots[slot], (*emptyInterface)(unsafe.Pointer(&v)).data)
}

// stubs is the code of all stubs. It is never called by this name.
func stubs()

var _ = stubs
