//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime returns what the program's threads have used of the processors, together.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
