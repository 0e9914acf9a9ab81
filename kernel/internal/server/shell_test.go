package server

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// subshell creates a subshell and returns its id.
func (c *client) subshell() string {
	c.t.Helper()
	id := c.send(c.sockets.Control, "create_subshell_request", `{}`)
	var reply protocol.CreateSubshellReply
	c.done(id)[id].decode(c.t, &reply)
	if reply.Status != protocol.OK || reply.SubshellID == "" {
		c.t.Fatalf("create_subshell_reply %+v", reply)
	}
	return reply.SubshellID
}

// subshells lists them.
func (c *client) subshells() string {
	c.t.Helper()
	id := c.send(c.sockets.Control, "list_subshell_request", `{}`)
	var reply protocol.ListSubshellReply
	c.done(id)[id].decode(c.t, &reply)
	return strings.Join(reply.SubshellID, " ")
}

func (c *client) delete(subshell string) received {
	c.t.Helper()
	id := c.send(c.sockets.Control, "delete_subshell_request", `{"subshell_id":"`+subshell+`"}`)
	return c.done(id)[id]
}

// around returns the messages published with a parent, in order, except the busy that is repeated
// after the idle of another request.
func (c *client) around(parent string) string {
	var list []string
	rested := false
	for _, r := range c.all {
		if r.channel != "iopub" {
			continue
		}
		again := rested && len(list) > 0 && r.text() == "status busy"
		if parentOf(r) == parent && !again {
			list = append(list, r.text())
		}
		rested = r.text() == "status idle" && parentOf(r) != parent
	}
	return strings.Join(list, ", ")
}

func TestSubshellsAreMadeListedAndDeleted(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			if got := c.subshells(); got != "" {
				t.Errorf("a new kernel has the subshells %q", got)
			}
			a, b := c.subshell(), c.subshell()
			if a == b || c.subshells() != a+" "+b {
				t.Errorf("subshells %q, want %q and %q", c.subshells(), a, b)
			}
			if got := c.delete(a).text(); got != "delete_subshell_reply ok" || c.subshells() != b {
				t.Errorf("%s, left %q", got, c.subshells())
			}
			if got := c.delete(a).text(); got != "delete_subshell_reply error" {
				t.Errorf("deleted again: %s", got)
			}
		})
	}
}

func TestSubshellsAreAnnounced(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	id := c.send(c.sockets.Shell, "kernel_info_request", `{}`)
	var reply protocol.KernelInfoReply
	c.done(id)[id].decode(t, &reply)
	if strings.Join(reply.SupportedFeatures, ",") != "kernel subshells" {
		t.Errorf("features %q", reply.SupportedFeatures)
	}
}

