package schedule

import (
	"strings"

	"gosphere/internal/goroutine"
	"gosphere/internal/modulepath"
)

// An Activity reports on the goroutine that runs the statements of a cell. Outside and Observed may
// be called from any goroutine.
type Activity interface {
	// Outside returns a number that changes whenever the goroutine enters or leaves compiled code,
	// and reports whether it is in compiled code or waiting.
	Outside() (moves uint64, outside bool)
	// Observed returns the calls of cells in progress, innermost first, and the name of the
	// function that the innermost one has called or of the operation that it waits for. ok reports
	// whether the goroutine was outside throughout; otherwise the other results are meaningless.
	Observed() (call string, calls []string, ok bool)
	// Timed reports whether a timer or a context may end the operation that Observed returns.
	Timed() bool
	// Calls is Observed for the goroutine itself.
	Calls() (call string, calls []string)
}

// A stackSample is a sample of a cell's position.
type stackSample struct {
	user         *User
	polls, moves uint64
	outside      bool   // in compiled code
	stack        string // set if an earlier sample was at the same position
}

// sample samples the goroutine that runs the statements.
func (u *User) sample() stackSample {
	l := stackSample{user: u, polls: u.polls.Load()}
	if a := u.Activity(); a != nil {
		l.moves, l.outside = a.Outside()
	}
	return l
}

// staysInCall reports whether two samples show the cell in the same call of compiled code, either
// waiting or making progress in it. A goroutine that does neither may simply not have been
// scheduled. A call that uses a map does not count: another cell could use the same map if it got
// the execution lock.
func (l *stackSample) staysInCall(before stackSample) bool {
	if !l.outside || l.user != before.user || l.polls != before.polls || l.moves != before.moves {
		return false
	}
	// The stack is taken only if the cheap comparison does not rule the call out, because it stops
	// all goroutines.
	l.stack = goroutine.Stack(l.user.number.Load())
	inside := l.stack
	for _, p := range machine {
		inside, _, _ = strings.Cut(inside, p)
	}
	for _, operation := range mapOperations {
		if strings.Contains(inside, operation) {
			return false
		}
	}
	return goroutine.Waits(l.stack) || before.stack != "" && l.stack != before.stack
}

// machine lists the prefixes of the frames of running cells in a stack. A sample is compared only
// up to the first of them, which is the part in compiled code.
var machine = []string{"\n" + modulepath.Path + "/runtime/internal/machine.", "\n" + modulepath.Path + "/runtime/internal/exec."}

// mapOperations lists the prefixes of the frames of map operations.
var mapOperations = []string{
	"\ninternal/runtime/maps.", "\nruntime.map", "\nreflect.map", "\nreflect.(*MapIter)", "\nreflect.Value.MapRange", "\nreflect.Value.MapKeys",
	"\nreflect.Value.MapIndex", "\nreflect.Value.SetMapIndex",
}
