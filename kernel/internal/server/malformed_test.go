package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/internal/socket"
	"gosphere/kernel/protocol"
)

// sendSigned sends four arbitrary parts with a valid signature.
func sendSigned(c *client, to socket.Socket, parts [][]byte) {
	mac := hmac.New(sha256.New, []byte(testKey))
	for _, part := range parts {
		mac.Write(part)
	}
	to.Send(append([][]byte{[]byte("<IDS|MSG>"), hex.AppendEncode(nil, mac.Sum(nil))}, parts...))
}

// Invalid requests, and the reason that their sender must receive.
var malformed = []struct{ kind, content, want string }{
	{"execute_request", `{}`, `execute_request without the field "code"`},
	{"execute_request", `{"code":null}`, `execute_request without the field "code"`},
	{"execute_request", `{"code":5,"silent":false}`, `the field "code" is a number, want string`},
	{"execute_request", `{"code":"x","user_expressions":{"a":1}}`, `is a number, want string`},
	{"execute_request", `{not json`, `content: invalid character`},
	{"execute_request", `[1,2]`, `content is no JSON object`},
	{"execute_request", `null`, `content is no JSON object`},
	{"execute_request", "{\"code\":\"\xff\"}", `content is not valid UTF-8`},
	{"complete_request", `{}`, `complete_request without the field "code"`},
	{"complete_request", `{"code":"ab","cursor_pos":999}`, `cursor_pos is 999, want 0 to 2`},
	{"complete_request", `{"code":"ab","cursor_pos":-3}`, `cursor_pos is -3, want 0 to 2`},
	{"complete_request", `{"code":"κμ","cursor_pos":3}`, `cursor_pos is 3, want 0 to 2`},
	{"complete_request", `{"code":"ab","cursor_pos":1e40}`, `the field "cursor_pos" is a number 1e40, want int`},
	{"inspect_request", `{"code":"ab","cursor_pos":999,"detail_level":0}`, `cursor_pos is 999, want 0 to 2`},
	{"inspect_request", `{"code":"ab"}`, `inspect_request without the field "cursor_pos"`},
	{"is_complete_request", `{}`, `is_complete_request without the field "code"`},
	{"history_request", `{"hist_access_type":"all"}`, `hist_access_type is "all", want range, tail or search`},
	{"history_request", `{}`, `history_request without the field "hist_access_type"`},
	{"comm_info_request", `{"target_name":7}`, `the field "target_name" is a number, want string`},
	{"shutdown_request", `{"restart":"yes"}`, `the field "restart" is a string, want bool`},
}

func TestMalformedRequestsAreAnsweredWithTheReason(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	for _, m := range malformed {
		id, frames := c.frames(m.kind, "{}", "")
		sendSigned(c, c.sockets.Shell, [][]byte{frames[2], []byte("{}"), []byte("{}"), []byte(m.content)})
		reply := c.done(id)[id]
		var got protocol.ErrorReply
		reply.decode(t, &got)
		if got.Status != "error" || got.Ename == "" || !strings.Contains(got.Evalue, m.want) || len(got.Traceback) == 0 {
			t.Errorf("%s %s: %s, want an error with %q", m.kind, m.content, reply.Content, m.want)
		}
		if want := strings.TrimSuffix(m.kind, "_request") + "_reply"; reply.Header.MsgType != want {
			t.Errorf("%s is answered by %s, want %s", m.kind, reply.Header.MsgType, want)
		}
	}
}

func TestMessagesOfStrangersAreDroppedAndLoggedOnce(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c, stranger := k.dial("me", testKey), k.dial("stranger", "wrong key")
			_, frames := stranger.frames("execute_request", `{"code":"print hacked"}`, "")
			attacks := [][][]byte{
				frames, frames[:2], frames[:4], {[]byte("<IDS|MSG>")}, {{}}, {[]byte("hello"), []byte("world")},
				append([][]byte{frames[0], {}}, frames[2:]...), append([][]byte{frames[0], []byte("zz")}, frames[2:]...),
			}
			for _, to := range []socket.Socket{stranger.sockets.Shell, stranger.sockets.Control, stranger.sockets.Stdin} {
				for range 10 {
					for _, attack := range attacks {
						to.Send(attack)
					}
				}
				stranger.send(to, "shutdown_request", `{"restart":false}`)
			}
			id := c.cell("print safe", "")
			c.done(id)
			if n := len(k.mock.cells()); n != 1 {
				t.Errorf("%d cells were run, want only that of the client with the key", n)
			}
			// The messages of the unsigned client travel on a separate connection and may arrive
			// last.
			for end := time.Now().Add(deadline); !strings.Contains(k.log.String(), "wrong signature") && time.Now().Before(end); {
				runtime.Gosched()
			}
			k.stop()
			<-k.ended
			if n := strings.Count(k.log.String(), "wrong signature"); n != 1 {
				t.Errorf("wrong signatures were logged %d times, want once:\n%s", n, k.log.String())
			}
			for _, r := range stranger.all {
				t.Errorf("the stranger got %s on %s", r.text(), r.channel)
			}
		})
	}
}

func TestReplayedRequestIsRunOnce(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	id, frames := c.frames("execute_request", `{"code":"print a"}`, "")
	c.sockets.Shell.Send(frames)
	c.sockets.Shell.Send(frames)
	c.done(id)
	c.run("print b", "")
	if n := len(k.mock.cells()); n != 2 {
		t.Errorf("%d cells were run, want 2", n)
	}
}

func TestEmptyKeyTurnsSigningOff(t *testing.T) {
	k := start(t, "memory", "")
	c := k.dial("me", "")
	id := c.cell("print a", "")
	c.done(id)
	if c.printed(id) != "a\n" {
		t.Errorf("printed %q", c.printed(id))
	}
}

func TestTableOfRefusalsStaysSmall(t *testing.T) {
	k := start(t, "memory", testKey)
	for i := range 10 * maxReasons {
		k.server.refuse(nil, nil, errorOf(i))
	}
	if n := len(k.server.refusals.counts); n > maxReasons+1 {
		t.Errorf("%d reasons are kept, want about %d", n, maxReasons)
	}
}

type errorOf int

func (e errorOf) Error() string { return strings.Repeat("x", int(e)) }
