//go:build unix

package children

import "syscall"

// exists reports whether a process group has processes.
func exists(group int) bool { return syscall.Kill(-group, 0) != syscall.ESRCH }
