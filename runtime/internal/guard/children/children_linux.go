package children

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A process is an entry of /proc.
type process struct{ id, parent, group, session int }

// parse returns the process of the text of a file /proc/ID/stat: ID (NAME) STATE PARENT GROUP
// SESSION ... The name can contain blanks and parentheses.
func parse(text string) (p process, ok bool) {
	head, rest, found := strings.Cut(text, " (")
	at := strings.LastIndexByte(rest, ')')
	if !found || at < 0 {
		return p, false
	}
	var state string
	n, _ := fmt.Sscan(rest[at+1:], &state, &p.parent, &p.group, &p.session)
	var err error
	p.id, err = strconv.Atoi(head)
	return p, n == 4 && err == nil
}

// end kills the processes of the groups and the descendants of this process, in its session. A
// process can start others while its parent is killed, so it looks until there are no more.
func end(groups map[int]bool) {
	own, session := os.Getpid(), 0
	for range 10 {
		files, _ := filepath.Glob("/proc/[0-9]*/stat")
		var all []process
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // it has ended
			}
			if p, ok := parse(string(text)); ok {
				all = append(all, p)
				if p.id == own {
					session = p.session
				}
			}
		}
		victims := chosen(all, groups, own, session)
		if len(victims) == 0 {
			return
		}
		for _, id := range victims {
			_ = syscall.Kill(id, syscall.SIGKILL)
			var status syscall.WaitStatus
			_, _ = syscall.Wait4(id, &status, syscall.WNOHANG, nil) // a child stays in /proc until it is waited for
		}
	}
}

// chosen returns the processes to kill.
func chosen(all []process, groups map[int]bool, own, session int) []int {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var victims []int
	seen := map[int]bool{own: true}
	var add func(p process)
	add = func(p process) {
		if seen[p.id] || p.session != session {
			return
		}
		seen[p.id] = true
		victims = append(victims, p.id)
		for _, child := range children[p.id] {
			add(child)
		}
	}
	for _, p := range children[own] {
		add(p)
	}
	for _, p := range all {
		if groups[p.group] {
			add(p)
		}
	}
	return victims
}
