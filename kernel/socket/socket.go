// Package socket gives a kernel its five sockets behind one small interface. It is the only
// package that knows which ZeroMQ library is used, so that the library can be replaced.
package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/go-zeromq/zmq4"

	"gosphere/kernel/connection"
)

// ErrClosed is returned by Receive and Send once the sockets are closed.
var ErrClosed = errors.New("socket: closed")

// A Socket sends and receives messages of several frames. At most one goroutine may call
// Send and at most one Receive at the same time; the two may differ.
type Socket interface {
	Send(frames [][]byte) error
	Receive() ([][]byte, error)
}

// Sockets are the five sockets of a kernel. Messages of Shell, Control and Stdin begin with
// the routing identity of the peer; so do those of Heartbeat, which are echoed as they are.
type Sockets struct {
	Shell, Control, Stdin, IOPub, Heartbeat Socket

	close func() error
}

// Close ends all sockets; blocked calls of Receive return ErrClosed.
func (s *Sockets) Close() error { return s.close() }

// zmqSocket is a socket of the library.
type zmqSocket struct {
	ctx    context.Context
	socket zmq4.Socket
}

// Send sends the frames as one message.
func (s zmqSocket) Send(frames [][]byte) error {
	if s.ctx.Err() != nil {
		return ErrClosed
	}
	return s.socket.SendMulti(zmq4.NewMsgFrom(frames...))
}

// Receive waits for the next message.
func (s zmqSocket) Receive() ([][]byte, error) {
	for {
		message, err := s.socket.Recv()
		if s.ctx.Err() != nil {
			return nil, ErrClosed
		}
		// A peer that goes away in the middle of a message is no reason to stop listening.
		if err == nil && len(message.Frames) > 0 {
			return message.Frames, nil
		}
	}
}

// Listen opens the five sockets of a connection file.
func Listen(c *connection.Connection) (*Sockets, error) {
	ctx, cancel := context.WithCancel(context.Background())
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0)) // the library logs every failed handshake
	var opened []zmq4.Socket
	closeAll := func() error {
		cancel()
		var failures []error
		for _, socket := range opened {
			failures = append(failures, socket.Close())
		}
		return errors.Join(failures...)
	}
	listen := func(name string, port connection.Port, socket zmq4.Socket) (Socket, error) {
		opened = append(opened, socket)
		if err := socket.Listen(c.Endpoint(port)); err != nil {
			return nil, fmt.Errorf("socket: %s at %s: %w", name, c.Endpoint(port), err)
		}
		return zmqSocket{ctx, socket}, nil
	}
	sockets := &Sockets{close: closeAll}
	for _, channel := range []struct {
		name   string
		port   connection.Port
		socket zmq4.Socket
		into   *Socket
	}{
		{"shell", c.ShellPort, zmq4.NewRouter(ctx, quiet), &sockets.Shell},
		{"control", c.ControlPort, zmq4.NewRouter(ctx, quiet), &sockets.Control},
		{"stdin", c.StdinPort, zmq4.NewRouter(ctx, quiet), &sockets.Stdin},
		{"iopub", c.IopubPort, zmq4.NewPub(ctx, quiet), &sockets.IOPub},
		// An echo needs no state; a ROUTER, unlike a REP, cannot get stuck on a peer that left.
		{"heartbeat", c.HbPort, zmq4.NewRouter(ctx, quiet), &sockets.Heartbeat},
	} {
		socket, err := listen(channel.name, channel.port, channel.socket)
		if err != nil {
			closeAll()
			return nil, err
		}
		*channel.into = socket
	}
	return sockets, nil
}
