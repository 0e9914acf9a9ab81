//go:build amd64 || arm64

package hostcall

import "unsafe"

const haveTrampoline = true

// Registers holds the contents of the registers at the beginning and at the end of a call. It must
// be on the stack, because the trampoline writes pointers to it without write barriers.
type registers struct {
	ints   [intRegisters]uintptr
	floats [floatRegisters]uint64
	// pointers repeats the elements of ints that the collector must see as pointers: pointer
	// arguments during the call and pointer results after it.
	pointers       [intRegisters]unsafe.Pointer
	resultPointers uint64 // bit i is set if integer register i holds a pointer after the call
	hasFloats      bool
}

// trampoline calls code with the closure and the registers in r. It stores the registers of the
// results in r.
//
//go:noescape
func trampoline(code uintptr, closure unsafe.Pointer, r *registers)
