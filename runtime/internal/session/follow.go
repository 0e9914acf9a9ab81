package session

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/guard"
)

// A Follower is told of the cells of a session as they run. Evaluations of the debugger and of
// clients that want no output are not followed.
type Follower interface {
	// Look is called with a cell that has been checked, while it is linked, on a goroutine of its
	// own. Then begin is called before the session commits the cell and runs its statements, and
	// end after them; no other cell runs meanwhile. If the cell is refused, undo is called instead.
	Look(c Followed, checked *check.Checked) (begin func(Values) (end func(Values)), undo func())
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

// A look is a cell that the follower looks at while it is linked.
type look struct {
	done  chan struct{}
	begin func(Values) (end func(Values))
	undo  func()
}

// lookAt has the follower look at a cell that has been checked. The result is nil if the cell is
// not followed.
func lookAt(s *Session, e *call, checked *check.Checked) *look {
	if s.options.Follower == nil || e.silent {
		return nil
	}
	l := &look{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		protect(e, func() { l.begin, l.undo = s.options.Follower.Look(e.followed(e.text), checked) })
	}()
	return l
}

// protect calls a method of the follower. A panic in it is a defect of gosphere that must not end
// the session: the cell runs, but others are not told that they are stale because of it.
func protect(e *call, f func()) {
	defer func() {
		if r := recover(); r != nil {
			e.publish(protocol.Stream{Name: "stderr", Text: fmt.Sprintf("internal error in the analysis of dependences: %v\n", r)})
		}
	}()
	f()
}

// refused tells the follower that the cell cannot be linked.
func (l *look) refused() {
	if l != nil {
		<-l.done
		if l.undo != nil {
			l.undo()
		}
	}
}

// follow tells the follower of a cell that is about to be committed. The cell holds the execution
// lock.
func (l *look) follow(s *Session, e *call) {
	if l == nil {
		return
	}
	<-l.done
	if l.begin == nil {
		return
	}
	defer s.guard.Sharing.Hold()()
	var values Values
	if s.guard.Sharing.Quiet() {
		values = s.link.Variable
	}
	var end func(Values)
	protect(e, func() { end = l.begin(values) })
	if end == nil {
		return
	}
	var told atomic.Bool
	e.ended = func(values Values) {
		if !told.Swap(true) {
			protect(e, func() { end(values) })
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
		protect(e, func() { s.options.Follower.Failed(e.followed(source)) })
	}
}
