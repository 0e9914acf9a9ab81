package hostcall

const (
	intRegisters   = 16
	floatRegisters = 16
	spillSize      = 320 // size of the trampoline's frame
)
