package goroutine

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
)

// A State is the state of several goroutines together.
type State int

// The states of goroutines.
const (
	Asleep    State = iota // all wait for channels and locks
	Listening              // some wait for the network or a file
	Running                // some run, sleep or are in a system call
)

// StateOf returns the state of the goroutines that have a profiler label, including those that
// compiled packages have started for groups with it. It stops all goroutines briefly.
func StateOf(key, value string) State {
	state := Asleep
	for record, ok := range recordsOf(key, value) {
		if !ok {
			return Running
		}
		state = max(state, stateOf(record))
	}
	return state
}

// recordsOf returns the records of a goroutine profile for the goroutines that have a profiler
// label. ok is false if there is no profile.
func recordsOf(key, value string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		var profile bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
			yield("", false)
			return
		}
		label := fmt.Sprintf("%q:%q", key, value)
		for record := range strings.SplitSeq(profile.String(), "\n\n") {
			if _, labels, found := strings.Cut(record, "\n# labels: "); found && strings.Contains(labels, label) && !yield(record, true) {
				return
			}
		}
	}
}

// Count returns the number of goroutines that have a profiler label.
func Count(key, value string) (n int) {
	for record := range recordsOf(key, value) {
		first, _, _ := strings.Cut(strings.TrimPrefix(record, "goroutine profile: "), " @")
		if _, after, found := strings.Cut(first, "\n"); found { // the first record follows the title
			first = after
		}
		k, _ := strconv.Atoi(first)
		n += k
	}
	return n
}

// Stuck reports whether all goroutines that have a profiler label wait for channels or locks, and
// returns their number. It is certain of that: a goroutine that a compiled package has made wait
// for a channel may wait for a timer, so it does not count as stuck. The caller must know that no
// goroutine waits for a timer in code of cells.
func Stuck(key, value string) (n int, stuck bool) {
	for record, ok := range recordsOf(key, value) {
		if !ok || stateOf(record) != Asleep {
			return 0, false
		}
		caller := ""
		for line := range strings.SplitSeq(record, "\n") {
			if rest, ok := strings.CutPrefix(line, "#\t"); ok {
				fields := strings.Fields(rest)
				if len(fields) < 2 || strings.HasPrefix(fields[1], "reflect.rselect+") || strings.HasPrefix(fields[1], "reflect.chan") {
					continue
				}
				caller = fields[1]
				break
			}
		}
		if !slices.ContainsFunc(waiters, func(prefix string) bool { return strings.HasPrefix(caller, prefix) }) {
			return 0, false
		}
		n++
	}
	return n, true
}

// waiters are the prefixes of the functions in which only another goroutine can end a wait.
var waiters = []string{"sync.", "io.(*pipe).", "internal/sync.", "gosphere/runtime/internal/machine.", "gosphere/runtime/internal/exec."}

// stateOf returns the state of the goroutines of one record of a goroutine profile. Its first line
// has a number of goroutines and the program counters of their stack. The lines with names, which
// follow, omit the functions of the runtime at the top.
func stateOf(record string) State {
	if strings.Contains(record, sleeping) {
		return Running
	}
	_, first, _ := strings.Cut(record, "@")
	first, _, _ = strings.Cut(first, "\n")
	for word := range strings.FieldsSeq(first) {
		pc, err := strconv.ParseUint(word, 0, 64)
		if err != nil || pc == 0 {
			return Running
		}
		f := runtime.FuncForPC(uintptr(pc) - 1)
		if f == nil {
			return Running
		}
		switch f.Name() {
		case "runtime.gopark", "runtime.goparkunlock":
			continue
		case "runtime.chanrecv", "runtime.chansend", "runtime.selectgo", "runtime.block", "runtime.semacquire1", "sync.runtime_notifyListWait":
			return Asleep
		case "runtime.netpollblock":
			return Listening
		}
		return Running
	}
	return Running
}

// sleeping is the name of the function that replaces time.Sleep in cells, as profiles print it.
const sleeping = "runtime/internal/override.sleep+"
