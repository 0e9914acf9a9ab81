package machine

import "sync"

// An escapedPanic has the calls of cells that were in progress when a panic left the machine for
// compiled code. A function of compiled code that recovers the panic may write a stack trace, as
// the server of net/http does. The runtime's trace shows calls of the machine at that time, and the
// machine has left these calls.
type escapedPanic struct {
	frame Frame
	site  *Site
	calls []StackFrame
}

// mostKept is the number of calls that are kept from each end of a deep stack.
const mostKept = 1000

// escape records the calls in progress. The thread ends if it is fresh.
//
// A panic leaves the machine several times if functions of cells and compiled functions have called
// each other. Only the first time has all calls.
func (t *Thread) escape(fresh bool) {
	if e := &t.escaped; e.calls == nil || e.frame != t.frame || e.site != t.site {
		list := []StackFrame(nil)
		if t.pending != nil {
			list = t.pending.frames
		} else {
			list = t.calls()
		}
		if len(list) > 2*mostKept {
			list = append(list[:mostKept:mostKept], list[len(list)-mostKept:]...)
		}
		t.escaped = escapedPanic{t.frame, t.site, list}
	}
	if fresh {
		ended.Lock()
		defer ended.Unlock()
		ended.list[ended.next] = endedThread{t.g.Load(), t.escaped.calls}
		ended.next = (ended.next + 1) % len(ended.list)
	}
}

// An endedThread has the calls of a panic that has ended a thread, with its goroutine.
type endedThread struct {
	g     uintptr
	calls []StackFrame
}

// ended has the last threads that a panic has ended. The trace is usually written right after the
// end, so a few are enough.
var ended struct {
	sync.Mutex
	list [64]endedThread
	next int
}

// Escaped returns the calls of cells that were in progress when the last panic on the calling
// goroutine left the machine, innermost first, or nil. The thread still has the position of the
// panic, because only code of cells that runs on changes it.
func Escaped() []StackFrame {
	if t := Current(); t != nil {
		t.escape(false)
		return t.escaped.calls
	}
	g := goroutine()
	ended.Lock()
	defer ended.Unlock()
	for i := range ended.list {
		e := ended.list[(ended.next+len(ended.list)-1-i)%len(ended.list)]
		if e.g == g {
			return e.calls
		}
	}
	return nil
}
