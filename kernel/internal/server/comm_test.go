package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/socket"
	"gosphere/kernel/protocol"
)

// serveEcho serves the target echo: it replies to the open with its data, to messages with their
// content, and prints when closed.
func serveEcho(k *kernel) {
	comms := k.server.Comms
	comms.Register("echo", func(open protocol.CommOpen, publish func(protocol.Content)) {
		comms.Add(open.CommID, open.TargetName, func(m protocol.CommMsg, publish func(protocol.Content)) { publish(m) },
			func(_ protocol.CommClose, publish func(protocol.Content)) {
				publish(protocol.Stream{Name: "stdout", Text: "closed"})
			})
		publish(protocol.CommMsg{CommID: open.CommID, Data: open.Data, Attachment: open.Attachment})
	})
}

// of returns the messages of one kind with a parent.
func (c *client) of(parent, kind string) (list []received) {
	for _, r := range c.all {
		if parentOf(r) == parent && r.Header.MsgType == kind {
			list = append(list, r)
		}
	}
	return list
}

func TestCommsCarryBuffersBothWays(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			serveEcho(k)
			c := k.dial("me", testKey)
			large := bytes.Repeat([]byte{0, 1, 2, 255}, 1<<20)
			buffers := [][]byte{{}, []byte("<IDS|MSG>"), large}
			open := c.sendIn("", "comm_open", `{"comm_id":"x","target_name":"echo","data":{"n":1}}`, buffers...)
			c.idle(open)
			message := c.sendIn("", "comm_msg", `{"comm_id":"x","data":{"n":2}}`, buffers...)
			c.idle(message)
			for i, id := range []string{open, message} {
				got := c.of(id, "comm_msg")
				if len(got) != 1 {
					t.Fatalf("message %d was answered %d times", i+1, len(got))
				}
				if want := fmt.Sprintf(`{"comm_id":"x","data":{"n":%d}}`, i+1); string(got[0].Content) != want {
					t.Errorf("content %s, want %s", got[0].Content, want)
				}
				if len(got[0].Buffers) != len(buffers) {
					t.Fatalf("%d buffers came back, want %d", len(got[0].Buffers), len(buffers))
				}
				for j, buffer := range got[0].Buffers {
					if !bytes.Equal(buffer, buffers[j]) {
						t.Errorf("buffer %d of %d bytes came back with %d", j, len(buffers[j]), len(buffer))
					}
				}
			}
		})
	}
}

func TestCommInfoListsOpenCommsByTarget(t *testing.T) {
	k := start(t, "memory", testKey)
	serveEcho(k)
	k.server.Comms.Add("mine", "widget", nil, nil)
	c := k.dial("me", testKey)
	c.send(c.sockets.Shell, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`)
	for content, want := range map[string]string{
		`{"target_name":"echo"}`:    `{"x":{"target_name":"echo"}}`,
		`{"target_name":"nothing"}`: `{}`,
		`{}`:                        `{"mine":{"target_name":"widget"},"x":{"target_name":"echo"}}`,
	} {
		id := c.send(c.sockets.Shell, "comm_info_request", content)
		var reply struct{ Comms json.RawMessage }
		c.done(id)[id].decode(t, &reply)
		if string(reply.Comms) != want {
			t.Errorf("%s: comms %s, want %s", content, reply.Comms, want)
		}
	}
}

// A front end that runs all cells and then opens a comm must find the target that the last cell
// registers.
func TestMessagesOfCommsWaitForTheCellsBeforeThem(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	cell := c.cell("wait", "")
	<-k.mock.began
	open := c.send(c.sockets.Shell, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`)
	c.done(c.send(c.sockets.Shell, "complete_request", `{"code":"p","cursor_pos":1}`))
	serveEcho(k)
	close(k.mock.release)
	c.done(cell)
	c.idle(open)
	if len(c.of(open, "comm_msg")) != 1 {
		t.Errorf("the target was not found: %s", c.transcript())
	}
}

func TestFailingCellsDoNotStopComms(t *testing.T) {
	k := start(t, "memory", testKey)
	serveEcho(k)
	c := k.dial("me", testKey)
	c.cell("wait fail", "")
	<-k.mock.began
	open := c.send(c.sockets.Shell, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`)
	close(k.mock.release)
	c.idle(open)
	if len(c.of(open, "comm_msg")) != 1 {
		t.Errorf("the comm was not opened: %s", c.transcript())
	}
}

func TestMetadataThatIsNoObjectIsNotSent(t *testing.T) {
	k := start(t, "memory", testKey)
	k.server.Comms.Register("bad", func(open protocol.CommOpen, publish func(protocol.Content)) {
		publish(protocol.CommMsg{CommID: open.CommID, Data: []byte("1"), Attachment: protocol.Attachment{Metadata: []byte("[]")}})
	})
	c := k.dial("me", testKey)
	id := c.send(c.sockets.Shell, "comm_open", `{"comm_id":"x","target_name":"bad","data":{}}`)
	c.idle(id)
	if got := c.printed(id); got != "metadata of comm_msg is no JSON object\n" || len(c.of(id, "comm_msg")) != 0 {
		t.Errorf("printed %q", got)
	}
}

func TestHandlerThatPanicsLeavesTheKernelRunning(t *testing.T) {
	k := start(t, "memory", testKey)
	k.server.Comms.Register("bad", func(protocol.CommOpen, func(protocol.Content)) { panic("defect") })
	c := k.dial("me", testKey)
	c.idle(c.send(c.sockets.Shell, "comm_open", `{"comm_id":"x","target_name":"bad","data":{}}`))
	if got := c.run("print a", "").text(); got != "execute_reply ok" {
		t.Errorf("the next cell: %s", got)
	}
}

// A subscriber without the key has the signed messages of the kernel. Sent back, they must not
// reach the comm.
func TestTheKernelsOwnMessagesAreRefused(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			serveEcho(k)
			c, stranger := k.dial("me", testKey), k.dial("stranger", "wrong key")
			for range 3 { // every message of a cell and a comm
				c.idle(c.send(c.sockets.Shell, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`))
				c.run("print a", "")
			}
			if len(c.all) < 20 {
				t.Fatalf("only %d messages came", len(c.all))
			}
			for _, r := range c.all {
				frames, err := c.codec.Encode(r.Message)
				if err != nil {
					t.Fatal(err)
				}
				for _, to := range []socket.Socket{stranger.sockets.Shell, stranger.sockets.Control, stranger.sockets.Stdin} {
					to.Send(frames[len(r.Identities):])
				}
			}
			before := len(c.all)
			if got := c.run("print b", "").text(); got != "execute_reply ok" {
				t.Errorf("the next cell: %s", got)
			}
			for _, r := range c.all[before:] {
				if kind := r.Header.MsgType; kind == "comm_msg" || kind == "comm_close" {
					t.Errorf("a message sent back was served: %s", r.text())
				}
			}
			for end := time.Now().Add(deadline); !strings.Contains(k.log.String(), "message of a kernel with this key"); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("nothing was refused: %s", k.log.String())
				}
			}
		})
	}
}
