//go:build !linux

package kernel

// releasePages does nothing: the system has no such advice.
func releasePages() {}
