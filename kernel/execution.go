package kernel

import (
	"context"
	"crypto/rand"
	"io"
	"sync"

	"gosphere/kernel/comm"
	"gosphere/kernel/protocol"
)

// An Execution is one run of code and the way to its client. Its methods may be called from any
// goroutine, also after Execute has returned: late output belongs to its cell.
type Execution struct {
	Code   string
	Silent bool   // the client wants no outputs and no count
	Stored bool   // the cell is counted and recorded in the history
	Count  int    // the number in the prompt; for a cell that is not counted, that of the next one
	Cell   string // identifies the cell in the document of the client; "" if the client does not say

	ctx     context.Context
	publish func(protocol.Content)
	ask     func(ctx context.Context, prompt string, password bool) (string, error)
	comms   *comm.Table

	mu      sync.Mutex // guards payload
	payload []map[string]any
}

// Stdout returns a writer to the standard output of the cell.
func (x *Execution) Stdout() io.Writer { return stream{x, "stdout"} }

// Stderr returns a writer to the standard error of the cell.
func (x *Execution) Stderr() io.Writer { return stream{x, "stderr"} }

type stream struct {
	x    *Execution
	name string
}

func (s stream) Write(text []byte) (int, error) {
	s.x.Publish(protocol.Stream{Name: s.name, Text: string(text)})
	return len(text), nil
}

// Publish sends an output message of package protocol. The other methods are for common ones. It
// blocks while too much output waits to be sent.
func (x *Execution) Publish(content protocol.Content) { x.publish(content) }

// Result shows the value of the cell, with its number, unless the cell is silent. It should be
// called at most once.
func (x *Execution) Result(b Bundle) {
	if x.Silent {
		return
	}
	x.Publish(protocol.ExecuteResult{ExecutionCount: x.Count, Data: b, Metadata: map[string]any{}})
}

// A Display is an output that can be updated.
type Display struct {
	x  *Execution
	id string
}

// Display shows a value below the cell.
func (x *Execution) Display(b Bundle) *Display {
	d := &Display{x, rand.Text()}
	x.Publish(protocol.DisplayData{Data: b, Metadata: map[string]any{}, Transient: protocol.Transient{DisplayID: d.id}})
	return d
}

// Update replaces the value of the display.
func (d *Display) Update(b Bundle) {
	d.x.Publish(protocol.UpdateDisplayData{Data: b, Metadata: map[string]any{}, Transient: protocol.Transient{DisplayID: d.id}})
}

// Clear removes the outputs of the cell: at once, or when the next one arrives.
func (x *Execution) Clear(wait bool) { x.Publish(protocol.ClearOutput{Wait: wait}) }

// Page shows a value in the pager of the client, beside the notebook.
func (x *Execution) Page(b Bundle) {
	x.Payload(map[string]any{"source": "page", "data": b, "start": 0})
}

// SetNextInput puts code into the next cell, or into this one if replace is true.
func (x *Execution) SetNextInput(code string, replace bool) {
	x.Payload(map[string]any{"source": "set_next_input", "text": code, "replace": replace})
}

// Payload adds an entry to the payload of the reply. It has no effect after Execute has returned.
func (x *Execution) Payload(entry map[string]any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.payload = append(x.payload, entry)
}

// Input asks the user for a line. It is an error if the client takes no questions, if the cell is
// interrupted, or if it has ended.
func (x *Execution) Input(prompt string) (string, error) { return x.Ask(x.ctx, prompt, false) }

// Password is like Input for text that is not shown.
func (x *Execution) Password(prompt string) (string, error) { return x.Ask(x.ctx, prompt, true) }

// Ask is Input or Password with a context, which must be that of Execute or derived from it.
func (x *Execution) Ask(ctx context.Context, prompt string, password bool) (string, error) {
	return x.ask(ctx, prompt, password)
}

// Comms returns the comms of the kernel.
func (x *Execution) Comms() *comm.Table { return x.comms }
