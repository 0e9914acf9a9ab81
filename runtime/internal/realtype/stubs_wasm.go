package realtype

import (
	"slices"
	"unsafe"
)

//go:generate go run ./generate

// stubCount is the number of stubs in stubs_wasm.s. There are fewer than on other architectures,
// because every one is a function with its own entries in the tables of the linker.
const stubCount = 4096

// stubAddresses has the code addresses of the stubs.
var stubAddresses [stubCount]uintptr

// stubCode returns the code address of a stub.
func stubCode(slot int) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&stubAddresses[slot]))
}

// IsStub reports whether an address is the code of a method of cells.
func IsStub(code uintptr) bool { return slices.Contains(stubAddresses[:], code) }
