#include "textflag.h"

// func Descriptor() uintptr
TEXT ·Descriptor(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
