//go:build !linux

package device

// onHugePages leaves the choice of pages to the system.
func onHugePages[E Float | int32](s []E) []E { return s }
