//go:build amd64 || arm64 || wasm

package goroutine

// Descriptor returns the address of the calling goroutine's descriptor, which identifies the
// goroutine while it lives. It is implemented in assembly.
func Descriptor() uintptr
