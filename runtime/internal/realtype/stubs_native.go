//go:build amd64 || arm64

package realtype

import "unsafe"

// stubCount is the number of stubs in stubs_amd64.s and stubs_arm64.s.
const stubCount = 65536

// stubSize is the distance between two stubs in bytes on both architectures.
const stubSize = 16

// firstStub is the address of stub 0. The assembly sets it, because there the name of a function
// denotes its first instruction, while in Go it denotes a wrapper.
var firstStub uintptr

// stubCode returns the code address of a stub.
func stubCode(slot int) unsafe.Pointer {
	// The conversion avoids a complaint of go vet, which cannot know that this is an address of
	// code. The collector does not move code.
	address := firstStub + uintptr(slot)*stubSize
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// IsStub reports whether an address is the code of a method of cells.
func IsStub(code uintptr) bool { return code-firstStub < stubCount*stubSize }

// stubs is the code of all stubs. It is never called under this name.
func stubs()

var _ = stubs
