package machine

import (
	"reflect"
	"unsafe"
)

// Compiled code calls these functions of the runtime for the same operations. The runtime keeps
// their names and signatures stable for packages that link to them. RType represents *abi.Type.

// An RType is the run-time type that a reflect.Type represents.
type RType = unsafe.Pointer

// mallocgc returns memory whose type the collector knows from typ. Frames are allocated this way,
// because package reflect does not know their types.
//
//go:linkname mallocgc runtime.mallocgc
func mallocgc(size uintptr, typ RType, needzero bool) unsafe.Pointer

// largeObject is the size above which the available memory is checked before an allocation. An
// allocation that fails ends the process.
const (
	largeObject    = 64 << 20
	tooLargeObject = "out of memory"
)

// Malloc allocates an object. It panics as [Host.Room] does if there is no memory for it.
func Malloc(size uintptr, typ RType, needzero bool) unsafe.Pointer {
	if size >= largeObject {
		if t := Current(); t != nil {
			t.m.Host.Room(1, int(size), tooLargeObject)
		}
	}
	return mallocgc(size, typ, needzero)
}

// Zeroes is read-only memory of zero bytes, used for zero values of types up to its size. Values of
// size zero have this address as well.
var Zeroes [1024]byte

// MakeSlice panics for lengths out of range with the runtime's message.
//
//go:linkname MakeSlice runtime.makeslice
func MakeSlice(elem RType, len, cap int) unsafe.Pointer

// TypedMove and TypedClear have write barriers for the pointers of the type. They must be used for
// memory that the collector may be scanning.
//
//go:linkname TypedMove runtime.typedmemmove
func TypedMove(typ RType, dst, src unsafe.Pointer)

//go:linkname TypedClear reflect.typedmemclr
func TypedClear(typ RType, ptr unsafe.Pointer)

// GrowSlice is like slices.Grow for num elements that exceed the capacity.
//
//go:linkname GrowSlice reflect.growslice
func GrowSlice(elem RType, old Slice, num int) Slice

// TypedCopy copies elements like copy, with write barriers.
//
//go:linkname TypedCopy reflect.typedslicecopy
func TypedCopy(elem RType, dst, src Slice) int

// getitab returns a method table, from the runtime's table of pairs if it is there. Without canFail
// it panics if typ does not implement inter. It also remembers failures, which is why types in use
// cannot gain methods (see package realtype).
//
//go:linkname getitab runtime.getitab
func getitab(inter, typ RType, canFail bool) unsafe.Pointer

// MapAccess returns a pointer to the element, or to a zero value that must not be modified. The
// pointer is valid until the map changes.
//
//go:linkname MapAccess runtime.mapaccess2
func MapAccess(typ RType, m, key unsafe.Pointer) (unsafe.Pointer, bool)

// MapAssign returns the place for the element of a key, which it inserts if necessary.
//
//go:linkname MapAssign runtime.mapassign
func MapAssign(typ RType, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname MapDelete runtime.mapdelete
func MapDelete(typ RType, m, key unsafe.Pointer)

//go:linkname MapAccessString runtime.mapaccess2_faststr
func MapAccessString(typ RType, m unsafe.Pointer, key string) (unsafe.Pointer, bool)

//go:linkname MapAccessInt runtime.mapaccess2_fast64
func MapAccessInt(typ RType, m unsafe.Pointer, key uint64) (unsafe.Pointer, bool)

//go:linkname MapAssignString runtime.mapassign_faststr
func MapAssignString(typ RType, m unsafe.Pointer, key string) unsafe.Pointer

//go:linkname MapAssignInt runtime.mapassign_fast64
func MapAssignInt(typ RType, m unsafe.Pointer, key uint64) unsafe.Pointer

//go:linkname MakeMap runtime.makemap
func MakeMap(typ RType, hint int, m unsafe.Pointer) unsafe.Pointer

//go:linkname MapLen reflect.maplen
func MapLen(m unsafe.Pointer) int

//go:linkname MapClear reflect.mapclear
func MapClear(typ RType, m unsafe.Pointer)

// With nonblocking, ChanSend and ChanRecv return at once, like a select with a default clause.
//
//go:linkname ChanSend reflect.chansend0
func ChanSend(ch, val unsafe.Pointer, nonblocking bool) bool

//go:linkname ChanRecv reflect.chanrecv
func ChanRecv(ch unsafe.Pointer, nonblocking bool, val unsafe.Pointer) (selected, received bool)

//go:linkname ChanLen reflect.chanlen
func ChanLen(ch unsafe.Pointer) int

//go:linkname ChanCap reflect.chancap
func ChanCap(ch unsafe.Pointer) int

//go:linkname ChanClose reflect.chanclose
func ChanClose(ch unsafe.Pointer)

//go:linkname MakeChan reflect.makechan
func MakeChan(typ RType, size int) unsafe.Pointer

// SelectCases blocks the goroutine until a case can proceed. A nil channel never can. The runtime
// keeps no pointer to the list, so the list can be on the stack.
//
//go:noescape
//go:linkname SelectCases reflect.rselect
func SelectCases(cases []SelectCase) (chosen int, received bool)

// A SelectCase is a case of a select in the form that the runtime's rselect expects.
type SelectCase struct {
	Dir  selectDirection
	Type RType
	Ch   unsafe.Pointer
	Val  unsafe.Pointer
}

// doneType is the type of the channels that end waiting.
var doneType = RTypeOf(reflect.TypeFor[<-chan struct{}]())

type selectDirection int

// The directions of a [SelectCase], with the runtime's values.
const (
	SelectSend selectDirection = 1 + iota
	SelectRecv
	SelectDefault
)
