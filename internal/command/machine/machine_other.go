//go:build !linux && !darwin && !windows

package machine

// processorName returns "", for unknown.
func processorName() string { return "" }

// memory returns zeros, for unknown.
func memory() (total, free uint64) { return 0, 0 }
