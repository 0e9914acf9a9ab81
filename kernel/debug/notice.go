package debug

import (
	"encoding/json"

	"github.com/google/go-dap"

	"gosphere/kernel/protocol"
)

// event publishes an event. It runs on the goroutine that causes the event, for instance that of a
// cell that stops. Before the first request there is no client and no event is sent.
func (a *Adapter) event(name string, body any) {
	seq := a.next()
	a.mu.Lock()
	publish := a.publish
	a.mu.Unlock()
	if publish == nil {
		return
	}
	text, err := json.Marshal(struct {
		dap.Event
		Body any `json:"body,omitempty"`
	}{dap.Event{ProtocolMessage: dap.ProtocolMessage{Seq: seq, Type: "event"}, Event: name}, body})
	if err == nil { // these bodies contain only strings and numbers
		publish(text)
	}
}

// notify publishes a notice about the debugged cells to clients. A stop concerns one thread:
// allThreadsStopped is absent, hence false, because other goroutines keep running. The debuggee
// announces several stops one after another, because clients display one.
func (a *Adapter) notify(n protocol.DebugNotice) {
	switch n.Kind {
	case protocol.DebugStopped:
		a.event("stopped", dap.StoppedEventBody{Reason: n.Reason, Description: n.Description, Text: n.Text,
			ThreadId: n.Thread, HitBreakpointIds: n.Hit})
	case protocol.DebugContinued:
		a.event("continued", dap.ContinuedEventBody{ThreadId: n.Thread})
	case protocol.DebugChanged:
		a.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: breakpoint(n.Text, n.Breakpoint)})
	}
}
