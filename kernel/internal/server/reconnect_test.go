package server

import (
	"runtime"
	"strings"
	"testing"
)

// A front end that is reloaded, or a computer that was suspended, reconnects under its identity
// while its cell is still running.
func TestClientThatComesBackUnderItsIdentityGetsWhatIsLeft(t *testing.T) {
	for _, transport := range transports {
		for _, gone := range []bool{true, false} {
			name := transport + ", the old connection is closed"
			if !gone {
				name = transport + ", the old connection stays open"
			}
			t.Run(name, func(t *testing.T) {
				k := start(t, transport, testKey)
				before := k.dial("me", testKey)
				cell := before.cell("wait print late", "")
				<-k.mock.began
				before.until(func(r received) bool { return r.Header.MsgType == "execute_input" })
				if gone {
					before.sockets.Close()
				}
				after := k.dial("me", testKey)
				after.sent = 1000 // ids that the client has not used before
				// The replies show that the kernel has registered every connection.
				after.done(after.send(after.sockets.Shell, "kernel_info_request", `{}`), after.send(after.sockets.Control, "kernel_info_request", `{}`))
				close(k.mock.release)
				after.done(cell)
				if got := after.printed(cell); got != "late\n" {
					t.Errorf("printed %q, want the rest of the output", got)
				}
				if got := after.run("print next", ""); got.text() != "execute_reply ok" {
					t.Errorf("the next cell: %s", got.text())
				}
				for _, r := range before.all {
					if r.channel == "shell" && strings.HasPrefix(r.text(), "execute_reply") {
						t.Error("the reply went to the connection that was left")
					}
				}
			})
		}
	}
}

func TestQuestionsGoToTheConnectionThatIsThere(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			before := k.dial("me", testKey)
			cell := before.cell("wait ask name", `,"allow_stdin":true`)
			<-k.mock.began
			before.sockets.Close()
			after := k.dial("me", testKey)
			after.sent = 1000
			after.sockets.Stdin.Send([][]byte{[]byte("nothing signed")})
			for !strings.Contains(k.log.String(), "no delimiter") { // the kernel has read from the new connection
				runtime.Gosched()
			}
			close(k.mock.release)
			if q := after.answer("Ann"); q.Prompt != "name" {
				t.Errorf("question %+v", q)
			}
			after.done(cell)
			if got := after.printed(cell); got != "got Ann" {
				t.Errorf("printed %q", got)
			}
		})
	}
}
