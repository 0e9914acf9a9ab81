package exec

import (
	"reflect"
	"unsafe"
)

// These functions of the runtime are what compiled code calls for the same operations. The
// runtime keeps their names and signatures for packages that use them as this one does; rtype
// stands for *abi.Type.

type rtype = unsafe.Pointer

//go:linkname mallocgc runtime.mallocgc
func mallocgc(size uintptr, typ rtype, needzero bool) unsafe.Pointer

//go:linkname makeslice runtime.makeslice
func makeslice(elem rtype, len, cap int) unsafe.Pointer

//go:linkname typedmemmove runtime.typedmemmove
func typedmemmove(typ rtype, dst, src unsafe.Pointer)

//go:linkname typedmemclr reflect.typedmemclr
func typedmemclr(typ rtype, ptr unsafe.Pointer)

//go:linkname growslice reflect.growslice
func growslice(elem rtype, old slice, num int) slice

//go:linkname typedslicecopy reflect.typedslicecopy
func typedslicecopy(elem rtype, dst, src slice) int

//go:linkname getitab runtime.getitab
func getitab(inter, typ rtype, canFail bool) unsafe.Pointer

//go:linkname mapaccess2 runtime.mapaccess2
func mapaccess2(typ rtype, m, key unsafe.Pointer) (unsafe.Pointer, bool)

//go:linkname mapassign runtime.mapassign
func mapassign(typ rtype, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname mapdelete runtime.mapdelete
func mapdelete(typ rtype, m, key unsafe.Pointer)

//go:linkname mapaccess2Str runtime.mapaccess2_faststr
func mapaccess2Str(typ rtype, m unsafe.Pointer, key string) (unsafe.Pointer, bool)

//go:linkname mapaccess2Int runtime.mapaccess2_fast64
func mapaccess2Int(typ rtype, m unsafe.Pointer, key uint64) (unsafe.Pointer, bool)

//go:linkname makemap runtime.makemap
func makemap(typ rtype, hint int, m unsafe.Pointer) unsafe.Pointer

//go:linkname maplen reflect.maplen
func maplen(m unsafe.Pointer) int

//go:linkname mapclear reflect.mapclear
func mapclear(typ rtype, m unsafe.Pointer)

//go:linkname chansend reflect.chansend0
func chansend(ch, val unsafe.Pointer, nonblocking bool) bool

//go:linkname chanrecv reflect.chanrecv
func chanrecv(ch unsafe.Pointer, nonblocking bool, val unsafe.Pointer) (selected, received bool)

//go:linkname chanlen reflect.chanlen
func chanlen(ch unsafe.Pointer) int

//go:linkname chancap reflect.chancap
func chancap(ch unsafe.Pointer) int

//go:linkname chanclose reflect.chanclose
func chanclose(ch unsafe.Pointer)

//go:linkname makechan reflect.makechan
func makechan(typ rtype, size int) unsafe.Pointer

//go:linkname rselect reflect.rselect
func rselect(cases []runtimeSelect) (chosen int, received bool)

// A runtimeSelect is a case of a select as rselect takes it.
type runtimeSelect struct {
	dir selectDirection
	typ rtype
	ch  unsafe.Pointer
	val unsafe.Pointer
}

// doneType is the type of the channels that end waiting.
var doneType = rtypeOf(reflect.TypeFor[<-chan struct{}]())

type selectDirection int

const (
	selectSend selectDirection = 1 + iota
	selectRecv
	selectDefault
)

// stackUsed returns the number of bytes between the top of the goroutine's stack and here.
func stackUsed() uintptr

// goroutine returns the address of the goroutine's descriptor, its identity while it runs.
func goroutine() uintptr
