// Package socket gives a kernel its five sockets behind one small interface, so that what
// carries the messages can be replaced.
//
// It speaks ZMTP 3 itself, the listening side of ROUTER and XPUB and, for tests and tools,
// the connecting side. The library go-zeromq/zmq4 is the partner of its tests and not what it
// is built on: in version 0.17 a frame that announces 2⁶² bytes and a property longer than its
// command each end the process, one connection that stays silent keeps all others out, and
// its PUB neither tells of subscriptions, which iopub_welcome needs, nor bounds what waits for
// a stuck subscriber.
//
// Read socket.go, then zmtp.go (bytes), peer.go (one connection), listener.go, router.go and
// publisher.go (one socket), client.go (the other side).
package socket

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"gosphere/internal/kernel/connection"
)

// ErrClosed is returned by Receive and Send once the sockets are closed.
var ErrClosed = errors.New("socket: closed")

// A Socket sends and receives messages of several frames. At most one goroutine may call
// Send and at most one Receive at the same time; the two may differ. Frames must not be
// changed after Send.
type Socket interface {
	Send(frames [][]byte) error
	Receive() ([][]byte, error)
}

// Sockets are the five sockets of a kernel. Messages of Shell, Control and Stdin begin with
// the routing identity of the peer; so do those of Heartbeat, which are echoed as they are.
// Send on the first three and the last never waits; on IOPub it waits for slow subscribers.
type Sockets struct {
	Shell, Control, Stdin, IOPub, Heartbeat Socket

	// Bound is where the sockets listen: the connection file with the real port numbers.
	Bound connection.Connection

	subscribed func(func(Subscription))
	close      func()
	ending     sync.Once
}

// Subscribed sets who accepts the subscriptions to IOPub. Until then subscribers wait and
// get nothing. The handler is called from many goroutines.
func (s *Sockets) Subscribed(handler func(Subscription)) { s.subscribed(handler) }

// Close sends what is queued, for a quarter of a second at most, and ends all sockets;
// blocked calls of Receive return ErrClosed.
func (s *Sockets) Close() error {
	s.ending.Do(s.close)
	return nil
}

// Listen opens the five sockets of a connection file.
func Listen(c *connection.Connection) (*Sockets, error) {
	bound := *c
	var listeners []net.Listener
	for _, channel := range []struct {
		name string
		port *connection.Port
	}{
		{"shell", &bound.ShellPort}, {"control", &bound.ControlPort}, {"stdin", &bound.StdinPort},
		{"iopub", &bound.IopubPort}, {"heartbeat", &bound.HbPort},
	} {
		l, port, err := listenOn(c, *channel.port)
		if err != nil {
			for _, opened := range listeners {
				opened.Close()
			}
			return nil, fmt.Errorf("socket: %s at %s: %w", channel.name, c.Endpoint(*channel.port), err)
		}
		*channel.port = port
		listeners = append(listeners, l)
	}
	s := serve([5]net.Listener(listeners))
	s.Bound = bound
	return s, nil
}

// serve makes the sockets of listeners for shell, control, stdin, iopub and heartbeat. The
// heartbeat is a ROUTER as well: an echo needs no state, and unlike a REP it cannot get stuck
// on a peer that left.
func serve(listeners [5]net.Listener) *Sockets {
	shell, control, stdin := newRouter(listeners[0]), newRouter(listeners[1]), newRouter(listeners[2])
	stdin.keeps = true
	iopub, heartbeat := newPublisher(listeners[3]), newRouter(listeners[4])
	return &Sockets{
		Shell: shell, Control: control, Stdin: stdin, IOPub: iopub, Heartbeat: heartbeat,
		subscribed: iopub.subscribed,
		close: func() {
			// At the same time, so that the farewells do not add up.
			var all sync.WaitGroup
			for _, end := range []func(){shell.close, control.close, stdin.close, iopub.close, heartbeat.close} {
				all.Go(end)
			}
			all.Wait()
		},
	}
}
