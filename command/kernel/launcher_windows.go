package kernel

import (
	"context"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/windows"
)

// endWithLauncher cancels when the launcher has died, so that no orphan stays behind and
// holds memory. On Windows launchers of Jupyter hand over a handle of their process, which
// is signalled when that ends; without one the kernel was started by hand and stays. It ends
// with the context.
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
			return // no handle that this process has got
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
