// Package socket provides the five sockets of a kernel through a small interface, so that the
// transport can be replaced.
//
// It implements ZMTP 3, the listening side of ROUTER and XPUB and, for tests and tools, the
// connecting side. It does not use the library go-zeromq/zmq4, which is only its partner in tests.
// In version 0.17 of that library a frame that announces 2⁶² bytes or a property longer than its
// command ends the process, and one silent connection blocks all others. Its PUB neither reports
// subscriptions, which iopub_welcome needs, nor limits the backlog of a stalled subscriber.
//
// In a browser the client is the page itself, and page.go passes messages without a network.
//
// Read socket.go, then zmtp.go (bytes), peer.go (one connection), listener.go, router.go and
// publisher.go (one socket), client.go (the client side), page.go.
//
// Back pressure differs by channel. On IOPub, Send waits while a subscriber has more than
// maxBacklog bytes queued, so a cell that prints a lot slows down; a subscriber that takes nothing
// for the time of patience is disconnected. On the other sockets Send never waits, and a client
// with more than maxReplies bytes queued is disconnected. Received messages wait in the channel
// incoming of their socket and then in the buffers of the system, which slows the sender down.
//
// Any process that can reach the ports may connect, and only package wire checks signatures. The
// limits on connections, sizes and times bound what such a process can cost. They are far above
// what clients need.
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

// A Socket sends and receives messages of several frames. At most one goroutine may call Send and
// at most one Receive at the same time; they may differ. Frames must not be changed after Send. A
// frame is a slice of bytes, so a message costs no copy of a large buffer.
type Socket interface {
	Send(frames [][]byte) error
	Receive() ([][]byte, error)
}

// Sockets are the five sockets of a kernel. Messages of Shell, Control and Stdin begin with the
// routing identity of the peer, and so do those of Heartbeat, which are echoed unchanged. Send
// never blocks on these four; on IOPub it waits for slow subscribers. Frames of Shell, Control and
// Stdin after the identity are those of package wire.
type Sockets struct {
	Shell, Control, Stdin, IOPub, Heartbeat Socket

	// Bound is the connection file with the actual port numbers.
	Bound connection.Connection

	subscribed func(func(Subscription))
	close      func()
	ending     sync.Once
}

// Subscribed sets the handler that accepts subscriptions to IOPub. Until then subscribers wait and
// receive nothing. The handler may be called from several goroutines.
func (s *Sockets) Subscribed(handler func(Subscription)) { s.subscribed(handler) }

// Close sends queued messages, for at most a quarter of a second, and closes all sockets. Blocked
// calls of Receive return ErrClosed.
func (s *Sockets) Close() error {
	s.ending.Do(s.close)
	return nil
}

// Listen opens the five sockets of a connection file. The channels are opened in turn; if one
// fails, those already open are closed. Bound then has the ports that the system chose for port 0,
// which the start-up handshake reports.
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

// serve returns the sockets of listeners for shell, control, stdin, iopub and heartbeat. The
// heartbeat is a ROUTER as well: an echo needs no state, and unlike a REP socket it cannot block on
// a peer that is gone.
func serve(listeners [5]net.Listener) *Sockets {
	shell, control, stdin := newRouter(listeners[0]), newRouter(listeners[1]), newRouter(listeners[2])
	// Only on stdin does the kernel speak first. On the other sockets it answers, so a client
	// without a connection has gone.
	stdin.keeps = true
	iopub, heartbeat := newPublisher(listeners[3]), newRouter(listeners[4])
	return &Sockets{
		Shell: shell, Control: control, Stdin: stdin, IOPub: iopub, Heartbeat: heartbeat,
		subscribed: iopub.subscribed,
		close: func() {
			// Closed concurrently, so that the waiting times do not add up.
			var all sync.WaitGroup
			for _, end := range []func(){shell.close, control.close, stdin.close, iopub.close, heartbeat.close} {
				all.Go(end)
			}
			all.Wait()
		},
	}
}
