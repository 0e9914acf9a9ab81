package run

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// A record collects the outputs of all cells of a run. One lock guards all of them, because an
// update may come from any goroutine and change the output of any cell.
type record struct {
	mu       sync.Mutex // guards all fields, including the outputs of cells
	forward  func(protocol.Content)
	cells    []*cellOutputs
	displays map[string][]*shown // by display id
	widgets  widgets
	closed   bool // the run has ended; later outputs are dropped
}

// A shown output may be updated until the run ends.
type shown struct {
	nbformat.Output
	// more is text of a stream that follows Text. It is joined at the end of the run: a cell that
	// prints 100,000 lines would otherwise copy all of them for each line.
	more strings.Builder
}

// cellOutputs are the outputs of one cell.
type cellOutputs struct {
	record       *record
	cell         *nbformat.Cell
	count        int // execution count; 0 if the session counts
	outputs      []*shown
	clearPending bool // the next output replaces all others
	failed       bool // the outputs include an error
}

func newRecord(forward func(protocol.Content)) *record {
	return &record{forward: forward, displays: map[string][]*shown{}, widgets: widgets{}}
}

// cell starts collecting the outputs of a cell.
func (r *record) cell(cell *nbformat.Cell) *cellOutputs {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &cellOutputs{record: r, cell: cell}
	r.cells = append(r.cells, c)
	return c
}

// store writes the collected outputs and widgets to the notebook and ends the collection.
func (r *record) store(notebook *nbformat.Notebook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, c := range r.cells {
		for _, output := range c.outputs {
			output.Text += output.more.String()
			c.cell.Outputs = append(c.cell.Outputs, output.Output)
		}
	}
	delete(notebook.Metadata, "widgets") // of an earlier run
	if kept := r.widgets.metadata(); kept != nil && notebook.Metadata != nil {
		notebook.Metadata["widgets"] = kept
	}
}

// publish receives one message of the cell.
func (c *cellOutputs) publish(content protocol.Content) {
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	if c.record.closed {
		return
	}
	c.add(content)
	c.record.widgets.take(content)
	if c.record.forward != nil {
		c.record.forward(content)
	}
}

// add applies a message to the outputs as a front end does.
func (c *cellOutputs) add(content protocol.Content) {
	switch content := content.(type) {
	case protocol.Stream:
		c.clearIfPending()
		if n := len(c.outputs); n > 0 && c.outputs[n-1].Type == nbformat.Stream && c.outputs[n-1].Name == content.Name {
			c.outputs[n-1].more.WriteString(content.Text)
			return
		}
		if content.Text != "" {
			c.append(nbformat.Output{Type: nbformat.Stream, Name: content.Name, Text: content.Text})
		}
	case protocol.DisplayData:
		output := c.append(nbformat.Output{
			Type: nbformat.DisplayData, Data: maps.Clone(content.Data), Metadata: maps.Clone(content.Metadata),
		})
		if id := content.Transient.DisplayID; id != "" {
			c.record.displays[id] = append(c.record.displays[id], output)
		}
	case protocol.UpdateDisplayData:
		for _, output := range c.record.displays[content.Transient.DisplayID] {
			output.Data, output.Metadata = maps.Clone(content.Data), maps.Clone(content.Metadata)
		}
	case protocol.ExecuteResult:
		c.append(nbformat.Output{
			Type: nbformat.ExecuteResult, Data: maps.Clone(content.Data), Metadata: maps.Clone(content.Metadata),
			ExecutionCount: content.ExecutionCount,
		})
	case protocol.Error:
		c.failed = true
		c.append(nbformat.Output{
			Type: nbformat.ErrorOutput, Ename: content.Ename, Evalue: content.Evalue, Traceback: slices.Clone(content.Traceback),
		})
	case protocol.ClearOutput:
		if c.clearPending = content.Wait; !content.Wait {
			c.outputs = nil
		}
	}
}

// append adds an output that does not continue the last one.
func (c *cellOutputs) append(output nbformat.Output) *shown {
	c.clearIfPending()
	s := &shown{Output: output}
	c.outputs = append(c.outputs, s)
	return s
}

func (c *cellOutputs) clearIfPending() {
	if c.clearPending {
		c.outputs, c.clearPending = nil, false
	}
}

// ensureError adds an error output if the cell published none.
func (c *cellOutputs) ensureError(failed *CellError) {
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	if !c.failed && !c.record.closed {
		c.add(protocol.Error{Ename: failed.Ename, Evalue: failed.Evalue, Traceback: failed.Traceback})
	}
}
