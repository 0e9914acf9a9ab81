#include "textflag.h"

// A method table holds addresses of code, and code cannot be made at run time on every
// system. So there is a fixed number of stubs: stub i jumps to the closure in slots[i].
// It changes no register that can hold an argument, so it serves every signature:
// R26 is the closure pointer of a Go call, R16 is free at a call.
//
// The first instruction becomes two (ADRP and a load), so a stub has 16 bytes.
#define STUB(i) \
	MOVD ·slots+((i)*8)(SB), R26; \
	MOVD (R26), R16; \
	JMP (R16);

#define STUB8(i) \
	STUB(i); STUB((i)+1); STUB((i)+2); STUB((i)+3); \
	STUB((i)+4); STUB((i)+5); STUB((i)+6); STUB((i)+7);

#define STUB64(i) \
	STUB8(i); STUB8((i)+8); STUB8((i)+16); STUB8((i)+24); \
	STUB8((i)+32); STUB8((i)+40); STUB8((i)+48); STUB8((i)+56);

#define STUB512(i) \
	STUB64(i); STUB64((i)+64); STUB64((i)+128); STUB64((i)+192); \
	STUB64((i)+256); STUB64((i)+320); STUB64((i)+384); STUB64((i)+448);

#define STUB4096(i) \
	STUB512(i); STUB512((i)+512); STUB512((i)+1024); STUB512((i)+1536); \
	STUB512((i)+2048); STUB512((i)+2560); STUB512((i)+3072); STUB512((i)+3584);

// The stubs are one function, so that they cost one entry in the linker's tables. Their
// number is stubCount, their distance stubSize.
TEXT ·stubs(SB), NOSPLIT|NOFRAME, $0-0
	STUB4096(0)
	STUB4096(4096)
	STUB4096(8192)
	STUB4096(12288)
	STUB4096(16384)
	STUB4096(20480)
	STUB4096(24576)
	STUB4096(28672)
	STUB4096(32768)
	STUB4096(36864)
	STUB4096(40960)
	STUB4096(45056)
	STUB4096(49152)
	STUB4096(53248)
	STUB4096(57344)
	STUB4096(61440)
	RET

DATA ·firstStub(SB)/8, $·stubs(SB)
GLOBL ·firstStub(SB), NOPTR, $8
