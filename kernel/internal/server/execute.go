package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"gosphere/kernel/history"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// An executor queues the execute requests and comm messages of one shell and serves them one after
// another.
//
// When a cell that was sent with stop_on_error fails, the requests that were sent before the client
// could know of the failure are refused: those in the queue, and those of the same burst that are
// still in transit, because a client that runs all cells sends them together but they arrive one by
// one. A cell sent after the failure is never refused. The type clocks distinguishes the two cases.
// For instance, "Run All" sends the cells A, B and C, and A fails while B is queued and C is in
// transit. B arrived before the failure and is refused. C arrives some milliseconds after it and is
// refused if its date proves that it was sent before. A user who corrects A and runs B again, half
// a second later or more, is never refused.
//
// Each shell has an executor, so a failure does not affect the cells of other shells.
type executor struct {
	// wake has capacity 1. A request that is added after run has found the queue empty leaves a
	// token there, so run does not wait for it in vain.
	wake chan struct{}

	mu      sync.Mutex // guards the fields below
	waiting []arrival
	failed  time.Time // time of the last failure of a cell with stop_on_error
	clocks  clocks
	cancel  context.CancelFunc // cancels the running request, nil for none
	closed  bool               // the shell has ended
	comms   int                // comm messages in the queue or being served
}

// An arrival is a request and the time of its arrival.
type arrival struct {
	*wire.Message
	came time.Time
}

// stragglers is how long after a failure requests of the same burst may still arrive.
const stragglers = 500 * time.Millisecond

// maxQueue is the maximum number of queued requests. Above it requests are refused with an error,
// because waiting for room would block the shell socket for all shells.
const maxQueue = 10_000

func newExecutor() *executor { return &executor{wake: make(chan struct{}, 1), clocks: clocks{}} }

// Errors of add.
var (
	errFull  = errors.New("too many cells are waiting already")
	errEnded = errors.New("the subshell has been deleted")
)

// add appends a request. It observes the clock of the client under the same lock, so that next
// finds the difference of at least this message.
func (e *executor) add(m *wire.Message) error {
	came := now()
	e.mu.Lock()
	switch {
	case e.closed:
		e.mu.Unlock()
		return errEnded
	case len(e.waiting) >= maxQueue:
		e.mu.Unlock()
		return errFull
	}
	e.clocks.observe(m.Header, came)
	e.waiting = append(e.waiting, arrival{m, came})
	if m.Header.MsgType != "execute_request" {
		e.comms++
	}
	e.mu.Unlock()
	e.rouse()
	return nil
}

// rouse wakes run.
func (e *executor) rouse() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// close stops the running request. run then refuses the queued ones and returns.
func (e *executor) close() {
	e.mu.Lock()
	e.closed = true
	cancel := e.cancel
	e.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	e.rouse()
}

// ended reports whether the shell is closed and nothing is left to do.
func (e *executor) ended() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed && len(e.waiting) == 0
}

// keepsOrder reports whether a request must be queued with the cells. This holds for cells, for
// comm messages, and for a comm_info_request that follows a comm message, whose effect the client
// expects to see. Any other comm_info_request is answered while a cell runs: the widget manager of
// JupyterLab sends one when a notebook is opened, and waits for the reply.
func (e *executor) keepsOrder(m *wire.Message) bool {
	switch m.Header.MsgType {
	case "execute_request", "comm_open", "comm_msg", "comm_close":
		return true
	case "comm_info_request":
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.comms > 0
	}
	return false
}

// next removes the oldest request and reports whether it must be refused.
func (e *executor) next() (m *wire.Message, refused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return nil, false
	}
	a := e.waiting[0]
	e.waiting = e.waiting[1:]
	switch {
	case e.closed:
		return a.Message, true
	case a.Header.MsgType != "execute_request": // comms are not affected by failed cells
		return a.Message, false
	case e.failed.IsZero() || a.came.Sub(e.failed) > stragglers:
		return a.Message, false
	// It was in the queue when the cell failed.
	case !a.came.After(e.failed):
		return a.Message, true
	}
	return a.Message, e.clocks.sentBefore(a.Header, e.failed.Add(reaction(a.Message)))
}

// reaction returns the minimum time that the sender of a message needs to react to a reply.
// Notebook front ends name the cell in the metadata, as JupyterLab does by cellId. They send the
// cells of "Run All" some milliseconds apart, enough for a short cell to fail, but no user clicks
// within a tenth of a second. Programs react immediately.
func reaction(m *wire.Message) time.Duration {
	if cellID(m) == "" {
		return 0
	}
	return 100 * time.Millisecond
}

// cellID returns the cell that the metadata of a message name, or "".
func cellID(m *wire.Message) string {
	var metadata struct {
		CellID string `json:"cellId"`
	}
	if json.Unmarshal(m.Metadata, &metadata) != nil {
		return ""
	}
	return metadata.CellID
}

// clocks holds, for the session of each client, the smallest difference seen between the arrival of
// a message by our clock and its date by the client's. It is the offset of the clocks plus the
// shortest transit time.
type clocks map[string]time.Duration

// maxClients bounds the table of clocks, which is cleared when it is full.
const maxClients = 1000

// margin allows for clients that truncate their dates to milliseconds, as browsers do.
const margin = 2 * time.Millisecond

// observe records the difference of one message.
func (c clocks) observe(header protocol.Header, came time.Time) {
	sent, err := time.Parse(time.RFC3339Nano, header.Date)
	if err != nil {
		return
	}
	if len(c) >= maxClients {
		clear(c)
	}
	if least, known := c[header.Session]; !known || came.Sub(sent) < least {
		c[header.Session] = came.Sub(sent)
	}
}

