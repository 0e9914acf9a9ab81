// Package client talks to a running kernel as a front end does: it executes cells, completes and
// inspects, reads the history, interrupts and shuts down.
//
// A client is for programs that work with the session of a notebook beside its front end, such as
// servers for editors and agents. Several clients can be connected to one kernel.
//
//	c, err := client.Dial(ctx, "kernel-1234.json")
//	reply, err := c.Execute(ctx, protocol.ExecuteRequest{Code: "1 + 1"}, func(content protocol.Content) { … })
//
// Read client.go, then outputs.go (what a kernel publishes) and start.go (kernels that the program
// starts itself).
package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// ErrGone is the error of requests to a kernel that has ended or closed the connection.
var ErrGone = errors.New("client: the kernel has ended or closed the connection")

// subscribing bounds the time that Dial waits for the greeting of the kernel's publications. A
// kernel that implements a protocol older than 5.4 has none.
const subscribing = 2 * time.Second

// A Client is a connection to a kernel. Its methods may be called from any goroutine.
type Client struct {
	sockets *socket.Sockets
	codec   *wire.Codec
	session string
	welcome chan struct{}
	greeted sync.Once

	mu      sync.Mutex // guards the fields below
	sent    int
	pending map[string]*pending // by message id
	gone    bool
	ended   chan struct{} // closed with gone
}

// A pending request waits for its reply and, if it publishes, for the end of its publications.
type pending struct {
	reply   chan *wire.Message
	idle    chan struct{}
	publish func(protocol.Content)
	once    sync.Once
}

// Dial connects to the kernel of a connection file. It returns an error if the file is invalid or
// if no kernel answers.
func Dial(ctx context.Context, connectionFile string) (*Client, error) {
	file, err := connection.Read(connectionFile)
	if err != nil {
		return nil, err
	}
	return dial(ctx, file)
}

func dial(ctx context.Context, file *connection.Connection) (*Client, error) {
	codec, err := wire.NewCodec(file.SignatureScheme, file.Key)
	if err != nil {
		return nil, err
	}
	session := rand.Text()
	sockets, err := socket.Dial(file, session)
	if err != nil {
		return nil, err
	}
	c := &Client{
		sockets: sockets, codec: codec, session: session, welcome: make(chan struct{}),
		pending: map[string]*pending{}, ended: make(chan struct{}),
	}
	// These goroutines end when the sockets are closed, by Close or by the kernel.
	go c.listen(sockets.Shell, c.takeReply)
	go c.listen(sockets.Control, c.takeReply)
	go c.listen(sockets.IOPub, c.takeOutput)
	select {
	case <-c.welcome:
	case <-c.ended:
		return nil, ErrGone
	case <-ctx.Done():
		c.Close()
		return nil, context.Cause(ctx)
	case <-time.After(subscribing):
	}
	return c, nil
}

// Close closes the connection. The kernel keeps running.
func (c *Client) Close() {
	c.leave()
	c.sockets.Close()
}

// Ended returns a channel that is closed when the connection ends.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// leave ends all pending requests.
func (c *Client) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		close(c.ended)
	}
}

// listen receives the messages of one channel. Messages with a wrong signature are dropped.
func (c *Client) listen(from socket.Socket, take func(*wire.Message)) {
	defer c.leave()
	for {
		frames, err := from.Receive()
		if err != nil {
			return
		}
		if m, err := c.codec.Decode(frames); err == nil {
			take(m)
		}
	}
}

// takeReply passes a reply to the request that waits for it.
func (c *Client) takeReply(m *wire.Message) {
	if p := c.of(m); p != nil {
		select {
		case p.reply <- m:
		default: // a second reply
		}
	}
}

// of returns the request to which a message belongs, or nil for one of another client.
func (c *Client) of(m *wire.Message) *pending {
	parent, err := m.ParentID()
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[parent]
}

// send sends a request and returns its id and what waits for the answers. done must be called after
// the request.
func (c *Client) send(to socket.Socket, kind string, content any, publish func(protocol.Content)) (p *pending, done func(), err error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, nil, fmt.Errorf("client: %s: %w", kind, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, nil, ErrGone
	}
	c.sent++
	id := fmt.Sprintf("%s_%d", c.session, c.sent)
	frames, err := c.codec.Encode(&wire.Message{Content: text, Header: protocol.Header{
		MsgID: id, Session: c.session, Username: os.Getenv("USER"), Date: time.Now().UTC().Format(protocol.DateFormat),
		MsgType: kind, Version: "5.4",
	}})
	if err != nil {
		return nil, nil, fmt.Errorf("client: %s: %w", kind, err)
	}
	p = &pending{reply: make(chan *wire.Message, 1), idle: make(chan struct{}), publish: publish}
	c.pending[id] = p
	if err := to.Send(frames); err != nil {
		delete(c.pending, id)
		return nil, nil, ErrGone
	}
	return p, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pending, id)
	}, nil
}

