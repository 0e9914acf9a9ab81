//go:build !amd64 && !arm64 && !wasm

package realtype

import "unsafe"

// There are no stubs for other architectures, so SelfCheck refuses to go on.
const stubCount = 0

func stubCode(int) unsafe.Pointer { return nil }

// IsStub reports whether an address is the code of a method of cells.
func IsStub(uintptr) bool { return false }
