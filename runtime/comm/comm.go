// Package comm connects cells to the front end: a comm is a channel of JSON values and bytes
// between the code of a cell and JavaScript in the client. Widgets are built on it.
//
//	c, err := comm.Open("my.target", map[string]any{"value": 1})
//	c.OnMsg(func(m comm.Message) { fmt.Println("the page says", m.Data) })
//	c.Send(map[string]any{"value": 2})
//
// The client may open a comm as well, if a cell has registered its target:
//
//	comm.Register("my.target", func(c *comm.Comm, first comm.Message) {
//		c.OnMsg(func(m comm.Message) { c.Send(m.Data, m.Buffers...) })
//	})
//
// Callbacks run one after another in the order of the messages of one shell, each like a small
// cell: its output and panics are shown with the message that it answers, and an interrupt ends it.
// JupyterLab sends the messages of comms to a subshell, so that callbacks run while a cell is busy;
// the execution lock ensures that only one of them runs at a time.
//
// All functions may be called from any goroutine. Values are encoded as JSON during the call, so
// that later changes do not reach the message.
package comm

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// A Message is one message of a comm.
type Message struct {
	Data     any            // a JSON value, usually an object; received ones hold map[string]any, []any, string, float64, bool or nil
	Metadata map[string]any // metadata of the message; nil for none
	Buffers  [][]byte       // binary data after the JSON
}

// Decode stores the data in the value pointed to by into, as json.Unmarshal does.
func (m Message) Decode(into any) error {
	raw, err := json.Marshal(m.Data)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fmt.Errorf("comm: data of a message: %w", err)
	}
	return nil
}

// ErrClosed is returned by Send and Close once either side has closed the comm.
var ErrClosed = errors.New("comm: closed")

// ErrNoCell is returned outside of the cells of a kernel or a notebook.
var ErrNoCell = errors.New("comm: this goroutine belongs to no cell")

// ErrNoClient is returned by Register if no client can open comms, as in a notebook that runs
// without a front end.
var ErrNoClient = errors.New("comm: no client can open comms here")

// A Comm is an open channel to the client.
type Comm struct {
	ID     string // unique
	Target string // name by which the other side knows the comm

	mu      sync.Mutex // guards the fields below, and orders messages
	host    *Host      // host of the cell that opened the comm
	send    sender     // sender of the cell that used the comm last, for goroutines that belong to none
	onMsg   func(Message)
	onClose func(Message)
	closed  bool
}

// Open opens a comm to the client under a target known to its code, with the first data and
// buffers. In a notebook that runs without a front end nothing answers.
func Open(target string, data any, buffers ...[]byte) (*Comm, error) {
	return OpenMessage(target, Message{Data: data, Buffers: buffers})
}

// OpenMessage is like Open with a complete message, for targets that require metadata.
func OpenMessage(target string, first Message) (*Comm, error) {
	host := current()
	if host == nil {
		return nil, ErrNoCell
	}
	packed, err := pack(first)
	if err != nil {
		return nil, fmt.Errorf("comm: opening %q: %w", target, err)
	}
	c := &Comm{ID: newID(), Target: target, host: host, send: host.Publish()}
	if err := c.add(); err != nil {
		return nil, err
	}
	c.publish(packed.open(c.ID, target))
	return c, nil
}

// Send sends data and buffers to the client.
func (c *Comm) Send(data any, buffers ...[]byte) error {
	return c.SendMessage(Message{Data: data, Buffers: buffers})
}

// SendMessage is like Send with a complete message.
func (c *Comm) SendMessage(m Message) error {
	packed, err := pack(m)
	if err != nil {
		return fmt.Errorf("comm: sending over %q: %w", c.Target, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.publish(packed.message(c.ID))
	return nil
}

// Close closes the comm and notifies the client. It does not call the callback of OnClose.
func (c *Comm) Close() error { return c.CloseMessage(Message{}) }

// CloseMessage is like Close with a last message for the client.
func (c *Comm) CloseMessage(m Message) error {
	packed, err := pack(m)
	if err != nil {
		return fmt.Errorf("comm: closing %q: %w", c.Target, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.closed = true
	if c.host.Router != nil {
		c.host.Router.Remove(c.ID)
	}
	c.publish(packed.close(c.ID))
	return nil
}

// OnMsg sets the function that is called for each message of the client, replacing the previous
// one. With nil, messages are ignored.
func (c *Comm) OnMsg(callback func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMsg = callback
}

// OnClose sets the function that is called when the client closes the comm.
func (c *Comm) OnClose(callback func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClose = callback
}

// Closed reports whether either side has closed the comm.
func (c *Comm) Closed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// String returns id and target, so that a cell that ends with a Comm shows no addresses.
func (c *Comm) String() string { return "comm " + c.ID + " of " + c.Target }

// Register serves a target: open is called with each comm that a client opens and its first
// message. It replaces an earlier registration. If open panics, the comm is closed.
func Register(target string, open func(*Comm, Message)) error {
	host := current()
	switch {
	case host == nil:
		return ErrNoCell
	case host.Router == nil:
		return ErrNoClient
	case open == nil:
		return fmt.Errorf("comm: registering %q without a function; use Unregister", target)
	}
	host.Router.Register(target, host.opener(open))
	return nil
}

// Asked reports whether a client has opened a comm for a target, which shows that it supports it.
// It is false if no client can open comms.
func Asked(target string) bool {
	host := current()
	if host == nil {
		return false
	}
	router, ok := host.Router.(interface{ Asked(target string) bool })
	return ok && router.Asked(target)
}

// Unregister refuses further comms of a target. Open ones stay open.
func Unregister(target string) {
	if host := current(); host != nil && host.Router != nil {
		host.Router.Register(target, nil)
	}
}
