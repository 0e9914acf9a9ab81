package guard

// stackUsed is the number of bytes between the top of the goroutine's stack and here.
func stackUsed() uintptr

// goroutine is the address of the goroutine's descriptor, which serves as its identity
// while it lives.
func goroutine() uintptr
