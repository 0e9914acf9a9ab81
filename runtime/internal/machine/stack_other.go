//go:build !amd64 && !arm64 && !wasm

package machine

// These functions are not called on other architectures, on which no session can be made.

func stackUsed() uintptr { return 0 }

func goroutine() uintptr { return 0 }
