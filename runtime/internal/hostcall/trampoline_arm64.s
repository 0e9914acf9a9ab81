#include "textflag.h"
#include "funcdata.h"
#include "go_asm.h"

#define INT(i) (registers_ints+8*(i))(R20)
#define FLOAT(i) (registers_floats+8*(i))(R20)
#define POINTER(i) (registers_pointers+8*(i))(R20)

// func trampoline(code uintptr, closure unsafe.Pointer, r *registers)
//
// The frame is the space in which the function called may save the registers of its arguments.
// The call may move the stack, so r is read again after it.
TEXT ·trampoline(SB), 0, $320-24
	NO_LOCAL_POINTERS
	MOVD  r+16(FP), R20
	MOVBU registers_hasFloats(R20), R21
	CBZ   R21, ints
	FMOVD FLOAT(0), F0
	FMOVD FLOAT(1), F1
	FMOVD FLOAT(2), F2
	FMOVD FLOAT(3), F3
	FMOVD FLOAT(4), F4
	FMOVD FLOAT(5), F5
	FMOVD FLOAT(6), F6
	FMOVD FLOAT(7), F7
	FMOVD FLOAT(8), F8
	FMOVD FLOAT(9), F9
	FMOVD FLOAT(10), F10
	FMOVD FLOAT(11), F11
	FMOVD FLOAT(12), F12
	FMOVD FLOAT(13), F13
	FMOVD FLOAT(14), F14
	FMOVD FLOAT(15), F15

ints:
	MOVD INT(0), R0
	MOVD INT(1), R1
	MOVD INT(2), R2
	MOVD INT(3), R3
	MOVD INT(4), R4
	MOVD INT(5), R5
	MOVD INT(6), R6
	MOVD INT(7), R7
	MOVD INT(8), R8
	MOVD INT(9), R9
	MOVD INT(10), R10
	MOVD INT(11), R11
	MOVD INT(12), R12
	MOVD INT(13), R13
	MOVD INT(14), R14
	MOVD INT(15), R15

	// Go functions expect the closure in R26; the goroutine stays in R28.
	MOVD   closure+8(FP), R26
	MOVD   code+0(FP), R20
	PCDATA $PCDATA_StackMapIndex, $0
	BL     (R20)

	MOVD r+16(FP), R20
	MOVD R0, INT(0)
	MOVD R1, INT(1)
	MOVD R2, INT(2)
	MOVD R3, INT(3)
	MOVD R4, INT(4)
	MOVD R5, INT(5)
	MOVD R6, INT(6)
	MOVD R7, INT(7)
	MOVD R8, INT(8)
	MOVD R9, INT(9)
	MOVD R10, INT(10)
	MOVD R11, INT(11)
	MOVD R12, INT(12)
	MOVD R13, INT(13)
	MOVD R14, INT(14)
	MOVD R15, INT(15)

	// No safe point is passed before the pointers are where the collector sees them.
	MOVD registers_resultPointers(R20), R21
	CBZ  R21, floats
	TBZ  $0, R21, 2(PC)
	MOVD R0, POINTER(0)
	TBZ  $1, R21, 2(PC)
	MOVD R1, POINTER(1)
	TBZ  $2, R21, 2(PC)
	MOVD R2, POINTER(2)
	TBZ  $3, R21, 2(PC)
	MOVD R3, POINTER(3)
	TBZ  $4, R21, 2(PC)
	MOVD R4, POINTER(4)
	TBZ  $5, R21, 2(PC)
	MOVD R5, POINTER(5)
	TBZ  $6, R21, 2(PC)
	MOVD R6, POINTER(6)
	TBZ  $7, R21, 2(PC)
	MOVD R7, POINTER(7)
	TBZ  $8, R21, 2(PC)
	MOVD R8, POINTER(8)
	TBZ  $9, R21, 2(PC)
	MOVD R9, POINTER(9)
	TBZ  $10, R21, 2(PC)
	MOVD R10, POINTER(10)
	TBZ  $11, R21, 2(PC)
	MOVD R11, POINTER(11)
	TBZ  $12, R21, 2(PC)
	MOVD R12, POINTER(12)
	TBZ  $13, R21, 2(PC)
	MOVD R13, POINTER(13)
	TBZ  $14, R21, 2(PC)
	MOVD R14, POINTER(14)
	TBZ  $15, R21, 2(PC)
	MOVD R15, POINTER(15)

floats:
	MOVBU registers_hasFloats(R20), R21
	CBZ   R21, done
	FMOVD F0, FLOAT(0)
	FMOVD F1, FLOAT(1)
	FMOVD F2, FLOAT(2)
	FMOVD F3, FLOAT(3)
	FMOVD F4, FLOAT(4)
	FMOVD F5, FLOAT(5)
	FMOVD F6, FLOAT(6)
	FMOVD F7, FLOAT(7)
	FMOVD F8, FLOAT(8)
	FMOVD F9, FLOAT(9)
	FMOVD F10, FLOAT(10)
	FMOVD F11, FLOAT(11)
	FMOVD F12, FLOAT(12)
	FMOVD F13, FLOAT(13)
	FMOVD F14, FLOAT(14)
	FMOVD F15, FLOAT(15)

done:
	RET
