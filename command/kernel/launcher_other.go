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

// endWithLauncher cancels when the launcher has died, so that no orphan stays behind and
// holds memory. It ends with the context.
func endWithLauncher(ctx context.Context, cancel context.CancelFunc, interval time.Duration) {
	if gone := launcherGone(); gone != nil {
		cancelWhen(ctx, gone, cancel, interval)
	}
}

// launcherGone returns a function that reports whether the launcher of this process, as it is now,
// has died. Launchers of Jupyter tell their process id; without it the kernel was started by
// hand and stays, and there is no such function.
func launcherGone() func() bool {
	launcher, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || launcher <= 1 {
		return nil
	}
	parent, known := os.Getppid(), alive(launcher)
	// The parent can be a wrapper of the launcher, and the launcher's id can be one of
	// another container; each is believed only if it changes.
	return func() bool { return os.Getppid() != parent || known && !alive(launcher) }
}

// cancelWhen asks again and again until it may cancel.
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

// alive reports whether a process exists.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
