//go:build amd64 || arm64

package hostcall

import "unsafe"

const haveTrampoline = true

// Registers holds what the registers hold at the beginning and at the end of a call. It must be
// on the stack: the trampoline writes pointers to it without write barriers.
type registers struct {
	ints   [intRegisters]uintptr
	floats [floatRegisters]uint64
	// pointers repeats ints where the collector must see a pointer: pointer arguments during the
	// call and pointer results after it.
	pointers       [intRegisters]unsafe.Pointer
	resultPointers uint64 // bit i is set if integer register i holds a pointer after the call
	hasFloats      bool
}

// trampoline calls code with the closure and the registers of r, and stores the registers of the
// results to r.
//
//go:noescape
func trampoline(code uintptr, closure unsafe.Pointer, r *registers)
