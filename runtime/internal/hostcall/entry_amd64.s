#include "textflag.h"
#include "funcdata.h"
#include "go_asm.h"

#define INT(i, r) MOVQ r, (words_ints+8*(i))(SP)
#define FLOAT(i, r) MOVSD r, (words_floats+8*(i))(SP)
#define POINTER(i, r) \
	XORL    R13, R13; \
	BTQ     $(i), R15; \
	CMOVQCS r, R13; \
	MOVQ    R13, (words_pointers+8*(i))(SP)

// The entry is the code of func values. Go calls it with the arguments in registers and the Func in
// DX. It calls
//
//	entered(f *Func, in words) (registers of the results)
//
// or enteredFloats, with f in AX and in on the stack, where Go's calling convention has an argument
// that contains arrays. The word after in is for the called function to save f. The results stay
// in their registers.
//
// The collector sees the arguments as those of entered, whose types say which words are pointers.
// Until the call it sees neither the registers nor the frame. That is safe because the goroutine
// cannot stop here: the entry does not check the stack, and the runtime does not preempt assembly
// functions.
TEXT ·entry(SB), NOSPLIT, $272-0
	NO_LOCAL_POINTERS
	MOVQ Func_layout(DX), R12
	MOVQ Layout_argumentPointers(R12), R15
	INT(0, AX)
	INT(1, BX)
	INT(2, CX)
	INT(3, DI)
	POINTER(0, AX)
	POINTER(1, BX)
	POINTER(2, CX)
	POINTER(3, DI)
	CMPB Layout_argumentInts(R12), $4
	JHI  more
	MOVUPS X15, (words_pointers+8*4)(SP)
	MOVUPS X15, (words_pointers+8*6)(SP)
	MOVSD  X15, (words_pointers+8*8)(SP)

floats:
	MOVQ DX, AX
	CMPB Layout_hasFloats(R12), $0
	JNE  withFloats
	MOVQ   ·enteredCode(SB), R12
	PCDATA $PCDATA_StackMapIndex, $0
	CALL   R12
	RET

more:
	INT(4, SI)
	INT(5, R8)
	INT(6, R9)
	INT(7, R10)
	INT(8, R11)
	POINTER(4, SI)
	POINTER(5, R8)
	POINTER(6, R9)
	POINTER(7, R10)
	POINTER(8, R11)
	JMP floats

withFloats:
	FLOAT(0, X0)
	FLOAT(1, X1)
	FLOAT(2, X2)
	FLOAT(3, X3)
	FLOAT(4, X4)
	FLOAT(5, X5)
	FLOAT(6, X6)
	FLOAT(7, X7)
	FLOAT(8, X8)
	FLOAT(9, X9)
	FLOAT(10, X10)
	FLOAT(11, X11)
	FLOAT(12, X12)
	FLOAT(13, X13)
	FLOAT(14, X14)
	MOVQ   ·enteredFloatsCode(SB), R12
	PCDATA $PCDATA_StackMapIndex, $0
	CALL   R12
	RET

DATA ·entryCode(SB)/8, $·entry(SB)
GLOBL ·entryCode(SB), NOPTR, $8
