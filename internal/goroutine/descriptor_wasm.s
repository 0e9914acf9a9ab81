#include "textflag.h"

// func Descriptor() uintptr
TEXT ·Descriptor(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
