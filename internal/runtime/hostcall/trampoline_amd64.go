package hostcall

const (
	intRegisters   = 9
	floatRegisters = 15
	spillSize      = 320 // the frame of the trampoline
)
