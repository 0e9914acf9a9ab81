package machine

// A thread counts how often its goroutine has entered or left compiled code, or an operation that
// may wait. Another goroutine that finds the same odd number twice knows that the first one has
// been in the same call all the time, and that its frames have not changed.

// Out notes that the code of f enters compiled code at a site, or begins to wait there.
func (t *Thread) Out(f Frame, s *Site) {
	t.frame, t.site = f, s
	t.moves.Add()
}

// In notes that the goroutine is back.
func (t *Thread) In() { t.moves.Add() }

// back notes that the goroutine runs code of cells, wherever it was before: in a function that
// compiled code has called, or after a panic. It reports whether it was in compiled code.
func (t *Thread) back() bool {
	if t.moves&1 == 0 {
		return false
	}
	t.moves.Add()
	return true
}

// Outside returns the number of moves of the goroutine, and whether it is in compiled code or
// waits. Any goroutine may call it.
//
//go:norace
func (t *Thread) Outside() (moves uint64, outside bool) {
	moves = uint64(t.moves)
	return moves, moves&1 != 0
}

// maxObserved bounds the calls that Observed lists: they may change while they are read.
const maxObserved = 10000

// Observed lists the calls of cells in progress, innermost first, and names what the innermost one
// has called or waits for. Any goroutine may call it. It reports whether the goroutine was outside
// all the time; the answer means nothing otherwise.
//
//go:norace
func (t *Thread) Observed() (call string, list []StackFrame, ok bool) {
	before, outside := t.Outside()
	if !outside {
		return "", nil, false
	}
	f, s := t.frame, t.site
	if s != nil {
		call = s.What
	}
	for f != nil && len(list) < maxObserved {
		h := HeaderOf(f)
		if code := h.Code; code != nil {
			list = append(list, frameAt(code, s))
		}
		f, s = h.caller, h.site
	}
	after, _ := t.Outside()
	return call, list, before == after
}

// Calls is Observed for the goroutine of the thread itself, wherever it is.
func (t *Thread) Calls() (call string, list []StackFrame) {
	if _, outside := t.Outside(); outside && t.site != nil {
		call = t.site.What
	}
	return call, t.m.frames(t.frame, t.site)
}

// frameAt describes a call of a function that has come to a site, nil if it has only begun.
//
//go:norace
func frameAt(c *Code, s *Site) StackFrame {
	if s == nil {
		s = c.Begins
	}
	return StackFrame{Func: c.Fn, File: s.File, Line: s.Line}
}
