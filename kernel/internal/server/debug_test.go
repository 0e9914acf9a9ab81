package server

import (
	"encoding/json"
	"strings"
	"testing"
)

// A slowDebugger answers when it is released, and publishes an event each time.
type slowDebugger struct{ go_on chan struct{} }

func (d *slowDebugger) Debug(content json.RawMessage, event func(json.RawMessage)) any {
	<-d.go_on
	event(json.RawMessage(`{"type":"event","seq":1,"event":"stopped"}`))
	var request struct{ Command string }
	if err := json.Unmarshal(content, &request); err != nil {
		return nil
	}
	return map[string]any{"type": "response", "seq": 2, "request_seq": 1, "success": true, "command": request.Command}
}

func TestDebuggerAnswersBesideTheOtherRequestsOfControl(t *testing.T) {
	d := &slowDebugger{make(chan struct{})}
	k := startWith(t, "memory", testKey, Options{Debugger: d})
	c := k.dial("me", testKey)
	info := c.send(c.sockets.Control, "kernel_info_request", `{}`)
	if reply := string(c.done(info)[info].Content); !strings.Contains(reply, `"debugger":true`) || !strings.Contains(reply, `"kernel subshells","debugger"`) {
		t.Errorf("the kernel says %s", reply)
	}
	first := c.send(c.sockets.Control, "debug_request", `{"command":"evaluate"}`)
	second := c.send(c.sockets.Control, "debug_request", `{"command":"next"}`)
	interrupt := c.send(c.sockets.Control, "interrupt_request", `{}`)
	c.done(interrupt) // while the first one is being answered
	close(d.go_on)
	replies := c.done(first, second)
	for id, want := range map[string]string{first: "evaluate", second: "next"} {
		if reply := replies[id]; reply.Header.MsgType != "debug_reply" || !strings.Contains(string(reply.Content), want) {
			t.Errorf("%s is answered by %s %s", want, reply.Header.MsgType, reply.Content)
		}
	}
	var order []string
	for _, r := range c.all {
		if r.channel == "iopub" && (parentOf(r) == first || parentOf(r) == second) {
			order = append(order, r.text()+"<"+parentOf(r))
		}
	}
	want := []string{"status busy<" + first, "debug_event<" + first, "status idle<" + first, "status busy<" + second, "debug_event<" + second, "status idle<" + second}
	if strings.Join(order, "\n") != strings.Join(want, "\n") {
		t.Errorf("published:\n%s\nwant:\n%s", strings.Join(order, "\n"), strings.Join(want, "\n"))
	}
}
