package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/kernel/wire"
)

// executor holds the execute requests that wait for their turn.
//
// When a cell fails that was sent with stop_on_error, the requests behind it are refused.
// "Behind it" means: the client sent it before it could know of the failure. Those in the
// queue certainly were; one that arrives a moment later was if its header is older than the
// failure, because a client that runs all cells sends them at once but they arrive one by
// one. A cell sent after the failure is never refused.
type executor struct {
	mu      sync.Mutex // guards the fields below
	waiting []*wire.Message
	failed  time.Time // when the last cell with stop_on_error failed
	wake    chan struct{}
}

// stragglers is how long after a failure requests of the same burst may still arrive.
const stragglers = 500 * time.Millisecond

func newExecutor() *executor { return &executor{wake: make(chan struct{}, 1)} }

// add appends a request.
func (e *executor) add(m *wire.Message) {
	e.mu.Lock()
	e.waiting = append(e.waiting, m)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// next takes the oldest request and tells whether it has to be refused.
func (e *executor) next() (m *wire.Message, refused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return nil, false
	}
	m = e.waiting[0]
	e.waiting = e.waiting[1:]
	return m, e.sentBeforeFailure(m)
}

// sentBeforeFailure tells whether a request belongs to the burst that a failure ended.
func (e *executor) sentBeforeFailure(m *wire.Message) bool {
	if e.failed.IsZero() || now().Sub(e.failed) > stragglers {
		return false
	}
	sent, err := time.Parse(time.RFC3339Nano, m.Header.Date)
	return err == nil && sent.Before(e.failed)
}

// fail notes a failure and returns the requests that were waiting behind it.
func (e *executor) fail() []*wire.Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = now()
	behind := e.waiting
	e.waiting = nil
	return behind
}

// run executes requests until the context ends.
func (e *executor) run(ctx context.Context, s *Server) {
	for {
		m, refused := e.next()
		switch {
		case m == nil:
			select {
			case <-e.wake:
			case <-ctx.Done():
				return
			}
		case refused:
			s.abort(m)
		default:
			s.execute(ctx, m)
		}
	}
}

// execute runs one cell, and refuses what waited behind it if it fails.
func (s *Server) execute(ctx context.Context, m *wire.Message) {
	stop := false
	s.handle(m, s.shellOut, func(s *Server, m *wire.Message) (any, error) {
		request := protocol.ExecuteRequest{StoreHistory: true, StopOnError: true, AllowStdin: true}
		if err := m.DecodeContent(&request, "code"); err != nil {
			return nil, err
		}
		if request.Silent {
			request.StoreHistory = false
		}
		reply := s.Interpreter.Execute(ctx, request, func(content protocol.Content) { s.publish(m, content) })
		stop = reply.Status == protocol.Failed && request.StopOnError
		return completed(reply), nil
	})
	if stop {
		for _, behind := range s.executor.fail() {
			s.abort(behind)
		}
	}
}

// completed fills the fields that clients expect and that may be empty.
func completed(reply protocol.ExecuteReply) protocol.ExecuteReply {
	if reply.Status == "" {
		reply.Status = protocol.OK
	}
	if reply.Payload == nil {
		reply.Payload = []map[string]any{}
	}
	if reply.UserExpressions == nil {
		reply.UserExpressions = map[string]any{}
	}
	if reply.Status == protocol.Failed && reply.Traceback == nil {
		reply.Traceback = []string{fmt.Sprintf("%s: %s", reply.Ename, reply.Evalue)}
	}
	return reply
}

// abort refuses a request that was queued behind a failure.
func (s *Server) abort(m *wire.Message) {
	s.handle(m, s.shellOut, func(*Server, *wire.Message) (any, error) {
		return map[string]any{"status": protocol.Aborted}, nil
	})
}
