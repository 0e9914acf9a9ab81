package session

import (
	"context"

	"gosphere/kernel/protocol"
	"gosphere/runtime/comm"
	"gosphere/runtime/internal/guard"
)

// BindComms connects the comms of cells to the router that delivers the messages of clients. It
// must be called before the first cell runs. Without a router cells can open comms, but receive no
// messages.
func (s *Session) BindComms(router comm.Router) { s.comms.Router = router }

// callback runs a function of a cell in response to a comm message, such as the handler of a
// slider, in the same way as a cell, and reports whether it finished normally. Failures are
// published as text on stderr, because a comm message has no reply that could carry an error.
func (s *Session) callback(publish func(protocol.Content), body func()) (finished bool) {
	e := s.calls.begin(context.Background(), protocol.ExecuteRequest{Silent: true}, publish)
	defer s.calls.end(e)
	c, _ := s.newCell(e)
	defer c.Discard()
	// Nothing is compiled, so the call is running from the beginning.
	s.calls.setCell(e, c)
	s.calls.setRunning(e)
	var outcome guard.Outcome
	// A cell may wait for this callback in compiled code on the same goroutine. WithoutLock
	// releases its execution lock, which the callback needs.
	guard.WithoutLock(func() { outcome = c.Run(func() { s.guard.Within(body) }) })
	c.Flush()
	f := s.failures.ofOutcome(outcome)
	if f != nil {
		for _, line := range f.traceback {
			publish(protocol.Stream{Name: "stderr", Text: line + "\n"})
		}
	}
	return f == nil && outcome.Kind == guard.Finished
}
