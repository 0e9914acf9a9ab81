//go:build !windows

package kernel

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// endWithLauncher calls cancel when the launcher has died, so that no orphaned kernel keeps holding
// memory. It returns when ctx is done.
func endWithLauncher(ctx context.Context, cancel context.CancelFunc, interval time.Duration) {
	if gone := launcherGone(); gone != nil {
		cancelWhen(ctx, gone, cancel, interval)
	}
}

// launcherGone returns a function that reports whether the launcher of this process has died since
// the call. Launchers of Jupyter pass their process id. It returns nil without one: the kernel was
// started by hand and outlives its parent.
func launcherGone() func() bool {
	launcher, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || launcher <= 1 {
		return nil
	}
	parent, known := os.Getppid(), alive(launcher)
	// The parent can be a wrapper of the launcher, and the launcher's id can belong to another
	// container, so each counts only if it changes.
	return func() bool { return os.Getppid() != parent || known && !alive(launcher) }
}

// cancelWhen polls gone at the interval and calls cancel when it returns true.
func cancelWhen(ctx context.Context, gone func() bool, cancel context.CancelFunc, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if gone() {
			cancel()
			return
		}
	}
}

// alive reports whether a process with this id exists.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
