package comm_test

import (
	"gosphere/internal/host"
	"gosphere/kernel/protocol"
	"gosphere/runtime/comm"
)

// An echo is a front end that answers each message with its data.
type echo struct {
	close    func() // removes the binding
	pending  []protocol.CommMsg
	messages map[string]func(protocol.CommMsg, func(protocol.Content))
}

// newEcho binds package comm to an echo.
func newEcho() *echo {
	e := &echo{messages: map[string]func(protocol.CommMsg, func(protocol.Content)){}}
	h := &comm.Host{
		Router:  e,
		Publish: func() func(protocol.Content) { return e.publish },
		Run: func(_ func(protocol.Content), callback func()) bool {
			callback()
			return true
		},
	}
	e.close = host.Enter(echoCell{h})
	return e
}

// echoCell is the host of a cell.
type echoCell struct{ host *comm.Host }

func (c echoCell) Comms() *comm.Host { return c.host }

// publish receives a message of a cell.
func (e *echo) publish(content protocol.Content) {
	if m, ok := content.(protocol.CommMsg); ok {
		e.pending = append(e.pending, m)
	}
}

// answer sends the answers to the messages received since the last call.
func (e *echo) answer() {
	pending := e.pending
	e.pending = nil
	for _, m := range pending {
		e.messages[m.CommID](m, e.publish)
	}
}

func (e *echo) Register(string, func(protocol.CommOpen, func(protocol.Content))) {}

func (e *echo) Add(id, _ string, message func(protocol.CommMsg, func(protocol.Content)), _ func(protocol.CommClose, func(protocol.Content))) error {
	e.messages[id] = message
	return nil
}

func (e *echo) Remove(id string) bool {
	_, known := e.messages[id]
	delete(e.messages, id)
	return known
}
