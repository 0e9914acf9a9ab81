package hostcall

const (
	intRegisters   = 16
	floatRegisters = 16
	spillSize      = 320 // the frame of the trampoline
)
