package session

import (
	"context"

	"gosphere/kernel/protocol"
	"gosphere/runtime/comm"
	"gosphere/runtime/guard"
)

// BindComms connects the comms of cells with the router that brings them the messages of
// clients. It is called before the first cell runs. Without a router cells can open comms, but
// nobody answers.
func (s *Session) BindComms(router comm.Router) { s.comms.Router = router }

// commsOf finds the host of the calling goroutine's cell for package comm.
func (s *Session) commsOf() *comm.Host {
	if s.publisherOf() == nil {
		return nil
	}
	return &s.comms
}

// callback runs a function of a cell on behalf of a message of a comm, in the manner of a cell,
// and reports whether it came to its end. What went wrong is published as text: such a message
// has no reply that could carry an error.
func (s *Session) callback(publish func(protocol.Content), body func()) (finished bool) {
	e := s.begin(context.Background(), protocol.ExecuteRequest{Silent: true}, publish)
	defer s.end(e)
	c, _ := s.newCell(e)
	defer c.Discard()
	s.setCell(e, c)
	s.setRunning(e)
	var outcome guard.Outcome
	guard.Aside(func() { outcome = c.Run(func() { s.guard.Within(body) }) })
	c.Flush()
	f := s.failureOfOutcome(outcome)
	if f != nil {
		for _, line := range f.traceback {
			publish(protocol.Stream{Name: "stderr", Text: line + "\n"})
		}
	}
	return f == nil && outcome.Kind == guard.Finished
}
