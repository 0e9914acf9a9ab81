// Package server answers the requests of Jupyter clients in the order that the protocol requires,
// for a language that implements the interface Interpreter.
//
// Goroutines and what they own:
//
//   - three receivers: the receiving side of shell, control and stdin;
//   - the outbox: the sending side of iopub, to which all other goroutines pass messages;
//   - an executor for each shell, the parent and its subshells: serves execute requests and
//     comm messages one after another;
//   - an answerer for each shell: the other requests. They do not wait for the running cell, so
//     completion and inspection work during a training run; they keep their order among each
//     other. In return an inspection sent right after a cell may be answered before the cell
//     has run;
//   - control requests are answered immediately by the receiver of control, except those to
//     the debugger, which has its own goroutine: an evaluation may take long, and an interrupt
//     must still be processed;
//   - the heartbeat: echoes.
//
// Replies are sent by the goroutine that made them: the ROUTER sockets pass them to one goroutine
// per connection.
//
// Every request is bracketed by busy and idle in one function (handle). All output of a cell is
// sent before its reply and its idle.
//
// Read server.go, request.go (handlers), shell.go (the parent shell and subshells), execute.go (the
// queue of cells), comm.go, outbox.go (iopub), message.go, stdin.go, history.go, debug.go.
package server

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/kernel/comm"
	"gosphere/kernel/history"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/usage"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// An Interpreter is the language side of a kernel. Execute is called by one goroutine per shell, so
// a subshell may run a cell while another cell runs. All other methods may be called at any time,
// also during Execute.
type Interpreter interface {
	// Execute runs a cell and publishes execute_input (unless silent), its outputs, and its result
	// or error. When it returns, all output of the cell has been published; goroutines that outlive
	// the cell may continue to call publish. It returns soon after Interrupt or the end of ctx,
	// even if these precede the first statement.
	Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply
	// Complete, Inspect and IsComplete are called by the answerer of each shell, hence
	// concurrently. The cursor of a request is within the code. Fields of a reply may be nil: the
	// server replaces nil by the empty lists and objects that clients require.
	Complete(protocol.CompleteRequest) protocol.CompleteReply
	Inspect(protocol.InspectRequest) protocol.InspectReply
	IsComplete(protocol.IsCompleteRequest) protocol.IsCompleteReply
	// Interrupt stops all running calls of Execute and all comm callbacks soon. It does nothing if
	// none is running.
	Interrupt()
	// Info is called for each kernel_info_request, which clients send until the first one is
	// answered, so it has to be fast. The links may be nil.
	Info() (language protocol.LanguageInfo, banner string, links []protocol.HelpLink)
}

// Options configure a server.
type Options struct {
	Sockets     *socket.Sockets
	Codec       *wire.Codec
	Interpreter Interpreter
	Comms       *comm.Table   // shared with the language; nil for a table of the server's own
	History     history.Store // nil keeps the cells of this session in memory
	Debugger    Debugger      // nil for none
	Name        string        // of the implementation: the user of its messages and the prefix of its log
	Version     string        // version of the implementation
	Log         io.Writer     // receives messages that could not be read, each kind once; nil for none
}

// A Server serves the clients of one kernel. Its fields are set by New, except ctx and stop, and
// those guarded by a lock.
type Server struct {
	Options
	session string // id of this process; the protocol requires a new one for each start

	outbox   *outbox
	shells   shells
	inputs   inputs
	refusals refusals
	meter    *usage.Meter
	debugs   chan *wire.Message // requests to the debugger

	welcoming sync.Mutex // guards started and status, and separates welcomes from publishing
	started   bool       // the status "starting" has been sent
	status    [][]byte   // the last status that was published

	subscribed chan struct{} // closed when the first client has subscribed to iopub
	awaited    sync.Once     // the wait of the first cell for it

	messages atomic.Uint64 // counts message ids
	// ctx and stop are set by Serve before it starts a goroutine, and are read without a lock.
	ctx  context.Context // context of Serve, for shells that start later
	stop context.CancelFunc
}

// lastWords bounds the time that Serve waits for iopub to take the messages published before the
// shutdown. Only a stalled subscriber needs longer, and it must not delay the exit. The time is
// counted in steps: if this process is suspended meanwhile, the step in progress is over when it
// resumes, but not the whole time, and the messages are still sent.
const (
	lastWords     = 100 * time.Millisecond
	lastWordSteps = 10
)

// New returns a server; Serve runs it.
func New(options Options) *Server {
	s := &Server{Options: options, meter: usage.New(), session: options.Codec.NewSession(), debugs: make(chan *wire.Message, waitingRequests), subscribed: make(chan struct{})}
	if s.Name == "" {
		s.Name = "kernel"
	}
	if s.Comms == nil {
		s.Comms = comm.NewTable()
	}
	if s.History == nil {
		s.History = &history.Memory{}
	}
	s.shells.parent, s.shells.children = newShell(), map[string]*shell{}
	s.inputs.turn = make(chan struct{}, 1)
	s.outbox = newOutbox(s.sendPublication, s.stamp)
	// One function serves all cells: the context of a cell, which ask receives, names the client.
	if asking, ok := options.Interpreter.(Asker); ok {
		asking.BindQuestions(s.ask)
	}
	return s
}

