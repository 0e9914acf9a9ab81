#include "textflag.h"
#include "funcdata.h"
#include "go_asm.h"

#define INT(i) (registers_ints+8*(i))(R12)
#define FLOAT(i) (registers_floats+8*(i))(R12)
#define POINTER(i) (registers_pointers+8*(i))(R12)

// func trampoline(code uintptr, closure unsafe.Pointer, r *registers)
//
// The frame is the space in which the function called may save the registers of its arguments.
// The call may move the stack, so r is read again after it.
TEXT ·trampoline(SB), 0, $320-24
	NO_LOCAL_POINTERS
	MOVQ r+16(FP), R12
	CMPB registers_hasFloats(R12), $0
	JEQ  ints
	MOVQ FLOAT(0), X0
	MOVQ FLOAT(1), X1
	MOVQ FLOAT(2), X2
	MOVQ FLOAT(3), X3
	MOVQ FLOAT(4), X4
	MOVQ FLOAT(5), X5
	MOVQ FLOAT(6), X6
	MOVQ FLOAT(7), X7
	MOVQ FLOAT(8), X8
	MOVQ FLOAT(9), X9
	MOVQ FLOAT(10), X10
	MOVQ FLOAT(11), X11
	MOVQ FLOAT(12), X12
	MOVQ FLOAT(13), X13
	MOVQ FLOAT(14), X14

ints:
	MOVQ INT(0), AX
	MOVQ INT(1), BX
	MOVQ INT(2), CX
	MOVQ INT(3), DI
	MOVQ INT(4), SI
	MOVQ INT(5), R8
	MOVQ INT(6), R9
	MOVQ INT(7), R10
	MOVQ INT(8), R11

	// Go functions expect the closure in DX, the goroutine in R14 and zero in X15.
	MOVQ   closure+8(FP), DX
	MOVQ   code+0(FP), R13
	XORPS  X15, X15
	MOVQ   (TLS), R14
	PCDATA $PCDATA_StackMapIndex, $0
	CALL   R13

	MOVQ r+16(FP), R12
	MOVQ AX, INT(0)
	MOVQ BX, INT(1)
	MOVQ CX, INT(2)
	MOVQ DI, INT(3)
	MOVQ SI, INT(4)
	MOVQ R8, INT(5)
	MOVQ R9, INT(6)
	MOVQ R10, INT(7)
	MOVQ R11, INT(8)

	// No safe point is passed before the pointers are where the collector sees them.
	MOVQ  registers_resultPointers(R12), R13
	TESTQ R13, R13
	JEQ   floats
	BTQ  $0, R13
	JCC  2(PC)
	MOVQ AX, POINTER(0)
	BTQ  $1, R13
	JCC  2(PC)
	MOVQ BX, POINTER(1)
	BTQ  $2, R13
	JCC  2(PC)
	MOVQ CX, POINTER(2)
	BTQ  $3, R13
	JCC  2(PC)
	MOVQ DI, POINTER(3)
	BTQ  $4, R13
	JCC  2(PC)
	MOVQ SI, POINTER(4)
	BTQ  $5, R13
	JCC  2(PC)
	MOVQ R8, POINTER(5)
	BTQ  $6, R13
	JCC  2(PC)
	MOVQ R9, POINTER(6)
	BTQ  $7, R13
	JCC  2(PC)
	MOVQ R10, POINTER(7)
	BTQ  $8, R13
	JCC  2(PC)
	MOVQ R11, POINTER(8)

floats:
	CMPB registers_hasFloats(R12), $0
	JEQ  done
	MOVQ X0, FLOAT(0)
	MOVQ X1, FLOAT(1)
	MOVQ X2, FLOAT(2)
	MOVQ X3, FLOAT(3)
	MOVQ X4, FLOAT(4)
	MOVQ X5, FLOAT(5)
	MOVQ X6, FLOAT(6)
	MOVQ X7, FLOAT(7)
	MOVQ X8, FLOAT(8)
	MOVQ X9, FLOAT(9)
	MOVQ X10, FLOAT(10)
	MOVQ X11, FLOAT(11)
	MOVQ X12, FLOAT(12)
	MOVQ X13, FLOAT(13)
	MOVQ X14, FLOAT(14)

done:
	RET
