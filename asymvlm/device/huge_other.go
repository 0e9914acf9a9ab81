//go:build !linux

package device

// onHugePages returns s and leaves the page size to the system.
func onHugePages[E Float | int32](s []E) []E { return s }
