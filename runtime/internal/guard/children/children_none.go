//go:build !unix

package children

// exists returns false: the system has no process groups.
func exists(int) bool { return false }

// end does nothing.
func end(map[int]bool) {}
