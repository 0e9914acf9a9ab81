// Package linked provides functions of the runtime and of package reflect that popular modules such
// as json-iterator and codec use by go:linkname. The runtime keeps their names and signatures
// stable for such modules; see the comments there. Code of cells calls them like functions of a
// compiled package.
package linked

import (
	"reflect"
	"unsafe"
)

// A header is the memory layout of a slice: the array, the length and the capacity.
type header struct {
	_    unsafe.Pointer
	_, _ int
}

//go:linkname unsafeNew reflect.unsafe_New
func unsafeNew(typ unsafe.Pointer) unsafe.Pointer

//go:linkname unsafeNewArray reflect.unsafe_NewArray
func unsafeNewArray(typ unsafe.Pointer, n int) unsafe.Pointer

//go:linkname typedmemmove reflect.typedmemmove
func typedmemmove(typ, dst, src unsafe.Pointer)

//go:linkname typedmemclr reflect.typedmemclr
func typedmemclr(typ, at unsafe.Pointer)

//go:linkname typedslicecopy reflect.typedslicecopy
func typedslicecopy(elem unsafe.Pointer, dst, src header) int

//go:linkname reflectMapassign reflect.mapassign
func reflectMapassign(typ, m, key, elem unsafe.Pointer)

//go:linkname reflectMapaccess reflect.mapaccess
func reflectMapaccess(typ, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname reflectMapiterinit reflect.mapiterinit
func reflectMapiterinit(typ, m, it unsafe.Pointer)

//go:linkname reflectMapiternext reflect.mapiternext
func reflectMapiternext(it unsafe.Pointer)

//go:linkname reflectMakemap reflect.makemap
func reflectMakemap(typ unsafe.Pointer, n int) unsafe.Pointer

//go:linkname ifaceE2I reflect.ifaceE2I
func ifaceE2I(typ unsafe.Pointer, src any, dst unsafe.Pointer)

//go:linkname mallocgc runtime.mallocgc
func mallocgc(size uintptr, typ unsafe.Pointer, zero bool) unsafe.Pointer

//go:linkname newarray runtime.newarray
func newarray(typ unsafe.Pointer, n int) unsafe.Pointer

//go:linkname mapiterinit runtime.mapiterinit
func mapiterinit(typ, m, it unsafe.Pointer)

//go:linkname mapiternext runtime.mapiternext
func mapiternext(it unsafe.Pointer)

//go:linkname mapassign runtime.mapassign
func mapassign(typ, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname mapaccess2 runtime.mapaccess2
func mapaccess2(typ, m, key unsafe.Pointer) (unsafe.Pointer, bool)

//go:linkname makemap runtime.makemap
func makemap(typ unsafe.Pointer, n int, m unsafe.Pointer) unsafe.Pointer

//go:linkname mapassignFast32 runtime.mapassign_fast32
func mapassignFast32(typ, m unsafe.Pointer, key uint32) unsafe.Pointer

//go:linkname mapassignFast32ptr runtime.mapassign_fast32ptr
func mapassignFast32ptr(typ, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname mapassignFast64 runtime.mapassign_fast64
func mapassignFast64(typ, m unsafe.Pointer, key uint64) unsafe.Pointer

//go:linkname mapassignFast64ptr runtime.mapassign_fast64ptr
func mapassignFast64ptr(typ, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname mapassignFaststr runtime.mapassign_faststr
func mapassignFaststr(typ, m unsafe.Pointer, key string) unsafe.Pointer

//go:linkname mapaccess2Fast32 runtime.mapaccess2_fast32
func mapaccess2Fast32(typ, m unsafe.Pointer, key uint32) (unsafe.Pointer, bool)

//go:linkname mapaccess2Fast64 runtime.mapaccess2_fast64
func mapaccess2Fast64(typ, m unsafe.Pointer, key uint64) (unsafe.Pointer, bool)

//go:linkname mapaccess2Faststr runtime.mapaccess2_faststr
func mapaccess2Faststr(typ, m unsafe.Pointer, key string) (unsafe.Pointer, bool)

//go:linkname growslice runtime.growslice
func growslice(old unsafe.Pointer, newLen, oldCap, n int, elem unsafe.Pointer) header

//go:linkname nanotime runtime.nanotime
func nanotime() int64

// mapiternextKey is like mapiternext in the form that some packages declare. They take the first
// word of the iterator, a pointer to the key, as the result.
func mapiternextKey(it unsafe.Pointer) unsafe.Pointer {
	mapiternext(it)
	return *(*unsafe.Pointer)(it)
}

// functions maps the names in go:linkname directives to functions.
var functions = map[string]any{
	"reflect.unsafe_New": unsafeNew, "reflect.unsafe_NewArray": unsafeNewArray, "reflect.typedmemmove": typedmemmove,
	"reflect.typedmemclr": typedmemclr, "reflect.typedslicecopy": typedslicecopy, "reflect.mapassign": reflectMapassign,
	"reflect.mapaccess": reflectMapaccess, "reflect.mapiterinit": reflectMapiterinit, "reflect.mapiternext": reflectMapiternext,
	"reflect.makemap": reflectMakemap, "reflect.ifaceE2I": ifaceE2I,
	"runtime.mallocgc": mallocgc, "runtime.newarray": newarray, "runtime.mapiterinit": mapiterinit, "runtime.mapiternext": mapiternext,
	"runtime.mapassign": mapassign, "runtime.mapaccess2": mapaccess2, "runtime.makemap": makemap,
	"runtime.mapassign_fast32": mapassignFast32, "runtime.mapassign_fast32ptr": mapassignFast32ptr,
	"runtime.mapassign_fast64": mapassignFast64, "runtime.mapassign_fast64ptr": mapassignFast64ptr,
	"runtime.mapassign_faststr": mapassignFaststr, "runtime.mapaccess2_fast32": mapaccess2Fast32,
	"runtime.mapaccess2_fast64": mapaccess2Fast64, "runtime.mapaccess2_faststr": mapaccess2Faststr,
	"runtime.growslice": growslice, "runtime.nanotime": nanotime,
}

// Functions returns the functions for a name in a go:linkname directive, such as
// reflect.unsafe_New. A function with several results has the different signatures that modules
// declare. The list is empty if the name is unknown.
func Functions(name string) (list []reflect.Value) {
	if f, ok := functions[name]; ok {
		list = append(list, reflect.ValueOf(f))
	}
	if name == "runtime.mapiternext" {
		list = append(list, reflect.ValueOf(mapiternextKey))
	}
	return list
}

// IsZero reports whether a variable named in a directive always holds zeros, so that any zeroed
// variable can replace it.
func IsZero(name string) bool { return name == "runtime.zeroVal" }
