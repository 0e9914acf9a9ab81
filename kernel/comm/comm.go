// Package comm keeps the table of open comms and routes their messages.
//
// A comm is a channel between a client and the kernel, opened by either side under the name of a
// target: a comm_open, any number of comm_msg in both directions, and a comm_close. Code that
// serves a target registers it with [Table.Register]; code that opens a comm from the kernel's side
// adds it with [Table.Add]. The table passes arriving messages to their handlers. It does not know
// sockets or the order of messages, which are the server's responsibility. Its methods may be
// called from any goroutine, also by handlers; no lock is held while a handler runs.
package comm

import (
	"encoding/json"
	"fmt"
	"sync"

	"gosphere/kernel/protocol"
)

// A Table holds the open comms and the targets of one kernel.
type Table struct {
	mu      sync.Mutex // guards the maps
	comms   map[string]entry
	targets map[string]func(protocol.CommOpen, func(protocol.Content))
	asked   map[string]bool // targets named by a client
}

// An entry is one open comm.
type entry struct {
	target  string
	message func(protocol.CommMsg, func(protocol.Content))
	closed  func(protocol.CommClose, func(protocol.Content))
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{comms: map[string]entry{}, targets: map[string]func(protocol.CommOpen, func(protocol.Content)){}, asked: map[string]bool{}}
}

// Register serves a target: open is called for each comm that a client opens, with a function that
// publishes on behalf of the client's message. It should call Add to accept the comm. A nil open
// stops serving the target; open comms stay open.
func (t *Table) Register(target string, open func(protocol.CommOpen, func(protocol.Content))) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if open == nil {
		delete(t.targets, target)
		return
	}
	t.targets[target] = open
}

// Add records an open comm. Its messages are passed to message and its closing by the client to
// closed, each with a function that publishes on behalf of the client's message. It is an error if
// the id is already in use.
func (t *Table) Add(id, target string, message func(protocol.CommMsg, func(protocol.Content)), closed func(protocol.CommClose, func(protocol.Content))) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, known := t.comms[id]; known {
		return fmt.Errorf("comm: %q is open already, for the target %q", id, old.target)
	}
	t.comms[id] = entry{target, message, closed}
	return nil
}

// Remove removes a comm that the kernel's side has closed, and reports whether it was open.
func (t *Table) Remove(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.comms[id]
	delete(t.comms, id)
	return known
}

// Info lists the open comms of a target, or of all targets if it is empty.
func (t *Table) Info(target string) map[string]protocol.CommInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked[target] = target != ""
	list := map[string]protocol.CommInfo{}
	for id, e := range t.comms {
		if target == "" || e.target == target {
			list[id] = protocol.CommInfo{TargetName: e.target}
		}
	}
	return list
}

// Asked reports whether a client has named a target, by opening a comm for it or by listing its
// comms. Such a client supports the target, even if this kernel does not serve it.
func (t *Table) Asked(target string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asked[target]
}

// TakeOpen routes a comm_open of a client. If the target is not served, or its handler returns
// without adding the comm, the client receives a comm_close, as the protocol requires. So does a
// client that reuses the id of an open comm, which stays open.
func (t *Table) TakeOpen(m protocol.CommOpen, publish func(protocol.Content)) {
	t.mu.Lock()
	t.asked[m.TargetName] = true
	open := t.targets[m.TargetName]
	_, used := t.comms[m.CommID]
	t.mu.Unlock()
	if open != nil && !used {
		open(m, publish)
		t.mu.Lock()
		_, accepted := t.comms[m.CommID]
		t.mu.Unlock()
		if accepted {
			return
		}
	}
	publish(protocol.CommClose{CommID: m.CommID, Data: json.RawMessage("{}")})
}

// TakeMessage routes a comm_msg of a client and reports whether the comm is open.
func (t *Table) TakeMessage(m protocol.CommMsg, publish func(protocol.Content)) bool {
	t.mu.Lock()
	e, known := t.comms[m.CommID]
	t.mu.Unlock()
	if known && e.message != nil {
		e.message(m, publish)
	}
	return known
}

// TakeClose routes a comm_close of a client and reports whether the comm was open.
func (t *Table) TakeClose(m protocol.CommClose, publish func(protocol.Content)) bool {
	t.mu.Lock()
	e, known := t.comms[m.CommID]
	delete(t.comms, m.CommID)
	t.mu.Unlock()
	if known && e.closed != nil {
		e.closed(m, publish)
	}
	return known
}