// ask sends a request and decodes the content of its reply.
func (c *Client) ask(ctx context.Context, to socket.Socket, kind string, content, reply any) error {
	p, done, err := c.send(to, kind, content, nil)
	if err != nil {
		return err
	}
	defer done()
	return c.await(ctx, p, kind, reply)
}

// await waits for the reply of a request.
func (c *Client) await(ctx context.Context, p *pending, kind string, reply any) error {
	select {
	case m := <-p.reply:
		if err := json.Unmarshal(m.Content, reply); err != nil {
			return fmt.Errorf("client: reply to %s: %w", kind, err)
		}
		return nil
	case <-c.ended:
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Execute executes a cell and returns its reply after all that the cell published until its end was
// passed to publish. What goroutines of the cell print later is not received. When ctx is done
// before, Execute returns its error, and the cell keeps running; see Interrupt.
func (c *Client) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) (protocol.ExecuteReply, error) {
	var reply protocol.ExecuteReply
	p, done, err := c.send(c.sockets.Shell, "execute_request", request, publish)
	if err != nil {
		return reply, err
	}
	defer done()
	if err := c.await(ctx, p, "execute_request", &reply); err != nil {
		return reply, err
	}
	select {
	case <-p.idle:
		return reply, nil
	case <-c.ended:
		return reply, ErrGone
	case <-ctx.Done():
		return reply, context.Cause(ctx)
	}
}

// Complete completes the code before the cursor, which counts code points.
func (c *Client) Complete(ctx context.Context, request protocol.CompleteRequest) (reply protocol.CompleteReply, err error) {
	err = c.ask(ctx, c.sockets.Shell, "complete_request", request, &reply)
	return reply, err
}

// Inspect describes the name at the cursor, which counts code points.
func (c *Client) Inspect(ctx context.Context, request protocol.InspectRequest) (reply protocol.InspectReply, err error) {
	err = c.ask(ctx, c.sockets.Shell, "inspect_request", request, &reply)
	return reply, err
}

// Info describes the kernel.
func (c *Client) Info(ctx context.Context) (reply protocol.KernelInfoReply, err error) {
	err = c.ask(ctx, c.sockets.Shell, "kernel_info_request", struct{}{}, &reply)
	return reply, err
}

// An Entry is a cell in the history of a session.
type Entry struct {
	Count  int // execution count
	Source string
}

// History returns the cells that were run in the session of the kernel, the latest run of each
// number, in their order.
func (c *Client) History(ctx context.Context) ([]Entry, error) {
	var reply protocol.HistoryReply
	request := protocol.HistoryRequest{Raw: true, HistAccessType: "range", Session: 0, Start: 1}
	if err := c.ask(ctx, c.sockets.Shell, "history_request", request, &reply); err != nil {
		return nil, err
	}
	return entries(reply)
}

// entries returns the cells of a reply.
func entries(reply protocol.HistoryReply) (list []Entry, err error) {
	for _, row := range reply.History {
		if len(row) != 3 {
			return nil, fmt.Errorf("client: an entry of the history has %d fields, want 3", len(row))
		}
		count, counted := row[1].(float64)
		source, text := row[2].(string)
		if !counted || !text {
			return nil, fmt.Errorf("client: an entry of the history is (%T, %T), want a number and a text", row[1], row[2])
		}
		if count != math.Trunc(count) || math.Abs(count) > math.MaxInt32 {
			return nil, fmt.Errorf("client: an entry of the history has the number %v, want an execution count", count)
		}
		list = append(list, Entry{int(count), source})
	}
	return list, nil
}

// Interrupt interrupts the running cells. Kernels that are interrupted by a signal do not answer.
func (c *Client) Interrupt(ctx context.Context) error {
	var reply protocol.InterruptReply
	return c.ask(ctx, c.sockets.Control, "interrupt_request", struct{}{}, &reply)
}

// Shutdown asks the kernel to end.
func (c *Client) Shutdown(ctx context.Context) error {
	var reply protocol.ShutdownReply
	err := c.ask(ctx, c.sockets.Control, "shutdown_request", protocol.ShutdownRequest{}, &reply)
	if errors.Is(err, ErrGone) {
		return nil
	}
	return err
}
