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
// Read socket.go, then zmtp.go (bytes), peer.go (one connection), budget.go, listener.go, router.go
// and publisher.go (one socket), client.go (the client side), page.go.
//
// Back pressure differs by channel. On IOPub, Send waits for slow subscribers, so a cell that
// prints a lot slows down, within the limits that publisher.go describes. On the other sockets Send
// never waits, and a client with more than maxReplies bytes queued is disconnected. Received
// messages wait in the channel incoming of their socket and then in the buffers of the system,
// which slows the sender down.
//
// Any process that can reach the ports may connect. A connection on which no message with a valid
// signature has arrived belongs to a stranger. Strangers together can hold at most maxHeld bytes of
// messages, maxPeers connections of 20 KB per socket, maxAnswers of answers for each, and one queue
// of maxLag for all subscribers. They delay publications as publisher.go describes. They receive no
// replies and take no identity of another connection. With the mechanism CURVE a process that does
// not know the public key of the kernel cannot finish the handshake.
package socket

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/curve"
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

	subscribed   func(func(Subscription))
	authenticate func(func(frames [][]byte) error)
	hurry        func()
	close        func()
	ending       sync.Once
}

// Authenticate sets the check of the messages of Shell, Control and Stdin. It is called with the
// frames after the identity, by several goroutines. A message for which it returns an error is
// dropped; the first one for which it returns nil makes its connection a trusted one. A nil check
// accepts all messages. Until Authenticate is called no message is received. It may be called once.
func (s *Sockets) Authenticate(check func(frames [][]byte) error) {
	if s.authenticate != nil {
		s.authenticate(check)
	}
}

// Hurry ends the waiting of Send on IOPub for slow subscribers, for the messages that are queued.
func (s *Sockets) Hurry() {
	if s.hurry != nil {
		s.hurry()
	}
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
	secret, err := secretOf(c)
	if err != nil {
		return nil, err
	}
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
	s := serve([5]net.Listener(listeners), secret)
	s.Bound = bound
	return s, nil
}

// secretOf returns the secret key of a connection file that asks for encryption, or nil.
func secretOf(c *connection.Connection) (*curve.Key, error) {
	if c.CurveSecretKey == "" {
		return nil, nil
	}
	secret, err := curve.ParseKey(c.CurveSecretKey)
	if err != nil {
		return nil, fmt.Errorf("socket: curve_secretkey: %w", err)
	}
	return &secret, nil
}

// maxBeat is the maximum number of bytes of a heartbeat. Clients send "ping".
const maxBeat = 1 << 10

// serve returns the sockets of listeners for shell, control, stdin, iopub and heartbeat. The
// heartbeat is a ROUTER as well: an echo needs no state, and unlike a REP socket it cannot block on
// a peer that is gone. secret is the key for encryption, nil for none.
func serve(listeners [5]net.Listener, secret *curve.Key) *Sockets {
	limits := limitation{bytes: maxMessage, budget: newBudget(), secret: secret}
	shell, control, stdin := newRouter(listeners[0], limits, true), newRouter(listeners[1], limits, true), newRouter(listeners[2], limits, false)
	// Only on stdin does the kernel speak first. On the other sockets it answers, so a client
	// without a connection has gone.
	stdin.keeps = true
	iopub := newPublisher(listeners[3], limits)
	limits.bytes = maxBeat
	heartbeat := newEcho(listeners[4], limits)
	return &Sockets{
		Shell: shell, Control: control, Stdin: stdin, IOPub: iopub, Heartbeat: heartbeat,
		subscribed: iopub.subscribed,
		authenticate: func(check func(frames [][]byte) error) {
			for _, r := range []*router{shell, control, stdin} {
				r.authenticate(check)
			}
		},
		hurry: iopub.interrupted,
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
