#include "textflag.h"

// func stackUsed() uintptr
// The upper bound of the stack is the second word of the goroutine descriptor.
TEXT ·stackUsed(SB), NOSPLIT, $0-8
	MOVD 8(g), R0
	Get R0
	Get SP
	I64ExtendI32U
	I64Sub
	Set R1
	MOVD R1, ret+0(FP)
	RET

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
