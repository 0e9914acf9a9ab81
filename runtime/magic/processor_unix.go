//go:build unix

package magic

import (
	"syscall"
	"time"
)

// processorTime returns the CPU time used by the process on all CPUs.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return -1
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
