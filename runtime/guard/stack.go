package guard

// goroutine is the address of the goroutine's descriptor, which serves as its identity
// while it lives.
func goroutine() uintptr
