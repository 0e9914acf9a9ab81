// Package cleanup holds the generic function of the standard package runtime.
package cleanup

import (
	"runtime"
	"time"

	"gosphere/internal/runtime/generic/erased"
)

// AddCleanup calls cleanup with arg, on a separate goroutine, after the variable that ptr points to
// has become unreachable. It panics if ptr is nil or equal to arg.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) runtime.Cleanup {
	if ptr == nil {
		panic("runtime.AddCleanup: ptr is nil")
	}
	if kept, ok := any(arg).(*T); ok && kept == ptr {
		panic("runtime.AddCleanup: ptr is equal to arg, cleanup will never run")
	}
	return erased.AddCleanup(ptr, func() { time.AfterFunc(0, func() { cleanup(arg) }) })
}
