#include "textflag.h"
#include "funcdata.h"
#include "go_asm.h"

// Arguments on the stack begin above the word for the return address.
#define INT(i, r) MOVD r, (8+words_ints+8*(i))(RSP)
#define FLOAT(i, r) FMOVD r, (8+words_floats+8*(i))(RSP)
#define POINTER(i, r) \
	TST  $(1<<(i)), R21; \
	CSEL NE, r, ZR, R22; \
	MOVD R22, (8+words_pointers+8*(i))(RSP)

// The entry is that of entry_amd64.s. Go calls it with the Func in R26, and it calls entered or
// enteredFloats with f in R0.
TEXT ·entry(SB), NOSPLIT, $392-0
	NO_LOCAL_POINTERS
	MOVD Func_layout(R26), R20
	MOVD Layout_argumentPointers(R20), R21
	INT(0, R0)
	INT(1, R1)
	INT(2, R2)
	INT(3, R3)
	INT(4, R4)
	INT(5, R5)
	INT(6, R6)
	INT(7, R7)
	INT(8, R8)
	INT(9, R9)
	INT(10, R10)
	INT(11, R11)
	INT(12, R12)
	INT(13, R13)
	INT(14, R14)
	INT(15, R15)
	POINTER(0, R0)
	POINTER(1, R1)
	POINTER(2, R2)
	POINTER(3, R3)
	POINTER(4, R4)
	POINTER(5, R5)
	POINTER(6, R6)
	POINTER(7, R7)
	POINTER(8, R8)
	POINTER(9, R9)
	POINTER(10, R10)
	POINTER(11, R11)
	POINTER(12, R12)
	POINTER(13, R13)
	POINTER(14, R14)
	POINTER(15, R15)
	MOVD  R26, R0
	MOVBU Layout_hasFloats(R20), R20
	CBNZ  R20, floats
	MOVD   ·enteredCode(SB), R20
	PCDATA $PCDATA_StackMapIndex, $0
	BL     (R20)
	RET

floats:
	FLOAT(0, F0)
	FLOAT(1, F1)
	FLOAT(2, F2)
	FLOAT(3, F3)
	FLOAT(4, F4)
	FLOAT(5, F5)
	FLOAT(6, F6)
	FLOAT(7, F7)
	FLOAT(8, F8)
	FLOAT(9, F9)
	FLOAT(10, F10)
	FLOAT(11, F11)
	FLOAT(12, F12)
	FLOAT(13, F13)
	FLOAT(14, F14)
	FLOAT(15, F15)
	MOVD   ·enteredFloatsCode(SB), R20
	PCDATA $PCDATA_StackMapIndex, $0
	BL     (R20)
	RET

DATA ·entryCode(SB)/8, $·entry(SB)
GLOBL ·entryCode(SB), NOPTR, $8
