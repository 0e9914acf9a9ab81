package hostcall

const (
	intRegisters   = 9
	floatRegisters = 15
	spillSize      = 320 // size of the trampoline's frame
)
