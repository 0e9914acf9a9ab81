package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// deadline is the time limit for expected events.
const deadline = 2 * time.Minute

const testKey = "secret"

// A kernel is a server with the mock language, and a way to connect to it.
type kernel struct {
	t       testing.TB
	mock    *mock
	server  *Server
	connect func(identity string) (*socket.Sockets, error)
	stop    context.CancelFunc
	ended   chan struct{} // closed when Serve has returned
	log     safeBuffer
}

type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// transports are the ways to connect; the main tests run over each.
var transports = []string{"tcp", "ipc", "memory"}

// start runs a kernel and checks at the end of the test that none of its goroutines remain.
func start(t testing.TB, transport, key string) *kernel {
	t.Helper()
	return startWith(t, transport, key, Options{})
}

// startWith is like start with server options in addition to those of every test.
func startWith(t testing.TB, transport, key string, options Options) *kernel {
	t.Helper()
	k := &kernel{t: t, mock: newMock(), ended: make(chan struct{})}
	var sockets *socket.Sockets
	if transport == "memory" {
		sockets, k.connect = socket.Memory()
	} else {
		c := &connection.Connection{Transport: "tcp", IP: "127.0.0.1"}
		if transport == "ipc" {
			folder, err := os.MkdirTemp("", "k") // short, because paths of sockets are limited
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(folder) })
			c = &connection.Connection{Transport: "ipc", IP: filepath.Join(folder, "s"), ShellPort: 1, IopubPort: 2, StdinPort: 3, ControlPort: 4, HbPort: 5}
		}
		var err error
		if sockets, err = socket.Listen(c); err != nil {
			t.Fatal(err)
		}
		k.connect = func(identity string) (*socket.Sockets, error) { return socket.Dial(&sockets.Bound, identity) }
	}
	codec, err := wire.NewCodec("hmac-sha256", key)
	if err != nil {
		t.Fatal(err)
	}
	options.Sockets, options.Codec, options.Interpreter, options.Version, options.Log = sockets, codec, k.mock, "0", &k.log
	k.server = New(options)
	ctx, cancel := context.WithCancel(context.Background())
	k.stop = cancel
	go func() {
		defer close(k.ended)
		k.server.Serve(ctx)
	}()
	t.Cleanup(func() { checkNoGoroutines(t) })
	t.Cleanup(func() {
		cancel()
		<-k.ended
		select {
		case <-k.mock.release:
		default:
			close(k.mock.release)
		}
		k.mock.late.Wait()
	})
	return k
}

// checkNoGoroutines fails if goroutines of the kernel remain.
func checkNoGoroutines(t testing.TB) {
	t.Helper()
	var left []string
	for end := time.Now().Add(deadline); time.Now().Before(end); runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = slices.DeleteFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
			return !strings.Contains(stack, "gosphere/internal/kernel/") || strings.Contains(stack, "testing.tRunner") || strings.Contains(stack, "testing.(*B)")
		})
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines stay, the first:\n%s", len(left), left[0])
}

// A client connects to a kernel and records everything that it receives.
type client struct {
	t       testing.TB
	sockets *socket.Sockets
	codec   *wire.Codec
	name    string
	sent    int
	arrived chan received
	all     []received // in the order of arrival
}

type received struct {
	channel string
	*wire.Message
	read *reading // nil for messages that are looked at once
}

// A reading is the decoded summary of a message, cached because tests search all messages
// repeatedly.
type reading struct{ text, parent string }

// text describes a message in a few words.
func (r received) text() string {
	if r.read == nil {
		return r.words()
	}
	if r.read.text == "" {
		r.read.text = r.words()
	}
	return r.read.text
}

func (r received) words() string {
	var content struct {
		State  string `json:"execution_state"`
		Status string `json:"status"`
		Text   string `json:"text"`
		Name   string `json:"name"`
	}
	json.Unmarshal(r.Content, &content)
	words := []string{r.Header.MsgType}
	for _, word := range []string{content.State, content.Status, content.Name, content.Text} {
		if word != "" {
			words = append(words, strings.TrimSpace(word))
		}
	}
	return strings.Join(words, " ")
}

// dial connects a client and waits until its subscription has begun.
func (k *kernel) dial(name, key string) *client {
	k.t.Helper()
	sockets, err := k.connect(name)
	if err != nil {
		k.t.Fatal(err)
	}
	codec, err := wire.NewCodec("hmac-sha256", key)
	if err != nil {
		k.t.Fatal(err)
	}
	c := &client{t: k.t, sockets: sockets, codec: codec, name: name, arrived: make(chan received, 1<<16)}
	k.t.Cleanup(func() { sockets.Close() })
	for channel, from := range map[string]socket.Socket{
		"shell": sockets.Shell, "control": sockets.Control, "stdin": sockets.Stdin, "iopub": sockets.IOPub,
	} {
		// This goroutine ends when the client's sockets are closed.
		go func() {
			for {
				frames, err := from.Receive()
				if err != nil {
					return
				}
				m, err := codec.Decode(frames)
				if errors.Is(err, wire.ErrSignature) && key != testKey {
					continue // what a stranger cannot check, it cannot use
				}
				if err != nil {
					k.t.Errorf("%s: %v in %q", channel, err, frames)
					return
				}
				c.arrived <- received{channel, m, new(reading)}
			}
		}()
	}
	if key == testKey || key == "" {
		c.until(func(r received) bool { return r.Header.MsgType == "iopub_welcome" })
	}
	return c
}