// Serve answers requests until a client requests a shutdown or the context ends, and then closes
// the sockets. It stops a running cell but does not wait for it.
func (s *Server) Serve(ctx context.Context) {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.ctx = ctx
	// This goroutine is the only sender on iopub. It ends when the outbox is closed and empty.
	published := make(chan struct{})
	go func() {
		defer close(published)
		s.outbox.run()
	}()
	s.Sockets.Subscribed(s.welcome)
	s.Sockets.Authenticate(s.authenticate)

	// These goroutines end when the sockets are closed.
	go s.receive(s.Sockets.Control, s.takeControl)
	go s.receive(s.Sockets.Shell, s.takeShell)
	go s.receive(s.Sockets.Stdin, s.takeInput)
	go s.echo()
	// These goroutines end with the context.
	s.shells.parent.start(ctx, s)
	go s.answerDebugs(ctx)

	<-ctx.Done()
	// The outbox is closed first, because its run returns only when the queue is empty. Closing the
	// sockets then sends the replies that are still queued.
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

// receive reads messages of one socket until it is closed. A Socket allows one caller of Receive at
// a time, so each socket has one such goroutine. It also runs take, which therefore must not wait
// for a cell: while it waits, no message of this socket is read.
func (s *Server) receive(from socket.Socket, take func(*wire.Message)) {
	for {
		frames, err := from.Receive()
		if err != nil {
			return
		}
		m, err := wire.Parse(frames)
		if err != nil {
			s.refuse(from, m, err)
			continue
		}
		take(m)
	}
}

// authenticate returns an error for a message that is not of a client with the key. It is called by
// the goroutines of connections.
func (s *Server) authenticate(frames [][]byte) error {
	err := s.Codec.Authenticate(frames)
	if err != nil {
		s.refusals.count(err, s.Log, s.Name)
	}
	return err
}

// takeControl answers a control request immediately. Unlike requests of shell, those of control
// have no queue: each handler returns without waiting for a cell.
func (s *Server) takeControl(m *wire.Message) {
	if m.Header.MsgType == "debug_request" {
		s.takeDebug(m)
		return
	}
	s.handle(m, s.Sockets.Control, controlHandlers[m.Header.MsgType])
}

// echo returns heartbeats unchanged. A client that gets no echo for some seconds considers the
// kernel dead. This goroutine takes no lock and waits for no other goroutine, so it echoes whatever
// the cells do.
func (s *Server) echo() {
	for {
		frames, err := s.Sockets.Heartbeat.Receive()
		if err != nil {
			return
		}
		s.Sockets.Heartbeat.Send(frames)
	}
}

// A handler answers one kind of request. A nil reply sends none. An error becomes an error reply. A
// handler runs on the goroutine that took the request: the receiver of control, an answerer, or an
// executor.
type handler func(s *Server, m *wire.Message) (reply any, err error)

// handle brackets a request with busy and idle, even if the handler fails. Neither blocks, so
// control is answered immediately even while a cell floods iopub. The order is busy, reply, idle.
// Clients such as nbclient stop reading outputs at the idle of their request, so nothing of the
// request may follow it.
//
// A handler of nil publishes busy and idle only.
func (s *Server) handle(m *wire.Message, from socket.Socket, answer handler) {
	s.outbox.status(m, protocol.Busy)
	defer func() { s.outbox.status(m, protocol.Idle) }()
	if answer == nil {
		return // the protocol requires unknown types to be tolerated
	}
	began := now()
	reply, err := s.call(answer, m)
	if err != nil {
		reply = errorReply(err)
	}
	if reply != nil {
		s.reply(m, from, reply, began)
	}
	if m.Header.MsgType == "execute_request" {
		s.settle(m)
	}
	if shutdown, ok := reply.(protocol.ShutdownReply); ok {
		// The deferred idle would be too late: stop ends Serve, which closes the outbox. So end
		// adds the idle and closes the outbox in one step, and no output of a cell that is still
		// running can follow. The deferred call then finds the outbox closed.
		s.publish(m, shutdown) // notifies other clients
		s.outbox.end(m)
		s.stop()
	}
}

// A Settler is an Interpreter with work for which the reply to a cell need not wait; see
// kernel.Settler.
type Settler interface {
	Settle()
}

// settle has the language do what follows the reply to a cell.
func (s *Server) settle(m *wire.Message) {
	defer func() {
		if r := recover(); r != nil { // a panic of the language must not end the kernel
			text := fmt.Sprintf("internal error after the cell: %v\n", r)
			s.publish(m, protocol.Stream{Name: "stderr", Text: text})
		}
	}()
	if settler, ok := s.Interpreter.(Settler); ok {
		settler.Settle()
	}
}

// call runs a handler. A panic becomes an error reply instead of ending the kernel.
func (s *Server) call(answer handler, m *wire.Message) (reply any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error while answering %s: %v", m.Header.MsgType, r)
		}
	}()
	return answer(s, m)
}

// errorReply returns the reply to a request that failed outside a cell. Its traceback is a list and
// never null, because clients iterate over it.
func errorReply(err error) protocol.ErrorReply {
	return protocol.ErrorReply{Status: protocol.Failed, Ename: "RequestError", Evalue: err.Error(), Traceback: []string{err.Error()}}
}

// now is replaced in tests.
var now = time.Now
