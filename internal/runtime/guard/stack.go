package guard

// goroutine returns the address of the goroutine's descriptor, which identifies the goroutine while
// it lives. It is implemented in assembly.
func goroutine() uintptr