// frames returns the frames of a request and its message id.
func (c *client) frames(kind, content, parent string) (id string, frames [][]byte) {
	c.t.Helper()
	c.sent++
	id = fmt.Sprintf("%s-%d", c.name, c.sent)
	m := &wire.Message{Content: json.RawMessage(content), Header: protocol.Header{
		MsgID: id, Session: c.name, Username: "user", Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.3",
	}}
	if parent != "" {
		m.Parent = json.RawMessage(`{"msg_id":"` + parent + `"}`)
	}
	frames, err := c.codec.Encode(m)
	if err != nil {
		c.t.Fatal(err)
	}
	return id, frames
}

// send sends a request and returns its id.
func (c *client) send(to socket.Socket, kind, content string) string {
	c.t.Helper()
	id, frames := c.frames(kind, content, "")
	if err := to.Send(frames); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// sendIn sends a request to a subshell, with buffers, and returns its id.
func (c *client) sendIn(subshell, kind, content string, buffers ...[]byte) string {
	c.t.Helper()
	c.sent++
	id := fmt.Sprintf("%s-%d", c.name, c.sent)
	m := &wire.Message{Content: json.RawMessage(content), Buffers: buffers, Header: protocol.Header{
		MsgID: id, Session: c.name, Username: "user", Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.6",
	}}
	if subshell != "" {
		m.Header.SubshellID = &subshell
	}
	frames, err := c.codec.Encode(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.sockets.Shell.Send(frames); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// cell sends an execute_request with the given fields besides the code.
func (c *client) cell(code, fields string) string {
	c.t.Helper()
	quoted, _ := json.Marshal(code)
	return c.send(c.sockets.Shell, "execute_request", `{"code":`+string(quoted)+fields+`}`)
}

// next returns the next message on any channel.
func (c *client) next() received {
	c.t.Helper()
	select {
	case r := <-c.arrived:
		c.all = append(c.all, r)
		for _, complaint := range validate(r.Message) {
			c.t.Errorf("%s on %s: %s", r.Header.MsgType, r.channel, complaint)
		}
		return r
	case <-time.After(deadline):
		c.t.Fatalf("nothing came any more; so far: %s", c.transcript())
		return received{}
	}
}

// until waits for a message.
func (c *client) until(want func(received) bool) received {
	c.t.Helper()
	for {
		if r := c.next(); want(r) {
			return r
		}
	}
}

func parentOf(r received) string {
	if r.read != nil && r.read.parent != "" {
		return r.read.parent
	}
	parent, _ := r.ParentID()
	if r.read != nil {
		r.read.parent = parent
	}
	return parent
}

// done waits until requests have their reply and their idle, and returns the replies.
func (c *client) done(ids ...string) map[string]received {
	c.t.Helper()
	replies, idle := map[string]received{}, map[string]bool{}
	complete := func(id string) bool {
		_, replied := replies[id]
		return idle[id] && replied
	}
	note := func(r received) {
		if r.channel == "shell" || r.channel == "control" {
			replies[parentOf(r)] = r
		} else if r.text() == "status idle" {
			idle[parentOf(r)] = true
		}
	}
	for _, r := range c.all {
		note(r)
	}
	for _, id := range ids {
		for !complete(id) {
			note(c.next())
		}
	}
	return replies
}

// idle waits for the idle of a request that gets no reply.
func (c *client) idle(id string) {
	c.t.Helper()
	isIdle := func(r received) bool { return r.text() == "status idle" && parentOf(r) == id }
	if !slices.ContainsFunc(c.all, isIdle) { // the channels come in any order
		c.until(isIdle)
	}
}

// run sends a cell and returns its reply when it is done.
func (c *client) run(code, fields string) received {
	c.t.Helper()
	id := c.cell(code, fields)
	return c.done(id)[id]
}

// transcript returns the received messages by channel.
func (c *client) transcript() string {
	channels := map[string][]string{}
	for _, r := range c.all {
		channels[r.channel] = append(channels[r.channel], fmt.Sprintf("%s<%s", r.text(), strings.TrimPrefix(parentOf(r), c.name+"-")))
	}
	var text strings.Builder
	for _, name := range []string{"shell", "control", "stdin", "iopub"} {
		if len(channels[name]) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(channels[name], ", "))
		}
	}
	return text.String()
}

// decode reads the content of a message.
func (r received) decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(r.Content, into); err != nil {
		t.Fatalf("%s: %v", r.Content, err)
	}
}

// printed returns the text of a request's streams.
func (c *client) printed(id string) string {
	var text strings.Builder
	for _, r := range c.all {
		var stream protocol.Stream
		if r.Header.MsgType == "stream" && parentOf(r) == id && json.Unmarshal(r.Content, &stream) == nil {
			text.WriteString(stream.Text)
		}
	}
	return text.String()
}
