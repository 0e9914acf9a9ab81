//go:build unix && !linux

package children

import "syscall"

// end kills the processes of the groups.
func end(groups map[int]bool) {
	for group := range groups {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
}
