//go:build !windows

package command

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// endWithLauncher cancels when the launcher has died, so that no orphan stays behind and
// holds memory. Launchers of Jupyter tell their process id; without it the kernel was started
// by hand and stays. It ends with the context.
func endWithLauncher(ctx context.Context, cancel context.CancelFunc, interval time.Duration) {
	launcher, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || launcher <= 1 {
		return
	}
	parent, known := os.Getppid(), alive(launcher)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// The parent can be a wrapper of the launcher, and the launcher's id can be one of
		// another container; each is believed only if it changes.
		if os.Getppid() != parent || known && !alive(launcher) {
			cancel()
			return
		}
	}
}

// alive tells whether a process exists.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
