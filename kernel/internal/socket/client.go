package socket

import (
	"fmt"
	"net"
	"strconv"
	"sync"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/curve"
)

// Dial connects to a kernel as a client: DEALER sockets with the given routing identity, and a SUB
// socket that subscribes to all messages. On this side messages carry no identity. The five sockets
// have one identity, by which the kernel's stdin finds the client that sent a cell on shell.
func Dial(c *connection.Connection, identity string) (*Sockets, error) {
	return dial(identity, func(port connection.Port) (net.Conn, error) { return connect(c, port) }, c)
}

// publicOf returns the public key of a kernel that wants encryption, or nil.
func publicOf(c *connection.Connection) (*curve.Key, error) {
	if c.CurvePublicKey == "" {
		return nil, nil
	}
	public, err := curve.ParseKey(c.CurvePublicKey)
	if err != nil {
		return nil, fmt.Errorf("socket: curve_publickey: %w", err)
	}
	return &public, nil
}

// connect opens a connection to one port.
func connect(c *connection.Connection, port connection.Port) (net.Conn, error) {
	if c.Transport == "ipc" {
		return net.Dial("unix", fmt.Sprintf("%s-%d", c.IP, port))
	}
	return net.Dial("tcp", net.JoinHostPort(c.IP, strconv.Itoa(int(port))))
}

// A Single is a single DEALER socket. The handshake of package registration uses it.
type Single struct{ *dealer }

// Close sends queued messages, for at most a quarter of a second, and closes the connection.
func (s Single) Close() { s.close() }

// DialOne connects a DEALER socket to a ROUTER at one port.
func DialOne(c *connection.Connection, port connection.Port, identity string) (Single, error) {
	conn, err := connect(c, port)
	if err != nil {
		return Single{}, err
	}
	d := &dealer{peer: newPeer(conn)}
	if err := d.peer.handshakeAsClient("DEALER", identity, nil, "ROUTER"); err != nil {
		d.peer.close()
		return Single{}, err
	}
	return Single{d}, nil
}

// The sockets are opened and introduced one after another, as by other clients; if one fails, all
// are closed. open connects to the port of one channel.
func dial(identity string, open func(connection.Port) (net.Conn, error), c *connection.Connection) (*Sockets, error) {
	s := &Sockets{Bound: *c, subscribed: func(func(Subscription)) {}}
	public, err := publicOf(c)
	if err != nil {
		return nil, err
	}
	var opened []*dealer
	s.close = func() {
		for _, d := range opened {
			d.close()
		}
	}
	for _, channel := range []struct {
		port   connection.Port
		kind   string
		fits   string
		socket *Socket
	}{
		{c.ShellPort, "DEALER", "ROUTER", &s.Shell},
		{c.ControlPort, "DEALER", "ROUTER", &s.Control},
		{c.StdinPort, "DEALER", "ROUTER", &s.Stdin},
		{c.IopubPort, "SUB", "XPUB", &s.IOPub},
		{c.HbPort, "DEALER", "ROUTER", &s.Heartbeat},
	} {
		conn, err := open(channel.port)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("socket: connecting to %s: %w", c.Endpoint(channel.port), err)
		}
		d := &dealer{peer: newPeer(conn)}
		opened = append(opened, d)
		if err := d.peer.handshakeAsClient(channel.kind, identity, public, channel.fits); err != nil {
			s.Close()
			return nil, fmt.Errorf("socket: introducing to %s: %w", c.Endpoint(channel.port), err)
		}
		// An empty prefix, which matches every topic.
		if channel.kind == "SUB" {
			d.Send([][]byte{{1}})
		}
		*channel.socket = d
	}
	return s, nil
}

// dealer is the connecting side of one channel.
type dealer struct{ peer *peer }

// Send sends a message.
func (d *dealer) Send(frames [][]byte) error {
	if !d.peer.send(encode(frames)) {
		return ErrClosed
	}
	return nil
}

// Receive waits for the next message. An invalid frame also ends the connection: the position of
// the next frame is not known.
func (d *dealer) Receive() ([][]byte, error) {
	frames, err := d.peer.read()
	if err != nil {
		d.peer.close()
		return nil, ErrClosed
	}
	return frames, nil
}

// close lets the peer receive the queued messages, as Sockets.Close does on the other side.
func (d *dealer) close() {
	d.peer.finish()
	<-d.peer.ended
	d.peer.close()
}

// Memory returns sockets inside the process and a function that connects clients to them. They
// speak the same protocol over pipes, for tests without a network. A pipe has no buffer, so tests
// of slow peers are strict: nothing is sent that the peer does not read.
func Memory() (kernel *Sockets, connect func(identity string) (*Sockets, error)) {
	c := connection.Connection{Transport: "memory", ShellPort: 0, ControlPort: 1, StdinPort: 2, IopubPort: 3, HbPort: 4}
	var listeners [5]net.Listener
	var pipes [5]*pipeListener
	for i := range pipes {
		pipes[i] = &pipeListener{waiting: make(chan net.Conn), done: make(chan struct{})}
		listeners[i] = pipes[i]
	}
	kernel = serve(listeners, nil)
	kernel.Bound = c
	return kernel, func(identity string) (*Sockets, error) {
		return dial(identity, func(port connection.Port) (net.Conn, error) { return pipes[port].dial() }, &c)
	}
}

// A pipeListener is a listener inside the process.
type pipeListener struct {
	waiting chan net.Conn
	done    chan struct{}
	ending  sync.Once
}

// The channel has no buffer, so it waits until the kernel accepts.
func (l *pipeListener) dial() (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.waiting <- there:
		return here, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Accept waits for a client.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.waiting:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close closes the listener.
func (l *pipeListener) Close() error {
	l.ending.Do(func() { close(l.done) })
	return nil
}

// Addr returns a placeholder address.
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }
