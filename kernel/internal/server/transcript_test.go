package server

import (
	"strings"
	"testing"

	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// A step is one request with all messages that it must cause, channel by channel.
type step struct {
	on      string // shell or control
	kind    string
	content string
	reply   string // on the same channel; "" for none
	iopub   string // comma-separated; busy and idle are around it
}

// The transcript of a session. After the last step, no other message may have arrived.
var session = []step{
	{"shell", "kernel_info_request", `{}`, "kernel_info_reply ok", ""},
	{"control", "kernel_info_request", `{}`, "kernel_info_reply ok", ""},
	{"shell", "execute_request", `{"code":"print a b"}`, "execute_reply ok", "execute_input, stream stdout a\nb"},
	{"shell", "execute_request", `{"code":"both"}`, "execute_reply ok", "execute_input, stream stdout out, stream stderr err, stream stdout out"},
	{"shell", "execute_request", `{"code":"value 1"}`, "execute_reply ok", "execute_input, execute_result"},
	{"shell", "execute_request", `{"code":"show"}`, "execute_reply ok", "execute_input, display_data, clear_output, update_display_data"},
	{"shell", "execute_request", `{"code":"fail why"}`, "execute_reply error", "execute_input, error"},
	{"shell", "execute_request", `{"code":"print a","silent":true}`, "execute_reply ok", "stream stdout a"},
	{"shell", "execute_request", `{"code":"bad"}`, "execute_reply ok", "execute_input, stream stderr content of display_data: json: unsupported type: func()"},
	{"shell", "execute_request", `{"code":"panic"}`, "execute_reply error", "execute_input, error"},
	{"shell", "complete_request", `{"code":"pr","cursor_pos":2}`, "complete_reply ok", ""},
	{"shell", "complete_request", `{"code":"panic","cursor_pos":2}`, "complete_reply error", ""},
	{"shell", "inspect_request", `{"code":"print","cursor_pos":2,"detail_level":0}`, "inspect_reply ok", ""},
	{"shell", "is_complete_request", `{"code":"print"}`, "is_complete_reply complete", ""},
	{"shell", "history_request", `{"hist_access_type":"tail","n":2}`, "history_reply ok", ""},
	{"shell", "comm_info_request", `{}`, "comm_info_reply ok", ""},
	{"shell", "connect_request", `{}`, "connect_reply ok", ""},
	{"shell", "comm_open", `{"comm_id":"c","target_name":"unknown","data":{}}`, "", "comm_close"},
	{"shell", "comm_msg", `{"comm_id":"c","data":{}}`, "", ""},
	{"shell", "comm_close", `{"comm_id":"c","data":{}}`, "", ""},
	{"shell", "comm_open", `{"comm_id":"e","target_name":"echo","data":{"a":1}}`, "", "comm_msg"},
	{"shell", "comm_open", `{"comm_id":"e","target_name":"echo","data":{}}`, "", "comm_close"},
	{"shell", "comm_info_request", `{"target_name":"echo"}`, "comm_info_reply ok", ""},
	{"shell", "comm_msg", `{"comm_id":"e","data":{"b":2}}`, "", "comm_msg"},
	{"shell", "comm_close", `{"comm_id":"e","data":{}}`, "", "stream stdout closed"},
	{"shell", "comm_msg", `{"comm_id":"e","data":{}}`, "", ""},
	{"shell", "comm_open", `{"target_name":"echo"}`, "", `stream stderr comm_open without the field "comm_id"`},
	{"shell", "comm_msg", `{}`, "", `stream stderr comm_msg without the field "comm_id"`},
	{"shell", "no_such_request", `{}`, "", ""},
	{"control", "no_such_request", `{}`, "", ""},
	{"control", "interrupt_request", `{}`, "interrupt_reply ok", ""},
	{"control", "usage_request", `{}`, "usage_reply ok", ""},
	{"control", "debug_request", `{}`, "debug_reply error", ""},
	{"control", "create_subshell_request", `{}`, "create_subshell_reply ok", ""},
	{"control", "list_subshell_request", `{}`, "list_subshell_reply ok", ""},
	{"control", "delete_subshell_request", `{"subshell_id":"unknown"}`, "delete_subshell_reply error", ""},
	{"control", "delete_subshell_request", `{}`, "delete_subshell_reply error", ""},
	{"control", "execute_request", `{"code":"print a"}`, "execute_reply error", ""},
	{"control", "shutdown_request", `{"restart":true}`, "shutdown_reply ok", "shutdown_reply ok"},
}

// described summarizes the messages of one channel. Writes of one cell arrive in one message or, on
// a slow machine, in several, which are joined.
func described(list []received) (lines []string) {
	const stream = "stream stdout "
	for i, r := range list {
		text := r.text()
		more, goesOn := strings.CutPrefix(text, stream)
		if last := len(lines) - 1; goesOn && i > 0 && parentOf(list[i-1]) == parentOf(r) && strings.HasPrefix(lines[last], stream) {
			lines[last] += "\n" + more
			continue
		}
		lines = append(lines, text)
	}
	return lines
}

func TestEveryRequestBringsExactlyWhatTheProtocolWants(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			serveEcho(k)
			c := k.dial("me", testKey)
			want := map[string][]string{"iopub": {"iopub_welcome", "status starting"}}
			for i, s := range session {
				from := map[string]socket.Socket{"shell": c.sockets.Shell, "control": c.sockets.Control}[s.on]
				id := c.send(from, s.kind, s.content)
				want["iopub"] = append(want["iopub"], "status busy")
				if s.iopub != "" {
					want["iopub"] = append(want["iopub"], strings.Split(s.iopub, ", ")...)
				}
				want["iopub"] = append(want["iopub"], "status idle")
				if s.reply == "" {
					c.idle(id)
					continue
				}
				want[s.on] = append(want[s.on], s.reply)
				c.done(id)
				if last := c.all[len(c.all)-1]; parentOf(last) != id {
					t.Errorf("step %d: %s has the parent %s, want %s", i, last.text(), parentOf(last), id)
				}
			}
			<-k.ended
			c.sockets.Close()
			got := map[string][]received{}
			for _, r := range c.all {
				got[r.channel] = append(got[r.channel], r)
			}
			for len(c.arrived) > 0 {
				r := c.next()
				t.Errorf("came after the end: %s", r.text())
			}
			for _, channel := range []string{"shell", "control", "stdin", "iopub"} {
				if a, b := strings.Join(described(got[channel]), "\n"), strings.Join(want[channel], "\n"); a != b {
					t.Errorf("%s:\n%s\nwant:\n%s", channel, a, b)
				}
			}
		})
	}
}

