package comm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"

	"gosphere/internal/host"
	"gosphere/kernel/protocol"
)

// sender publishes on behalf of one cell or one message of a client.
type sender = func(protocol.Content)

// A Router delivers messages of clients to comms. The comm table of the kernel is a Router.
type Router interface {
	// Register serves a target, or stops serving it if open is nil.
	Register(target string, open func(protocol.CommOpen, func(protocol.Content)))
	// Add records an open comm.
	Add(id, target string, message func(protocol.CommMsg, func(protocol.Content)), closed func(protocol.CommClose, func(protocol.Content))) error
	// Remove removes a comm that this side has closed.
	Remove(id string) bool
}

// A Host is the interface of a session for the comms of its cells.
type Host struct {
	// Publish returns the publish function of the calling goroutine's cell, or nil for none.
	Publish func() func(protocol.Content)
	// Run runs a callback on a goroutine of its own, like a cell whose outputs go to publish, and
	// reports whether it returned normally.
	Run func(publish func(protocol.Content), callback func()) (finished bool)
	// Router is nil if no client can answer.
	Router Router
}

// current returns the host of the calling goroutine, or nil for none.
func current() *Host {
	if h, ok := host.Of[interface{ Comms() *Host }](); ok {
		return h.Comms()
	}
	return nil
}

// Collect runs body like a cell whose text and displays are returned instead of shown, and reports
// whether it returned normally; the text contains any error. Messages that body sends over comms
// are delivered as usual. Outside of cells Collect only calls body.
func Collect(body func()) (outputs []protocol.Content, finished bool) {
	host := current()
	if host == nil {
		body()
		return nil, true
	}
	outer := host.Publish()
	var mu sync.Mutex // goroutines of body may publish concurrently, and later
	finished = host.Run(func(content protocol.Content) {
		switch content.(type) {
		case protocol.CommOpen, protocol.CommMsg, protocol.CommClose:
			if outer != nil {
				outer(content)
			}
			return
		}
		mu.Lock()
		defer mu.Unlock()
		outputs = append(outputs, content)
	}, body)
	mu.Lock()
	defer mu.Unlock()
	return outputs[:len(outputs):len(outputs)], finished
}

// opener converts a function of a cell to one that a router calls.
func (h *Host) opener(open func(*Comm, Message)) func(protocol.CommOpen, func(protocol.Content)) {
	return func(m protocol.CommOpen, publish func(protocol.Content)) {
		c := &Comm{ID: m.CommID, Target: m.TargetName, host: h, send: publish}
		if c.add() != nil {
			return // the router notifies the client
		}
		if !h.Run(publish, func() { open(c, unpack(m.Data, m.Attachment)) }) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.closed = true
			h.Router.Remove(c.ID)
		}
	}
}

// add registers the comm with the router.
func (c *Comm) add() error {
	if c.host.Router == nil {
		return nil
	}
	return c.host.Router.Add(c.ID, c.Target, func(m protocol.CommMsg, publish func(protocol.Content)) {
		c.mu.Lock()
		callback := c.onMsg
		c.mu.Unlock()
		if callback != nil {
			c.host.Run(publish, func() { callback(unpack(m.Data, m.Attachment)) })
		}
	}, func(m protocol.CommClose, publish func(protocol.Content)) {
		c.mu.Lock()
		callback := c.onClose
		c.closed = true
		c.mu.Unlock()
		if callback != nil {
			c.host.Run(publish, func() { callback(unpack(m.Data, m.Attachment)) })
		}
	})
}

// publish sends on behalf of the calling goroutine's cell, or of the last cell that sent. The
// caller holds the lock, or is the only one with access to the comm.
func (c *Comm) publish(content protocol.Content) {
	if send := c.host.Publish(); send != nil {
		c.send = send
	}
	if c.send != nil {
		c.send(content)
	}
}

// A parcel is a message in encoded form.
type parcel struct {
	data       json.RawMessage
	attachment protocol.Attachment
}

// pack encodes a message as JSON. Nil data becomes the empty object.
func pack(m Message) (parcel, error) {
	p := parcel{data: json.RawMessage("{}")}
	var err error
	if m.Data != nil {
		if p.data, err = encode(m.Data); err != nil {
			return p, fmt.Errorf("data: %w", err)
		}
	}
	if m.Metadata != nil {
		if p.attachment.Metadata, err = encode(m.Metadata); err != nil {
			return p, fmt.Errorf("metadata: %w", err)
		}
	}
	for _, buffer := range m.Buffers {
		p.attachment.Buffers = append(p.attachment.Buffers, bytes.Clone(buffer))
	}
	return p, nil
}

// encode is like json.Marshal but does not escape < and >.
func encode(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}

func (p parcel) open(id, target string) protocol.CommOpen {
	return protocol.CommOpen{CommID: id, TargetName: target, Data: p.data, Attachment: p.attachment}
}

func (p parcel) message(id string) protocol.CommMsg {
	return protocol.CommMsg{CommID: id, Data: p.data, Attachment: p.attachment}
}

func (p parcel) close(id string) protocol.CommClose {
	return protocol.CommClose{CommID: id, Data: p.data, Attachment: p.attachment}
}

// unpack decodes a received message. Both parts were checked to be valid JSON on receipt.
func unpack(data json.RawMessage, attachment protocol.Attachment) Message {
	m := Message{Buffers: attachment.Buffers}
	_ = json.Unmarshal(data, &m.Data)
	_ = json.Unmarshal(attachment.Metadata, &m.Metadata)
	return m
}

// newID returns 32 hexadecimal digits, the form of comm ids that clients expect.
func newID() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }
