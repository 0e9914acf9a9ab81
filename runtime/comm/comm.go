// Package comm lets cells talk to the page that shows them: a comm is a channel of JSON
// values and bytes between code in a cell and JavaScript of the client, as widgets use it.
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
// cell: what it prints and shows belongs to the message that it answers, a panic in it is
// reported there, and an interrupt ends it. JupyterLab sends the messages of comms in a
// subshell, so that callbacks run while a cell is busy; one of the two runs at a
// time.
//
// All functions may be called from any goroutine. Values are written as JSON when they are
// handed over, so that later changes do not reach the message.
package comm

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// A Message is what travels over a comm.
type Message struct {
	Data     any            // a JSON value, an object as a rule: received ones hold map[string]any, []any, string, float64, bool or nil
	Metadata map[string]any // of the message; nil for none
	Buffers  [][]byte       // binary data behind the JSON
}

// Decode stores the data in what into points to, as json.Unmarshal does.
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

// ErrNoClient is returned by Register where no client can open comms, as in a notebook that
// runs without a page.
var ErrNoClient = errors.New("comm: no client can open comms here")

// A Comm is one open channel to the client.
type Comm struct {
	ID     string // unique
	Target string // what the other side knows the comm by

	mu      sync.Mutex // guards the fields below, and keeps messages in order
	host    *Host      // of the cell that opened it
	send    sender     // of the cell that used it last, for goroutines that belong to none
	onMsg   func(Message)
	onClose func(Message)
	closed  bool
}

// Open opens a comm to the client under a target that code on the page knows, with the first
// data and buffers. In a notebook that runs without a page nobody answers.
func Open(target string, data any, buffers ...[]byte) (*Comm, error) {
	return OpenMessage(target, Message{Data: data, Buffers: buffers})
}

// OpenMessage is Open with a whole message, for targets that want metadata.
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

// SendMessage is Send with a whole message.
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

// Close ends the comm and tells the client. Its OnClose is not called.
func (c *Comm) Close() error { return c.CloseMessage(Message{}) }

// CloseMessage is Close with last words for the client.
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

// OnMsg sets what is called for each message of the client, in place of what was set before.
// Nil ignores them.
func (c *Comm) OnMsg(callback func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMsg = callback
}

// OnClose sets what is called when the client closes the comm.
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

// String names the comm, so that a cell that ends in one shows no addresses.
func (c *Comm) String() string { return "comm " + c.ID + " of " + c.Target }

// Register serves a target: open is called with each comm that a client opens and its first
// message, in place of what was registered before. If it panics the comm is closed again.
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

// Asked reports whether a client has named a target, so that it knows what comms of it are for. It is false where no client can ask.
func Asked(target string) bool {
	host := current()
	if host == nil {
		return false
	}
	router, ok := host.Router.(interface{ Asked(target string) bool })
	return ok && router.Asked(target)
}

// Unregister refuses further comms of a target. Those that are open stay.
func Unregister(target string) {
	if host := current(); host != nil && host.Router != nil {
		host.Router.Register(target, nil)
	}
}
