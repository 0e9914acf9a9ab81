package debug

import (
	"slices"

	"gosphere/kernel/protocol"
)

// A step is a step in progress: its start and its kind. It proceeds by lines: it skips other
// statements on the line where it started, but not the same statement in the next iteration of a
// loop. It also skips the calls by which a range-over-func loop iterates. Frames are compared by
// identity and not by depth alone, since a goroutine may have returned and called again. For
// instance, from the call of f in a loop, next stops at the following line of the same call, or in
// the caller if the call returns first, but not in a recursive call of the function.
type step struct {
	how    string
	from   *Frame // the call whose statements it started in
	caller *Frame // the caller of that call, nil for none
	site   *Site
}

// newStep returns the step of a stopped thread, or nil to continue without one. The caller is the
// owner of the next outer frame, so that a step out of the body of a range-over-func loop leaves
// the enclosing function, not just the body.
func newStep(t *Thread, how string) *step {
	if how == protocol.DebugContinue || len(t.frames) == 0 {
		return nil
	}
	// The innermost call, which may be the body of a loop, while its owner is the call that a
	// reader sees.
	f := t.frames[len(t.frames)-1]
	s := &step{how: how, from: f.owner, site: f.site}
	if at := slices.Index(t.frames, f.owner); at > 0 {
		s.caller = t.frames[at-1].owner
	}
	return s
}

// ends reports whether the step ends at the current position of a frame. A call counts as returned
// when its caller runs again, or a call further out if the caller has ended as well.
func (s *step) ends(f *Frame) bool {
	own := f.owner == s.from
	returned := !own && s.caller != nil && (f.owner == s.caller || f.depth < s.caller.depth)
	switch s.how {
	case protocol.DebugStepOut:
		return returned
	case protocol.DebugNext:
		return own && s.moved(f) || returned
	}
	return !own || s.moved(f)
}

// moved reports whether a frame of the function where the step started is at another line, or at
// the same statement again. Reaching the same statement again means another iteration of a loop.
func (s *step) moved(f *Frame) bool {
	return f.site == s.site || f.site.Line != s.site.Line || f.site.Path != s.site.Path
}
