#include "textflag.h"

// func stackUsed() uintptr
// The upper bound of the stack is the second word of the goroutine descriptor.
TEXT ·stackUsed(SB), NOSPLIT, $0-8
	MOVD 8(g), R0
	MOVD RSP, R1
	SUB R1, R0, R0
	MOVD R0, ret+0(FP)
	RET

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