// sentBefore reports whether a message was certainly sent before a moment of our clock.
//
// Let d be what our clock is ahead of the client's, and t the shortest transit time seen, so that
// the recorded difference is d + t. A client learns of an event at the moment m at the earliest at
// m. A message that reacts to it therefore has a date of at least m - d, and date + d + t is at
// least m + t. A smaller sum proves that the message was sent earlier. A larger one proves nothing,
// and the request is run. Neither d nor t need be known alone, and the clocks need not agree.
func (c clocks) sentBefore(header protocol.Header, moment time.Time) bool {
	sent, err := time.Parse(time.RFC3339Nano, header.Date)
	least, known := c[header.Session]
	return err == nil && known && sent.Add(least+margin).Before(moment)
}

// served records that a comm message has been served.
func (e *executor) served() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.comms--
}

// fail records that a cell failed, before the client is notified. A reaction to the failure
// therefore always has a later date.
func (e *executor) fail() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = now()
}

// begin records the running request. If the shell was deleted between next and begin, close found
// no request to cancel, so begin cancels it.
func (e *executor) begin(cancel context.CancelFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancel = cancel
	if cancel != nil && e.closed {
		cancel()
	}
}

// interrupt stops the running request.
func (e *executor) interrupt() {
	e.mu.Lock()
	cancel := e.cancel
	e.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// run serves requests until the context or the shell ends. It is the only goroutine that takes
// requests from the queue. A refused cell is answered with the status "aborted". A refused comm
// message has no reply, but it gets busy and idle, like any other.
func (e *executor) run(ctx context.Context, s *Server) {
	for ctx.Err() == nil {
		m, refused := e.next()
		switch {
		case m == nil && e.ended():
			return
		case m == nil:
			select {
			case <-e.wake:
			case <-ctx.Done():
				return
			}
		case refused && m.Header.MsgType == "execute_request":
			s.abort(m)
		case refused:
			s.handle(m, s.Sockets.Shell, nil)
			e.served()
		case m.Header.MsgType != "execute_request":
			s.handle(m, s.Sockets.Shell, shellHandlers[m.Header.MsgType])
			e.served()
		default:
			s.awaitSubscriber(ctx)
			s.execute(ctx, e, m)
		}
	}
}

// execute runs one cell. Fields that the client omits keep the values set here.
func (s *Server) execute(ctx context.Context, e *executor, m *wire.Message) {
	s.handle(m, s.Sockets.Shell, func(s *Server, m *wire.Message) (any, error) {
		request := protocol.ExecuteRequest{StoreHistory: true, StopOnError: true}
		if err := m.DecodeContent(&request, "code"); err != nil {
			return nil, err
		}
		// Goroutines of the cell may publish for hours, so the message must not retain the code.
		m.Content, m.Buffers = nil, nil
		request.Cell = cellID(m)
		if request.Silent {
			request.StoreHistory = false
		}
		var value string
		reply, err := s.runCell(ctx, e, cell{m, request}, &value)
		if (err != nil || reply.Status == protocol.Failed) && request.StopOnError {
			e.fail()
		}
		// The reply is sent on another socket than the outputs, and clients may stop reading iopub
		// soon after it. So all outputs are handed to iopub first.
		s.outbox.flush()
		if err != nil {
			return nil, err
		}
		// A cell that the server could not pass to the language is not recorded, but one that
		// failed is.
		if request.StoreHistory {
			s.History.Add(history.Cell{Line: reply.ExecutionCount, Source: request.Code, Output: value})
		}
		return completed(reply), nil
	})
}

// A cell is an execute request and its content.
type cell struct {
	*wire.Message
	request protocol.ExecuteRequest
}

// runCell passes a request to the language, which stops the cell when the context ends. It stores
// the text of the cell's value in value. The cause of the context is ErrInterrupted for an
// interrupt, and another one after the end of the cell, when its goroutines may no longer ask.
func (s *Server) runCell(ctx context.Context, e *executor, c cell, value *string) (reply protocol.ExecuteReply, err error) {
	ctx, cancel := context.WithCancelCause(withAsker(ctx, c.Message, c.request.AllowStdin))
	e.begin(func() { cancel(ErrInterrupted) })
	defer func() {
		e.begin(nil)
		cancel(errCellEnded)
		if r := recover(); r != nil { // a panic of the language must not end the kernel
			err = fmt.Errorf("internal error while running the cell: %v", r)
			s.publish(c.Message, protocol.Error{Ename: "InternalError", Evalue: err.Error(), Traceback: []string{err.Error()}})
		}
	}()
	return s.Interpreter.Execute(ctx, c.request, func(content protocol.Content) {
		if result, ok := content.(protocol.ExecuteResult); ok {
			*value, _ = result.Data["text/plain"].(string)
		}
		s.publish(c.Message, content)
	}), nil
}

// completed sets the fields that clients expect even if they are empty: the protocol lists them for
// every reply, so a client may read them without a check.
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
	if reply.Status == protocol.Failed && len(reply.Traceback) == 0 {
		reply.Traceback = []string{fmt.Sprintf("%s: %s", reply.Ename, reply.Evalue)}
	}
	return reply
}

// abort refuses a request that was sent before the client could know of a failure. Its reply has no
// other field. The status is deprecated since protocol 5.1, but ipykernel sends it in this case, so
// clients know it.
func (s *Server) abort(m *wire.Message) {
	s.handle(m, s.Sockets.Shell, func(*Server, *wire.Message) (any, error) {
		return map[string]any{"status": protocol.Aborted}, nil
	})
}
