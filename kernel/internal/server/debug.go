package server

import (
	"context"
	"encoding/json"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// A Debugger answers the contents of debug_requests with those of debug_replies. It is called by a
// single goroutine. It may also pass events later. Debug returns a value that is encoded as JSON.
type Debugger interface {
	Debug(request json.RawMessage, event func(json.RawMessage)) any
}

// takeDebug queues a request for the goroutine of the debugger. If the queue is full it refuses the
// request, because control must keep being read. It is called by the receiver of control.
func (s *Server) takeDebug(m *wire.Message) {
	if s.Debugger == nil {
		s.handle(m, s.Sockets.Control, unsupported("this kernel has no debugger"))
		return
	}
	select {
	case s.debugs <- m:
	default:
		s.handle(m, s.Sockets.Control, unsupported("too many requests to the debugger are waiting already"))
	}
}

// answerDebugs answers the requests to the debugger one after another. It is not the receiver of
// control, because evaluating an expression may run code of the user for long. An interrupt or a
// shutdown must still be processed. The queue keeps the order that a debugger needs, for instance
// of setBreakpoints and continue.
func (s *Server) answerDebugs(ctx context.Context) {
	for {
		select {
		case m := <-s.debugs:
			s.handle(m, s.Sockets.Control, answerDebug)
		case <-ctx.Done():
			return
		}
	}
}

// answerDebug passes the content to the debugger. It takes the content before publisher releases
// it.
func answerDebug(s *Server, m *wire.Message) (any, error) {
	content := m.Content
	publish := s.publisher(m)
	return s.Debugger.Debug(content, func(event json.RawMessage) { publish(protocol.DebugEvent{Marshaler: event}) }), nil
}
