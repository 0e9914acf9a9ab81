package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// A client talks to a kernel and checks the order of everything that it receives.
type client struct {
	t       testing.TB
	name    string
	sockets *socket.Sockets
	codec   *wire.Codec
	welcome chan struct{}
	watcher sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	changed sync.Cond
	sent    int
	replies map[string]string   // status by request
	watched map[string]*request // by id, until their idle; of others too
	over    map[string]string   // what own requests have shown, once they are idle
	gone    bool
	rested  bool // the latest message of iopub was an idle
	last    int  // execution count of the last cell that began
}

// A request is the information about one request on iopub.
type request struct {
	number int // of its latest message; they only grow
	shown  strings.Builder
}

// join connects a client and waits until its subscription has begun.
func join(t testing.TB, k *kernelUnderTest, name string) *client {
	sockets, err := socket.Dial(&k.bound, name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	codec, _ := wire.NewCodec("hmac-sha256", key)
	c := &client{
		t: t, name: name, sockets: sockets, codec: codec, welcome: make(chan struct{}),
		replies: map[string]string{}, watched: map[string]*request{}, over: map[string]string{},
	}
	c.changed.L = &c.mu
	for _, channel := range []struct {
		from socket.Socket
		take func(*wire.Message)
	}{{sockets.Shell, c.takeReply}, {sockets.IOPub, c.takeOutput}} {
		// This goroutine ends when the sockets are closed.
		c.watcher.Go(func() {
			for {
				frames, err := channel.from.Receive()
				if err != nil {
					return
				}
				m, err := decode(codec, frames)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				channel.take(m)
			}
		})
	}
	select {
	case <-c.welcome:
	case <-time.After(deadline):
		t.Errorf("%s: no welcome", name)
	}
	return c
}

// unsigned decodes without checking signatures.
var unsigned, _ = wire.NewCodec("", "")

// decode decodes as a client that checks signatures but keeps no replay table: the memory of the
// process should be that of the kernel.
func decode(codec *wire.Codec, frames [][]byte) (*wire.Message, error) {
	at := slices.IndexFunc(frames, func(f []byte) bool { return bytes.Equal(f, wire.Delimiter) })
	if at < 0 || len(frames) < at+6 {
		return nil, fmt.Errorf("%d frames", len(frames))
	}
	if err := codec.Verify(frames[at+1], frames[at+2:at+6]...); err != nil {
		return nil, err
	}
	return unsigned.Decode(frames)
}

func (c *client) leave() {
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	c.sockets.Close()
	c.watcher.Wait()
}

func read(m *wire.Message) (got content, parent string) {
	json.Unmarshal(m.Content, &got) // fields of another type belong to messages that are not looked at
	parent, _ = m.ParentID()
	return got, parent
}

func (c *client) takeReply(m *wire.Message) {
	got, parent := read(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.replies[parent]; again {
		c.t.Errorf("%s: a second reply to %s", c.name, parent)
	}
	if !strings.HasPrefix(parent, c.name+"/") {
		c.t.Errorf("%s got the reply to %s", c.name, parent)
	}
	c.replies[parent] = got.Status
	c.changed.Broadcast()
}

// takeOutput checks the order of published messages: busy first, idle last, and increasing message
// numbers and execution counts.
func (c *client) takeOutput(m *wire.Message) {
	kind := m.Header.MsgType
	got, parent := read(m)
	if kind == "iopub_welcome" {
		close(c.welcome)
		return
	}
	if parent == "" {
		return // the status at the start
	}
	number, err := strconv.Atoi(m.Header.MsgID[strings.LastIndexByte(m.Header.MsgID, '_')+1:])
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.watched[parent]
	rested := c.rested
	c.rested = kind == "status" && got.State == "idle"
	own := strings.HasPrefix(parent, c.name+"/")
	switch {
	case err != nil:
		c.t.Errorf("message id %s", m.Header.MsgID)
	case r == nil && kind == "status" && got.State == "busy":
		c.watched[parent] = &request{number: number}
		return
	case r == nil && kind == "stream" && strings.HasPrefix(got.Text, "late "):
		return // of a goroutine that outlived its cell
	case r == nil:
		if own {
			c.t.Errorf("%s: %s of %s outside of busy and idle: %s", c.name, kind, parent, m.Content)
		}
		return // began before this client joined
	case number <= r.number:
		c.t.Errorf("%s: message %d of %s behind %d", c.name, number, parent, r.number)
	}
	r.number = number
	switch kind {
	case "status":
		if got.State == "busy" && rested {
			return // it keeps running while other requests are answered
		}
		if got.State != "idle" {
			c.t.Errorf("%s: %s is %s twice", c.name, parent, got.State)
		}
		delete(c.watched, parent)
		if own {
			c.over[parent] = r.shown.String()
			c.changed.Broadcast()
		}
	case "execute_input":
		var input protocol.ExecuteInput
		json.Unmarshal(m.Content, &input)
		if input.ExecutionCount <= c.last {
			c.t.Errorf("%s: cell %d begins behind cell %d", c.name, input.ExecutionCount, c.last)
		}
		c.last = input.ExecutionCount
	case "stream":
		r.shown.WriteString(got.Text)
	case "execute_result":
		var text string
		json.Unmarshal(got.Data["text/plain"], &text)
		r.shown.WriteString("=" + text)
	case "error":
		r.shown.WriteString("!" + got.Name)
	case "display_data":
		for kind := range got.Data {
			if kind != "text/plain" {
				r.shown.WriteString("+" + kind)
			}
		}
	}
}

// send sends a request on shell and returns its id.
func (c *client) send(kind, text string) string {
	c.mu.Lock()
	c.sent++
	id := fmt.Sprintf("%s/%d", c.name, c.sent)
	c.mu.Unlock()
	frames, err := c.codec.Encode(&wire.Message{Content: json.RawMessage(text), Header: protocol.Header{
		MsgID: id, Session: c.name, Username: "soak", Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.4",
	}})
	if err != nil {
		c.t.Error(err)
	}
	if err := c.sockets.Shell.Send(frames); err != nil {
		c.t.Errorf("%s: %v", c.name, err)
	}
	return id
}

// reply waits for the reply and the idle of a request and returns the reply's status.
func (c *client) reply(id string) string {
	status, _ := c.wait(id)
	return status
}

// wait waits for a request and returns its status and output.
func (c *client) wait(id string) (status, shown string) {
	timer := time.AfterFunc(deadline, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.gone = true
		c.changed.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		status, replied := c.replies[id]
		shown, idle := c.over[id]
		if replied && idle {
			delete(c.replies, id)
			delete(c.over, id)
			return status, shown
		}
		if c.gone {
			c.t.Errorf("%s: %s has no end; reply %q, idle %v", c.name, id, status, idle)
			return status, shown
		}
		c.changed.Wait()
	}
}

// ask sends a request and returns its status.
func (c *client) ask(kind, text string) string { return c.reply(c.send(kind, text)) }

// cell sends a cell.
func (c *client) cell(code string) string {
	quoted, _ := json.Marshal(code)
	return c.send("execute_request", `{"code":`+string(quoted)+`,"stop_on_error":false}`)
}

// run runs a cell and checks its status.
func (c *client) run(code, status string) {
	if got := c.reply(c.cell(code)); got != status {
		c.t.Errorf("%s: the status is %s, want %s, of %s", c.name, got, status, code)
	}
}

// expect runs a cell and checks its status and output.
func (c *client) expect(code, status, shown string) {
	gotStatus, gotShown := c.wait(c.cell(code))
	if gotStatus != status || gotShown != shown {
		c.t.Errorf("%s: status %s, showed %s; want %s and %s, of\n%s", c.name, gotStatus, told(gotShown), status, told(shown), code)
	}
}

// told quotes a text for a test message, shortened if it is long.
func told(text string) string {
	const most = 500
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q… of %d bytes", text[:most], len(text))
}
