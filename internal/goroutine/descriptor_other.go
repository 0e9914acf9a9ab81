//go:build !amd64 && !arm64 && !wasm

package goroutine

// Descriptor is not called on other architectures, on which no session can be made.
func Descriptor() uintptr { return 0 }
