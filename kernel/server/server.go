// Package server answers the requests of Jupyter clients in the order that the protocol
// requires, for a language that it knows only through the interface Interpreter.
//
// Goroutines, each with what it owns:
//
//   - shell and control receivers: the receiving side of their sockets;
//   - three outboxes: the sending side of shell, control and iopub; everybody else hands
//     them messages;
//   - the executor: runs execute requests one after another;
//   - the answerer: the other requests of shell, so that completion and inspection work while
//     a cell runs;
//   - control requests are answered where they are received, at once;
//   - the heartbeat: echoes.
//
// Every request is bracketed by busy and idle in one place (handle), and what a request
// published is handed over before its reply and its idle.
package server

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/kernel/socket"
	"gosphere/kernel/wire"
)

// An Interpreter is the language side of a kernel. Execute is called by one goroutine at a
// time; everything else may be called at any time, also while Execute runs.
type Interpreter interface {
	// Execute runs a cell and publishes execute_input (unless silent), its outputs, and its
	// result or error. Everything the cell wrote has been published when it returns;
	// goroutines that outlive the cell may go on calling publish.
	Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply
	Complete(protocol.CompleteRequest) protocol.CompleteReply
	Inspect(protocol.InspectRequest) protocol.InspectReply
	IsComplete(protocol.IsCompleteRequest) protocol.IsCompleteReply
	// Interrupt ends the running Execute soon; without one it does nothing.
	Interrupt()
	Info() (language protocol.LanguageInfo, banner string, links []protocol.HelpLink)
}

// Options describe a server.
type Options struct {
	Sockets     *socket.Sockets
	Codec       *wire.Codec
	Interpreter Interpreter
	Version     string // of the implementation
	Ports       protocol.ConnectReply
	Log         io.Writer // for messages that could not be read; each kind is logged once
}

// A Server serves the clients of one kernel.
type Server struct {
	Options
	session string // of this process; the protocol wants a new one for each start

	shellOut, controlOut, publications chan [][]byte

	executor *executor
	answers  chan *wire.Message
	streams  *streams
	refusals refusals

	messages atomic.Uint64 // counts message ids
	ending   atomic.Bool   // a shutdown was answered
	stop     context.CancelFunc
	done     <-chan struct{}
}

// queueLength bounds what waits for a socket; publishing blocks when it is reached, so that a
// flood of output holds up the cell that makes it and not the memory.
const queueLength = 256

// New prepares a server; Serve runs it.
func New(options Options) *Server {
	s := &Server{
		Options: options, session: newID(),
		shellOut: make(chan [][]byte, queueLength), controlOut: make(chan [][]byte, queueLength),
		publications: make(chan [][]byte, queueLength), answers: make(chan *wire.Message, queueLength),
	}
	s.executor = newExecutor()
	s.streams = newStreams(func(parent *wire.Message, content protocol.Content) { s.enqueue(parent, content) })
	return s
}

// Serve answers requests until a client asks for the shutdown or the context ends. It
// returns when the last messages have been handed to the sockets; a cell that still runs is
// left behind.
func (s *Server) Serve(ctx context.Context) {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.done = ctx.Done()
	var senders sync.WaitGroup
	closing := make(chan struct{})
	for _, outbox := range []struct {
		queue  chan [][]byte
		socket socket.Socket
	}{{s.shellOut, s.Sockets.Shell}, {s.controlOut, s.Sockets.Control}, {s.publications, s.Sockets.IOPub}} {
		// The only goroutine that sends on this socket. It ends after what was queued when
		// the server began to close.
		senders.Go(func() { sendAll(outbox.queue, outbox.socket, closing) })
	}
	s.enqueue(nil, protocol.Status{ExecutionState: protocol.Starting})

	// These end when the sockets are closed.
	go s.receive(s.Sockets.Shell, s.shellOut, s.takeShell)
	go s.receive(s.Sockets.Control, s.controlOut, s.takeControl)
	go s.drainStdin()
	go s.echo()
	// These end with the context.
	go s.executor.run(ctx, s)
	go s.answerAll(ctx)
	go s.streams.run(ctx)

	<-ctx.Done()
	close(closing)
	senders.Wait()
}

// sendAll sends what is queued until closing, and then what is left.
func sendAll(queue <-chan [][]byte, to socket.Socket, closing <-chan struct{}) {
	for {
		select {
		case frames := <-queue:
			to.Send(frames)
			continue
		default:
		}
		select {
		case frames := <-queue:
			to.Send(frames)
		case <-closing:
			for {
				select {
				case frames := <-queue:
					to.Send(frames)
				default:
					return
				}
			}
		}
	}
}

// receive reads messages of one socket until it is closed; out leads back to their senders.
func (s *Server) receive(from socket.Socket, out chan<- [][]byte, take func(*wire.Message)) {
	for {
		frames, err := from.Receive()
		if err != nil {
			return
		}
		m, err := s.Codec.Decode(frames)
		if err != nil {
			s.refuse(m, out, err)
			continue
		}
		take(m)
	}
}

// takeShell hands a request to the executor or to the answerer.
func (s *Server) takeShell(m *wire.Message) {
	if m.Header.MsgType == "execute_request" {
		s.executor.add(m)
		return
	}
	select {
	case s.answers <- m:
	case <-s.done:
	}
}

// takeControl answers at once.
func (s *Server) takeControl(m *wire.Message) {
	s.handle(m, s.controlOut, controlHandlers[m.Header.MsgType])
}

// answerAll answers the quick requests of shell one after another.
func (s *Server) answerAll(ctx context.Context) {
	for {
		select {
		case m := <-s.answers:
			s.handle(m, s.shellOut, shellHandlers[m.Header.MsgType])
		case <-ctx.Done():
			return
		}
	}
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

// drainStdin throws away what comes on stdin without having been asked for.
func (s *Server) drainStdin() {
	for {
		if _, err := s.Sockets.Stdin.Receive(); err != nil {
			return
		}
	}
}

// A handler answers one kind of request; a nil reply sends none.
type handler func(s *Server, m *wire.Message) (reply any, err error)

// handle brackets a request with busy and idle, whatever happens in between.
func (s *Server) handle(m *wire.Message, out chan<- [][]byte, answer handler) {
	s.enqueue(m, protocol.Status{ExecutionState: protocol.Busy})
	defer func() {
		s.enqueue(m, protocol.Status{ExecutionState: protocol.Idle})
		if s.ending.Load() {
			s.stop()
		}
	}()
	if answer == nil {
		return // the protocol wants unknown types to be tolerated
	}
	reply, err := s.call(answer, m)
	s.streams.flush(m)
	if err != nil {
		reply = errorReply(err)
	}
	if reply != nil {
		s.reply(m, out, reply)
	}
	if ending, ok := reply.(protocol.ShutdownReply); ok {
		s.enqueue(m, ending) // other clients learn of it
		s.ending.Store(true)
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
