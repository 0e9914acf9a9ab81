package hostcall

const (
	// AX, BX, CX, DI, SI, R8, R9, R10 and R11, and X0 to X14, in the order of abi-internal.md.
	intRegisters   = 9
	floatRegisters = 15
	spillSize      = 320 // size of the trampoline's frame
)