func TestRepliesHaveTheSessionOfThisStart(t *testing.T) {
	sessions := map[string]bool{}
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			r := start(t, "memory", testKey).dial("me", testKey).run("print a", "")
			sessions[r.Header.Session] = true
			if r.Header.Session == "me" {
				t.Error("the kernel uses the client's session")
			}
		})
	}
	if len(sessions) != 2 {
		t.Errorf("two kernels have the sessions %v", sessions)
	}
}

func TestParentHeaderIsTheRequestsHeaderByteForByte(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	c.sent++
	header := `{ "msg_id":"x", "msg_type":"kernel_info_request", "session":"me","username":"κ","date":"","version":"5.4", "future":[1.50] }`
	parts := [][]byte{[]byte(header), []byte("{}"), []byte("{}"), []byte("{}")}
	sendSigned(c, c.sockets.Shell, parts)
	if reply := c.done("x")["x"]; string(reply.Parent) != header {
		t.Errorf("parent header %s, want %s", reply.Parent, header)
	}
}

func TestRepliesTellWhenTheCellBegan(t *testing.T) {
	r := start(t, "memory", testKey).dial("me", testKey).run("print a", "")
	if !strings.Contains(string(r.Metadata), `"started":"2`) {
		t.Errorf("metadata %s", r.Metadata)
	}
}

func TestErrorRepliesCarryTheirCount(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	c.run("print a", "")
	var reply protocol.ExecuteReply
	c.run("fail why", "").decode(t, &reply)
	if reply.ExecutionCount != 2 || reply.Ename != "Failure" || reply.Evalue != "why" || len(reply.Traceback) != 1 {
		t.Errorf("reply %+v", reply)
	}
}

func TestMissingFieldsHaveTheProtocolsValues(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	c.run("print a", "")
	c.run("print a", `,"silent":true,"store_history":true`)
	want := []protocol.ExecuteRequest{
		{Code: "print a", StoreHistory: true, StopOnError: true},
		{Code: "print a", Silent: true, StopOnError: true},
	}
	for i, got := range k.mock.cells() {
		if got.Code != want[i].Code || got.Silent != want[i].Silent || got.StoreHistory != want[i].StoreHistory ||
			got.StopOnError != want[i].StopOnError || got.AllowStdin != want[i].AllowStdin {
			t.Errorf("request %d: %+v, want %+v", i, got, want[i])
		}
	}
}

func TestFirstClientSeesStartingAndWhatTheKernelDoes(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("first", testKey)
	c.run("print a", "")
	late := k.dial("late", testKey)
	late.run("print b", "")
	starting := func(c *client) (n int) {
		for _, r := range c.all {
			if r.text() == "status starting" {
				n++
				if string(r.Parent) != "{}" {
					t.Errorf("starting has the parent %s", r.Parent)
				}
			}
		}
		return n
	}
	if a, b := starting(c), starting(late); a != 1 || b != 0 {
		t.Errorf("starting came %d times to the first and %d times to the second client, want 1 and 0", a, b)
	}
}

func TestStatusBeforeAnybodyListensIsToldToTheFirst(t *testing.T) {
	k := start(t, "memory", testKey)
	// A kernel that received a request before its first subscriber.
	k.server.outbox.status(new(wire.Message), protocol.Busy)
	k.server.outbox.status(new(wire.Message), protocol.Idle)
	k.server.outbox.flush()
	c := k.dial("me", testKey)
	for _, want := range []string{"status starting", "status idle"} {
		if got := c.next().text(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTwoClientsSeeTheSameOutputAndTheirOwnReplies(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			one, two := k.dial("one", testKey), k.dial("two", testKey)
			id := one.cell("print a", "")
			one.done(id)
			two.idle(id)
			if one.printed(id) != "a\n" || two.printed(id) != "a\n" {
				t.Errorf("printed %q and %q, want both to see it", one.printed(id), two.printed(id))
			}
			for _, r := range two.all {
				if r.channel != "iopub" {
					t.Errorf("the second client got %s on %s", r.text(), r.channel)
				}
			}
		})
	}
}

func TestHeartbeatEchoesWhileACellRuns(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			c.cell("wait", "")
			<-k.mock.began
			c.sockets.Heartbeat.Send([][]byte{{}, []byte("ping")})
			frames, err := c.sockets.Heartbeat.Receive()
			if err != nil || len(frames) != 2 || string(frames[1]) != "ping" {
				t.Errorf("echo %q, %v", frames, err)
			}
		})
	}
}
