//go:build !linux && !darwin && !windows

package machine

// processorName returns "", which means unknown.
func processorName() string { return "" }

// memory returns zeros, which mean unknown.
func memory() (total, free uint64) { return 0, 0 }
