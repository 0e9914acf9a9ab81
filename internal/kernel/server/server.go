// Package server answers the requests of Jupyter clients in the order that the protocol
// requires, for a language that it knows only through the interface Interpreter.
//
// Goroutines, each with what it owns:
//
//   - three receivers: the receiving side of shell, control and stdin;
//   - the outbox: the sending side of iopub; everybody else hands it messages;
//   - an executor for each shell, the parent and its subshells: serves execute requests and
//     messages of comms one after another;
//   - an answerer for each shell: the other requests. They do not wait for the running cell, so
//     completion and inspection work during a training run; among each other they keep their
//     order. The price is that an inspection sent right behind a cell may be answered before
//     the cell has run;
//   - control requests are answered by the receiver of control, at once, but for those to the
//     debugger, which has a goroutine of its own: what it evaluates may take its time, and an
//     interrupt must come through meanwhile;
//   - the heartbeat: echoes.
//
// Replies are sent by whoever made them: the ROUTER sockets hand them to one goroutine for
// each connection.
//
// Every request is bracketed by busy and idle in one place (handle), and what a cell
// published has been sent before its reply and its idle.
//
// Read server.go, request.go (what is answered), shell.go (the parent shell and subshells),
// execute.go (the queue of cells), comm.go, outbox.go (iopub), message.go, stdin.go, history.go,
// debug.go.
package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/internal/kernel/comm"
	"gosphere/internal/kernel/history"
	"gosphere/internal/kernel/protocol"
	"gosphere/internal/kernel/socket"
	"gosphere/internal/kernel/usage"
	"gosphere/internal/kernel/wire"
)

// An Interpreter is the language side of a kernel. Execute is called by one goroutine for each
// shell, so that a cell of a subshell comes while another one runs; everything else may be
// called at any time, also while Execute runs.
type Interpreter interface {
	// Execute runs a cell and publishes execute_input (unless silent), its outputs, and its
	// result or error. Everything the cell wrote has been published when it returns;
	// goroutines that outlive the cell may go on calling publish. It returns soon after
	// Interrupt or the end of ctx, also when these come before the statements have begun.
	Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply
	Complete(protocol.CompleteRequest) protocol.CompleteReply
	Inspect(protocol.InspectRequest) protocol.InspectReply
	IsComplete(protocol.IsCompleteRequest) protocol.IsCompleteReply
	// Interrupt ends every running Execute and every callback of a comm soon; without one it
	// does nothing.
	Interrupt()
	Info() (language protocol.LanguageInfo, banner string, links []protocol.HelpLink)
}

// Options describe a server.
type Options struct {
	Sockets     *socket.Sockets
	Codec       *wire.Codec
	Interpreter Interpreter
	Comms       *comm.Table  // shared with the language; nil for a table of the server's own
	History     *history.Log // nil keeps the cells of this session in memory
	Debugger    Debugger     // nil for none
	Version     string       // of the implementation
	Log         io.Writer    // for messages that could not be read; each kind is logged once; nil for none
}

// A Server serves the clients of one kernel.
type Server struct {
	Options
	session string // of this process; the protocol wants a new one for each start

	outbox   *outbox
	shells   shells
	inputs   inputs
	refusals refusals
	meter    *usage.Meter
	debugs   chan *wire.Message // requests to the debugger

	welcoming sync.Mutex // guards started and status, and keeps welcomes apart from publishing
	started   bool       // the status "starting" has been sent
	status    [][]byte   // the last status that was published

	messages atomic.Uint64   // counts message ids
	ctx      context.Context // of Serve, for shells that begin later
	stop     context.CancelFunc
}

// lastWords is how long Serve waits for iopub to take what was published before the
// shutdown. Only a stuck subscriber needs longer, and it must not hold up the end. It is counted
// in steps, so that a machine that holds this process up costs a step and not the last words.
const (
	lastWords     = 100 * time.Millisecond
	lastWordSteps = 10
)

