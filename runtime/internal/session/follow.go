package session

import (
	"fmt"
	"reflect"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/guard"
)

// A Follower is notified of the cells of a session in the order in which they are committed, after
// the reply of a cell has been sent and before another cell runs its statements.
// Evaluations of the debugger and of clients that want no output are not followed.
type Follower interface {
	// Begin is called with a cell that has been committed, after the ends of all cells that have
	// ended before it began. end is called when its statements have ended; failed reports that
	// they have not reached their end.
	Begin(c Followed, checked *check.Checked) (end func(v Values, failed bool))
	// Failed is called with a cell that did not compile.
	Failed(c Followed)
	// Reset is called when all declarations have been removed.
	Reset()
}

// A Followed is a cell of which a Follower is notified.
type Followed struct {
	ID      string // of the client; "" for none
	Number  int    // execution count
	Source  string
	Publish func(protocol.Content)
}

// Values returns the variable of a symbol. It is nil if variables cannot be read, because
// goroutines may be changing them.
type Values func(*check.Symbol) (reflect.Value, bool)

// follows are the cells of which the follower has not been notified, in the order in which they
// were committed.
type follows struct {
	mu    sync.Mutex // guards the fields
	cells []*follow
}

// A follow is one of these cells. All fields but over are used only while compiling is held.
type follow struct {
	call    *call
	source  string
	checked *check.Checked     // until the follower knows of the beginning; nil if the cell did not compile
	end     func(Values, bool) // once the follower knows of the beginning
	failed  bool               // whether the statements have not reached their end; guarded like over
	over    bool               // whether the statements have ended; guarded by the lock of the follows
	ends    bool               // what over was when the cell was taken
}

// followed records that a cell is part of the session and about to run, if it is followed.
func followed(s *Session, e *call, c *guard.Cell, checked *check.Checked) {
	if !isFollowed(s, e) {
		return
	}
	f := &s.follows
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cells = append(f.cells, &follow{call: e, source: e.text, checked: checked, over: hasStopped(c)()})
}

// over records that a call has ended. compiled reports whether its cell has been compiled, and
// failed whether its statements have not reached their end.
func (f *follows) over(e *call, source string, compiled, failed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.cells {
		if c.call == e {
			c.over, c.failed = true, failed
		}
	}
	if failed && !compiled {
		f.cells = append(f.cells, &follow{call: e, source: source, over: true})
	}
}

// take returns the recorded cells, and keeps those that are still running.
func (f *follows) take() (all []*follow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, f.cells = f.cells, nil
	for _, c := range all {
		if c.ends = c.over; !c.ends {
			f.cells = append(f.cells, c)
		}
	}
	return all
}

// isFollowed reports whether the follower is notified of the cell of a call.
func isFollowed(s *Session, e *call) bool { return s.options.Follower != nil && !e.silent }

// Settle notifies the follower of the cells that have ended; it may publish. Settle is called after
// the reply of a cell has been sent, so that the reply does not wait for it. A cell that is being
// compiled settles earlier cells by itself.
func (s *Session) Settle() {
	if s.options.Follower == nil || !s.compiling.TryLock() {
		return
	}
	defer s.compiling.Unlock()
	settle(s)
}

// settle is Settle for callers that hold compiling. The variables still have the values that the
// last cell has assigned, because cells settle earlier ones before they run.
func settle(s *Session) {
	all := s.follows.take()
	if len(all) == 0 {
		return
	}
	defer s.guard.Sharing.Hold()()
	var values Values
	if s.guard.Sharing.Quiet() {
		values = s.link.Variable
	}
	for _, c := range all {
		c.notify(s.options.Follower, values)
	}
}

// notify notifies the follower of the beginning and the end of a cell. A panic in the follower is a
// defect of gosphere that must not end the session. Cells that are stale because of the cell are
// then not marked.
func (c *follow) notify(to Follower, values Values) {
	e := c.call
	defer func() {
		if r := recover(); r != nil {
			e.publish(protocol.Stream{Name: "stderr", Text: fmt.Sprintf("internal error in the analysis of dependences: %v\n", r)})
		}
	}()
	of := Followed{e.id, e.number, c.source, e.publish}
	if c.end == nil {
		checked := c.checked
		if checked == nil {
			to.Failed(of)
			return
		}
		c.checked, c.end = nil, func(Values, bool) {} // if Begin fails
		c.end = to.Begin(of, checked)
	}
	if c.ends {
		c.end(values, c.failed)
	}
}
