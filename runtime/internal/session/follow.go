package session

import (
	"reflect"
	"sync/atomic"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/guard"
)

// A Follower is told of the cells of a session as they run. Evaluations of the debugger and of
// clients that want no output are not followed.
type Follower interface {
	// Begin is called with a cell that has been compiled, before the session commits it and runs
	// its statements. No other cell runs until end is called.
	Begin(c Followed, checked *check.Checked, values Values) (end func(Values))
	// Failed is called with a cell that did not compile.
	Failed(c Followed)
	// Reset is called when all declarations have been removed.
	Reset()
}

// A Followed is a cell that a Follower is told of.
type Followed struct {
	ID      string // of the client; "" for none
	Number  int    // execution count
	Source  string
	Publish func(protocol.Content)
}

// Values returns the variable of a symbol. It is nil if variables cannot be read, because the
// statements of the cell have not ended or goroutines may be changing them.
type Values func(*check.Symbol) (reflect.Value, bool)

// followed returns the cell of a call.
func (e *call) followed(source string) Followed {
	return Followed{e.id, e.number, source, e.publish}
}

// follow tells the follower of a cell that is about to be committed. The cell holds the execution
// lock.
func follow(s *Session, e *call, checked *check.Checked) {
	if s.options.Follower == nil || e.silent {
		return
	}
	defer s.guard.Sharing.Hold()()
	var values Values
	if s.guard.Sharing.Quiet() {
		values = s.link.Variable
	}
	end := s.options.Follower.Begin(e.followed(e.text), checked, values)
	var told atomic.Bool
	e.ended = func(values Values) {
		if !told.Swap(true) {
			end(values)
		}
	}
}

// followed returns the step of a cell with what tells the follower of its end, on the goroutine of
// the cell, while no other cell can change variables.
func followed(s *Session, e *call, c *guard.Cell, step func()) func() {
	if e.ended == nil {
		return step
	}
	ended, stopped := e.ended, hasStopped(c)
	return func() {
		defer func() {
			if stopped() {
				return
			}
			defer s.guard.Sharing.Hold()()
			if s.guard.Sharing.Alone() {
				ended(s.link.Variable)
			}
		}()
		step()
	}
}

// stopFollowing tells the follower of the end of a cell, unless it knows of it. failed reports
// whether the cell has not been compiled.
func stopFollowing(s *Session, e *call, source string, failed bool) {
	switch {
	case s.options.Follower == nil || e.silent:
	case e.ended != nil:
		e.ended(nil)
		e.ended = nil
	case failed:
		s.options.Follower.Failed(e.followed(source))
	}
}