// New prepares a server; Serve runs it.
func New(options Options) *Server {
	s := &Server{Options: options, meter: usage.New(), session: newID(), debugs: make(chan *wire.Message, waitingRequests)}
	if s.Comms == nil {
		s.Comms = comm.NewTable()
	}
	if s.History == nil {
		s.History = history.New(history.Options{})
	}
	s.shells.parent, s.shells.children = newShell(), map[string]*shell{}
	s.inputs.turn = make(chan struct{}, 1)
	s.outbox = newOutbox(s.sendPublication, s.stamp)
	if asking, ok := options.Interpreter.(Asker); ok {
		asking.BindQuestions(s.ask)
	}
	return s
}

// newID returns a random identifier.
func newID() string {
	var raw [16]byte
	rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

// Serve answers requests until a client asks for the shutdown or the context ends, and then
// closes the sockets. A cell that still runs is told to end, but not waited for.
func (s *Server) Serve(ctx context.Context) {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.ctx = ctx
	published := make(chan struct{})
	go func() {
		defer close(published)
		s.outbox.run()
	}()
	s.Sockets.Subscribed(s.welcome)

	// These end when the sockets are closed.
	go s.receive(s.Sockets.Control, s.takeControl)
	go s.receive(s.Sockets.Shell, s.takeShell)
	go s.receive(s.Sockets.Stdin, s.takeInput)
	go s.echo()
	// These end with the context.
	s.shells.parent.start(ctx, s)
	go s.answerDebugs(ctx)

	<-ctx.Done()
	s.outbox.close()
	for range lastWordSteps {
		select {
		case <-published:
		case <-time.After(lastWords / lastWordSteps):
			continue
		}
		break
	}
	s.Sockets.Close()
}

// receive reads messages of one socket until it is closed.
func (s *Server) receive(from socket.Socket, take func(*wire.Message)) {
	for {
		frames, err := from.Receive()
		if err != nil {
			return
		}
		m, err := s.Codec.Decode(frames)
		if err != nil {
			s.refuse(from, m, err)
			continue
		}
		take(m)
	}
}

// takeControl answers at once.
func (s *Server) takeControl(m *wire.Message) {
	if m.Header.MsgType == "debug_request" {
		s.takeDebug(m)
		return
	}
	s.handle(m, s.Sockets.Control, controlHandlers[m.Header.MsgType])
}

// echo returns heartbeats as they came.
func (s *Server) echo() {
	for {
		frames, err := s.Sockets.Heartbeat.Receive()
		if err != nil {
			return
		}
		s.Sockets.Heartbeat.Send(frames)
	}
}

// A handler answers one kind of request; a nil reply sends none.
type handler func(s *Server, m *wire.Message) (reply any, err error)

// handle brackets a request with busy and idle, whatever happens in between. Neither waits
// for anything, so control is answered at once even while a cell floods iopub.
func (s *Server) handle(m *wire.Message, from socket.Socket, answer handler) {
	s.outbox.status(m, protocol.Busy)
	defer func() { s.outbox.status(m, protocol.Idle) }()
	if answer == nil {
		return // the protocol wants unknown types to be tolerated
	}
	began := now()
	reply, err := s.call(answer, m)
	if err != nil {
		reply = errorReply(err)
	}
	if reply != nil {
		s.reply(m, from, reply, began)
	}
	if shutdown, ok := reply.(protocol.ShutdownReply); ok {
		s.publish(m, shutdown) // other clients learn of it
		s.outbox.end(m)
		s.stop()
	}
}

// call runs a handler; a defect in one is an error reply and not the end of the kernel.
func (s *Server) call(answer handler, m *wire.Message) (reply any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error while answering %s: %v", m.Header.MsgType, r)
		}
	}()
	return answer(s, m)
}

func errorReply(err error) protocol.ErrorReply {
	return protocol.ErrorReply{Status: protocol.Failed, Ename: "RequestError", Evalue: err.Error(), Traceback: []string{err.Error()}}
}

// now is replaced in tests.
var now = time.Now
