package debug

import (
	"slices"

	"gosphere/internal/kernel/protocol"
)

// A step is one in progress: from where, and which way. It goes from line to line: other
// statements of the line where it begins are passed, but the same one in the next turn of a loop
// is not. What a loop over a function calls to get from turn to turn is passed as well.
type step struct {
	how    string
	from   *Frame // the call whose statements it began in
	caller *Frame // and the one to which that returns, nil for none
	site   *Site
}

// newStep begins a step of a stopped thread; nil to go on without one.
func newStep(t *Thread, how string) *step {
	if how == protocol.DebugContinue || len(t.frames) == 0 {
		return nil
	}
	f := t.frames[len(t.frames)-1]
	s := &step{how: how, from: f.owner, site: f.site}
	if at := slices.Index(t.frames, f.owner); at > 0 {
		s.caller = t.frames[at-1].owner
	}
	return s
}

// ends reports whether the step ends where a frame is now.
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

// moved reports whether a frame of the function where the step began is at another line, or at the
// same statement again.
func (s *step) moved(f *Frame) bool {
	return f.site == s.site || f.site.Line != s.site.Line || f.site.Path != s.site.Path
}
