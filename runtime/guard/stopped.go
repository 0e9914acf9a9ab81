package guard

import "errors"

// ErrStopped is what long compiled work returns when its cell was told to stop.
var ErrStopped = errors.New("the cell was interrupted")

// Stopped reports whether the cell of the calling goroutine was told to stop. Compiled code that
// works for long asks it now and then, since only code of cells polls by itself.
func Stopped() bool {
	c := Current()
	return c != nil && c.stopped.Load()
}
