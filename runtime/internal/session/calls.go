package session

import (
	"context"
	"maps"
	"slices"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/guard"
)

// calls are the executions in progress, and the texts of those that are counted.
type calls struct {
	ended   func() // called when a call has ended; set before the first call
	sources sources

	mu    sync.Mutex // guards the following fields, and the mutable fields of calls
	count int        // of executions so far
	all   map[*call]struct{}
}

// A call is an Execute or a comm callback in progress.
type call struct {
	ctx     context.Context
	number  int    // execution count
	text    string // as sent by the client
	file    string // Go file of the text; "" for none
	line    int    // at which the text begins in the file
	publish func(protocol.Content)
	bare    bool // its value needs no display forms
	silent  bool
	id      string // of the cell in the document of the client; "" for none
	// unread are the errors that the statements have stored and that nothing reads.
	unread foundErrors

	// Guarded by the lock of the calls.
	interrupted bool
	cell        *guard.Cell // the cell being compiled or run; nil for none
	running     bool        // whether its statements are running
}

// begin registers a call and assigns its execution count. Silent cells, such as evaluations of the
// debugger, and cells that the client does not want in its history are not counted; they have the
// number of the next cell.
func (t *calls) begin(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &call{ctx: ctx, number: t.count + 1, text: request.Code, file: request.File, line: request.Line, publish: publish, silent: request.Silent, id: request.Cell}
	if request.Count > 0 { // the kernel counts, over all shells
		e.number = request.Count
	}
	if !request.Silent && request.StoreHistory {
		t.count = max(t.count, e.number)
		t.sources.add(e.number, request.Code)
	}
	t.all[e] = struct{}{}
	return e
}

// end removes a finished call.
func (t *calls) end(e *call) {
	t.mu.Lock()
	delete(t.all, e)
	t.mu.Unlock()
	// It is called without the lock, because it may ask whether a call is in progress.
	t.ended()
}

// interrupt stops a call.
func (t *calls) interrupt(e *call) {
	t.mu.Lock()
	e.interrupted = true
	c := e.cell
	t.mu.Unlock()
	// If the call has no cell yet, setCell tests interrupted.
	if c != nil {
		c.Stop()
	}
}

// interruptAll stops all calls. A call that begins meanwhile is not stopped: its cell was sent
// after the interrupt.
func (t *calls) interruptAll() {
	t.mu.Lock()
	all := slices.Collect(maps.Keys(t.all))
	t.mu.Unlock()
	for _, e := range all {
		t.interrupt(e)
	}
}

// setCell records the cell of a call, so that an interrupt can stop it. It reports whether the cell
// may run, which is false if an interrupt came earlier. An interrupt may come after begin and
// before there is a cell.
func (t *calls) setCell(e *call, c *guard.Cell) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.cell, e.running = c, false
	return !e.interrupted
}

// setRunning records that the statements of a call are running, until the next setCell.
func (t *calls) setRunning(e *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.running = true
}

// still reports whether no statements are running. Unlike idle it is true while a cell is compiled,
// when variables can be read.
func (t *calls) still() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := range t.all {
		if e.running {
			return false
		}
	}
	return true
}

// idle reports whether no call is in progress.
func (t *calls) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all) == 0
}
