package guard

import "errors"

// ErrStopped is returned by long-running compiled functions when their cell has been stopped.
var ErrStopped = errors.New("the cell was interrupted")

// Stopped reports whether the cell of the calling goroutine has been stopped. Long-running compiled
// functions should call it regularly, since only code of cells polls automatically.
func Stopped() bool {
	c := Current()
	return c != nil && c.stopped.Load()
}
