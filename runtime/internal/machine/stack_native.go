//go:build amd64 || arm64 || wasm

package machine

// stackUsed returns the number of bytes between the start of the goroutine's stack and the current
// stack pointer. It is written in assembly, because Go code has no access to the bounds of the
// stack.
func stackUsed() uintptr

// goroutine returns the address of the goroutine's descriptor, which identifies the goroutine while
// it runs. A descriptor is reused for another goroutine when its goroutine has ended, so a thread
// must be released before that.
func goroutine() uintptr
