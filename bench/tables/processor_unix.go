//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime returns the total CPU time of the program's threads.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
