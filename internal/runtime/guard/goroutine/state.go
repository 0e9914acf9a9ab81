package goroutine

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
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
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return Running
	}
	state, label := Asleep, fmt.Sprintf("%q:%q", key, value)
	for record := range strings.SplitSeq(profile.String(), "\n\n") {
		if _, labels, found := strings.Cut(record, "\n# labels: "); found && strings.Contains(labels, label) {
			state = max(state, stateOf(record))
		}
	}
	return state
}

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
const sleeping = "internal/runtime/override.sleep+"
