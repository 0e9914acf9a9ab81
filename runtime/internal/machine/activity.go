package machine

// A thread counts the times that its goroutine enters or leaves compiled code, or an operation that
// may wait. The count is odd while the goroutine is outside. If another goroutine reads the same
// odd number twice, the first one has stayed in the same call, and its frames have not changed.

// Out records that the code of f enters compiled code at a site, or begins to wait there.
func (t *Thread) Out(f Frame, s *Site) {
	t.frame, t.site = f, s
	t.moves.out()
}

// In records that the goroutine has returned from compiled code or stopped waiting.
func (t *Thread) In() {
	t.moves.in()
	t.m.Stop.returned()
}

// back records that the goroutine runs code of cells again, after compiled code has called a
// function of cells or after a panic. It reports whether the goroutine was in compiled code. The
// parity makes the operation idempotent.
func (t *Thread) back() bool {
	if !t.outside() {
		return false
	}
	t.moves.in()
	return true
}

// outside reports whether the goroutine of the thread, which calls it, is outside.
func (t *Thread) outside() bool { return t.moves&1 != 0 }

// Outside returns the number of moves of the goroutine, and reports whether it is in compiled code
// or waiting. It may be called from any goroutine. The race is deliberate. A torn or stale value
// cannot be observed on supported architectures, and a decision requires two equal samples.
//
//go:norace
func (t *Thread) Outside() (moves uint64, outside bool) {
	moves = uint64(t.moves)
	return moves, moves&1 != 0
}

// maxObserved bounds the calls that Observed returns. The list may be inconsistent, even cyclic, if
// it changes while it is read.
const maxObserved = 10000

// Observed returns the calls of cells in progress, innermost first, and the name of the function
// that the innermost one has called or of the operation that it waits for. It may be called from
// any goroutine. ok reports whether the goroutine was outside throughout; otherwise the other
// results are meaningless.
//
//go:norace
func (t *Thread) Observed() (call string, list []StackFrame, ok bool) {
	// The reads of frames are races as well, with the goroutine that may continue at any time.
	// Their result is used only if the count has not changed.
	before, outside := t.Outside()
	if !outside {
		return "", nil, false
	}
	// A frame is never freed while it is reachable from the local f, so that following the chain is
	// safe even if it changes.
	f, s := t.frame, t.site
	if s != nil {
		call = s.What
	}
	for f != nil && len(list) < maxObserved {
		h := HeaderOf(f)
		if code := h.Code; code != nil {
			list = appendCalls(list, code, s)
			list[len(list)-1].Entered = h.entered
		}
		f, s = h.caller, h.site
	}
	after, _ := t.Outside()
	return call, list, before == after
}

// Timed reports whether a timer or a context may end the operation that Observed returns. It may be
// called from any goroutine.
//
//go:norace
func (t *Thread) Timed() bool { return t.site != nil && t.site.Timed }

// Calls is like Observed for the goroutine of the thread itself, which need not be outside.
func (t *Thread) Calls() (call string, list []StackFrame) {
	if _, outside := t.Outside(); outside && t.site != nil {
		call = t.site.What
	}
	return call, frames(t.frame, t.site, nil)
}

// appendCalls appends the call of a function that has reached a site. If the site is in an inlined
// function, the call of that function precedes it. A nil site means that the function has just been
// entered.
//
//go:norace
func appendCalls(list []StackFrame, c *Code, s *Site) []StackFrame {
	if s == nil {
		s = c.Begins
	}
	for s.Outer != nil {
		list = append(list, StackFrame{Func: s.Fn, File: s.File, Line: s.Line})
		s = s.Outer
	}
	return append(list, StackFrame{Func: c.Fn, File: s.File, Line: s.Line})
}
