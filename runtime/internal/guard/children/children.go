// Package children ends the processes that cells have started when the kernel ends.
//
// A process that outlives its kernel would keep ports, files and CPUs, and its user would have no
// way to find it. Processes that a cell started on purpose to stay, with nohup or setsid, have a
// session of their own and stay.
package children

import "sync"

// groups are the process groups that shell commands of cells have started.
var groups struct {
	mu  sync.Mutex // guards ids
	ids map[int]bool
}

// Track records the process group of a shell command, and forgets those that have no process left.
func Track(group int) {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	if groups.ids == nil {
		groups.ids = map[int]bool{}
	}
	for id := range groups.ids {
		if !exists(id) {
			delete(groups.ids, id)
		}
	}
	groups.ids[group] = true
}

// End kills the processes in the recorded groups and the descendants of this process. It is called
// when the kernel ends.
func End() {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	end(groups.ids)
}
