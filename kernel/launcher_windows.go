package kernel

import (
	"context"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/windows"
)

// endWithLauncher calls cancel when the launcher has died, so that no orphaned kernel keeps holding
// memory. On Windows launchers of Jupyter pass a handle of their process, which is signaled when
// the process ends. Without one the kernel was started by hand and outlives its parent.
// endWithLauncher returns when ctx is done.
func endWithLauncher(ctx context.Context, cancel context.CancelFunc, interval time.Duration) {
	number, err := strconv.ParseUint(os.Getenv("JPY_PARENT_PID"), 10, 64)
	if err != nil || number == 0 {
		return
	}
	launcher := windows.Handle(number)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		switch event, err := windows.WaitForSingleObject(launcher, 0); {
		case err != nil:
			return // not a handle that this process owns
		case event == windows.WAIT_OBJECT_0:
			cancel()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
