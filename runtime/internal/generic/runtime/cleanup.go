// Package cleanup holds the generic function of the standard package runtime.
package cleanup

import (
	"runtime"
	"time"

	"gosphere/runtime/internal/generic/erased"
)

// AddCleanup calls cleanup with arg, on a separate goroutine, after the variable that ptr points to
// has become unreachable. It panics if ptr is nil or equal to arg.
//
// The cleanup runs on a goroutine of a timer and not on one of the runtime, which all cleanups of
// the process share. Code of cells may take long there, or wait for the execution lock.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) runtime.Cleanup {
	if ptr == nil {
		panic("runtime.AddCleanup: ptr is nil")
	}
	// The argument would keep the variable reachable.
	if kept, ok := any(arg).(*T); ok && kept == ptr {
		panic("runtime.AddCleanup: ptr is equal to arg, cleanup will never run")
	}
	return erased.AddCleanup(ptr, func() { time.AfterFunc(0, func() { cleanup(arg) }) })
}
