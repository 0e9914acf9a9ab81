//go:build !amd64 && !arm64

package hostcall

import "unsafe"

const (
	haveTrampoline = false
	intRegisters   = 1
	floatRegisters = 1
	spillSize      = 0
)

type registers struct {
	ints           [intRegisters]uintptr
	floats         [floatRegisters]uint64
	pointers       [intRegisters]unsafe.Pointer
	resultPointers uint64
	hasFloats      bool
}

func trampoline(uintptr, unsafe.Pointer, *registers) { panic("hostcall: no trampoline") }
