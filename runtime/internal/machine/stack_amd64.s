#include "textflag.h"

// func stackUsed() uintptr
// The upper bound of the stack is the second word of the goroutine descriptor.
TEXT ·stackUsed(SB), NOSPLIT, $0-8
	MOVQ (TLS), CX
	MOVQ 8(CX), AX
	SUBQ SP, AX
	MOVQ AX, ret+0(FP)
	RET

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
