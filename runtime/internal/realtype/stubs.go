package realtype

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// slots holds, for each stub, the function to which it jumps, as a pointer to a closure. It is a Go
// variable, so that the collector sees the closures.
var slots [stubCount]unsafe.Pointer

// slotsUsed is the number of assigned slots; guarded by world.
var slotsUsed int

// setSlot makes a stub jump to a function. Calls in progress finish in the old function.
func setSlot(slot int, function reflect.Value) {
	v := function.Interface()
	atomic.StorePointer(&slots[slot], (*emptyInterface)(unsafe.Pointer(&v)).data)
}
