//go:build !js

package machine

import "sync/atomic"

// A Flag is the stop flag of a machine. Another goroutine sets it while code of cells runs.
type Flag struct{ atomic.Uint32 }

// returned does nothing: see the flag of builds for the browser.
func (f *Flag) returned() {}

// Limits on Go's stack, which nested calls of cells use.
const (
	depthMask = 127 // the stack is checked at every 128th level
	// moreStack is the additional stack for deferred calls each time the limit is reached.
	moreStack = 32 << 20
)

// An engineStack is empty outside browsers.
type engineStack struct{}

// unwind does nothing: calls use no stack but Go's own.
func (engineStack) unwind(uintptr) {}