func TestSubshellServesEverythingWhileTheParentIsBusy(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			serveEcho(k)
			c := k.dial("me", testKey)
			sub := c.subshell()
			busy := c.cell("wait print x", "")
			<-k.mock.began
			want := map[string]string{}
			expect := func(id, reply, iopub string) {
				t.Helper()
				want[id] = reply + " | status busy, " + iopub + "status idle"
				if reply == "" {
					c.idle(id)
				} else {
					c.done(id)
				}
			}
			expect(c.sendIn(sub, "execute_request", `{"code":"print a"}`), "execute_reply ok", "execute_input, stream stdout a, ")
			expect(c.sendIn(sub, "execute_request", `{"code":"fail b"}`), "execute_reply error", "execute_input, error, ")
			expect(c.sendIn(sub, "complete_request", `{"code":"p","cursor_pos":1}`), "complete_reply ok", "")
			expect(c.sendIn(sub, "inspect_request", `{"code":"print","cursor_pos":1}`), "inspect_reply ok", "")
			expect(c.sendIn(sub, "is_complete_request", `{"code":"print"}`), "is_complete_reply complete", "")
			expect(c.sendIn(sub, "history_request", `{"hist_access_type":"tail","n":1}`), "history_reply ok", "")
			expect(c.sendIn(sub, "kernel_info_request", `{}`), "kernel_info_reply ok", "")
			expect(c.sendIn(sub, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`), "", "comm_msg, ")
			expect(c.sendIn(sub, "comm_msg", `{"comm_id":"x","data":{}}`), "", "comm_msg, ")
			expect(c.sendIn(sub, "comm_info_request", `{}`), "comm_info_reply ok", "")
			expect(c.sendIn(sub, "comm_close", `{"comm_id":"x","data":{}}`), "", "stream stdout closed, ")
			if got := c.around(busy); got != "status busy, execute_input" {
				t.Errorf("meanwhile the parent's cell published %s", got)
			}
			close(k.mock.release)
			expect(busy, "execute_reply ok", "execute_input, stream stdout x, ")
			for id, whole := range want {
				reply := ""
				for _, r := range c.all {
					if r.channel == "shell" && parentOf(r) == id {
						reply += r.text()
						if id != busy && (r.Header.SubshellID == nil || *r.Header.SubshellID != sub) {
							t.Errorf("%s names the subshell %v", r.text(), r.Header.SubshellID)
						}
					}
				}
				if got := reply + " | " + c.around(id); got != whole {
					t.Errorf("%s: %s\nwant %s", id, got, whole)
				}
			}
		})
	}
}

func TestUnknownSubshellIsAnErrorWithBusyAndIdle(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			k := start(t, transport, testKey)
			c := k.dial("me", testKey)
			sub := c.subshell()
			c.delete(sub)
			for _, subshell := range []string{"unknown", sub} {
				for _, request := range []string{"execute_request", "complete_request", "kernel_info_request"} {
					id := c.sendIn(subshell, request, `{"code":"print a","cursor_pos":0}`)
					var reply protocol.ErrorReply
					c.done(id)[id].decode(t, &reply)
					if reply.Status != protocol.Failed || !strings.Contains(reply.Evalue, fmt.Sprintf("there is no subshell %q", subshell)) {
						t.Errorf("%s in %s: %+v", request, subshell, reply)
					}
					if got := c.around(id); got != "status busy, status idle" {
						t.Errorf("%s in %s: %s", request, subshell, got)
					}
				}
			}
			if n := len(k.mock.cells()); n != 0 {
				t.Errorf("%d cells were run", n)
			}
		})
	}
}

func TestFailureRefusesTheQueueOfItsOwnShellOnly(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	sub := c.subshell()
	ids := []string{c.cell("wait fail", ""), c.cell("print behind", "")}
	<-k.mock.began
	c.done(c.send(c.sockets.Shell, "kernel_info_request", `{}`))
	inside := c.sendIn(sub, "execute_request", `{"code":"wait print inside"}`)
	<-k.mock.began
	second := c.sendIn(sub, "execute_request", `{"code":"print second"}`)
	close(k.mock.release)
	if got := statuses(t, c, append(ids, inside, second)...); got != "error aborted ok ok" {
		t.Errorf("statuses %s", got)
	}
}

func TestInterruptEndsTheCellsOfAllShells(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	sub := c.subshell()
	outside := c.cell("wait", "")
	inside := c.sendIn(sub, "execute_request", `{"code":"wait"}`)
	<-k.mock.began
	<-k.mock.began
	c.done(c.send(c.sockets.Control, "interrupt_request", `{}`))
	if got := statuses(t, c, outside, inside); got != "error error" {
		t.Errorf("statuses %s", got)
	}
}

func TestDeletingASubshellEndsItsCellAndRefusesWhatWaits(t *testing.T) {
	k := start(t, "memory", testKey)
	serveEcho(k)
	c := k.dial("me", testKey)
	sub := c.subshell()
	outside := c.cell("wait", "")
	<-k.mock.began
	running := c.sendIn(sub, "execute_request", `{"code":"wait"}`)
	<-k.mock.began
	waiting := c.sendIn(sub, "execute_request", `{"code":"print never"}`)
	comm := c.sendIn(sub, "comm_open", `{"comm_id":"x","target_name":"echo","data":{}}`)
	c.done(c.sendIn(sub, "kernel_info_request", `{}`))
	c.delete(sub)
	if got := statuses(t, c, running, waiting); got != "error aborted" {
		t.Errorf("statuses %s", got)
	}
	c.done(c.send(c.sockets.Control, "kernel_info_request", `{}`))
	close(k.mock.release)
	if got := statuses(t, c, outside); got != "ok" {
		t.Errorf("the cell of the parent shell: %s", got)
	}
	for c.around(comm) != "status busy, status idle" {
		c.next()
	}
}

func TestQuestionsGoToTheCellThatAsks(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	sub := c.subshell()
	busy := c.cell("wait", "")
	<-k.mock.began
	id := c.sendIn(sub, "execute_request", `{"code":"ask name","allow_stdin":true}`)
	question := c.until(func(r received) bool { return r.channel == "stdin" })
	if parentOf(question) != id {
		t.Errorf("the question has the parent %s, want %s", parentOf(question), id)
	}
	_, frames := c.frames("input_reply", `{"value":"Bob"}`, question.Header.MsgID)
	c.sockets.Stdin.Send(frames)
	c.done(id)
	if got := c.printed(id); got != "got Bob" {
		t.Errorf("printed %q", got)
	}
	close(k.mock.release)
	c.done(busy)
}

func TestSubshellsAreBounded(t *testing.T) {
	c := start(t, "memory", testKey).dial("me", testKey)
	for range maxSubshells {
		c.subshell()
	}
	id := c.send(c.sockets.Control, "create_subshell_request", `{}`)
	if got := c.done(id)[id].text(); got != "create_subshell_reply error" {
		t.Errorf("one more: %s", got)
	}
}

func TestManyShellsAtOnceKeepTheirOwnOrder(t *testing.T) {
	const shells, cells = 8, 40
	k := start(t, "tcp", testKey)
	serveEcho(k)
	c := k.dial("me", testKey)
	ids := map[string][]string{}
	var names []string
	for range shells {
		names = append(names, c.subshell())
	}
	for i := range cells {
		for _, sub := range names {
			ids[sub] = append(ids[sub], c.sendIn(sub, "execute_request", fmt.Sprintf(`{"code":"print %d"}`, i)))
			c.sendIn(sub, "complete_request", `{"code":"p","cursor_pos":1}`)
		}
	}
	for sub, list := range ids {
		c.done(list...)
		for i, id := range list {
			if got, want := c.around(id), fmt.Sprintf("status busy, execute_input, stream stdout %d, status idle", i); got != want {
				t.Errorf("cell %d of %s: %s, want %s", i, sub, got, want)
			}
		}
	}
}
