package display

import (
	"crypto/rand"
	"encoding/hex"
	"sync"

	"gosphere/kernel/protocol"
)

// A Display is an output that can be changed after it was shown, also by a later cell. Its methods
// may be called from any goroutine.
type Display struct {
	ID string // display_id of the protocol

	mu   sync.Mutex // guards send, and orders updates
	send func(protocol.Content)
}

// New shows a value as an output that Update can change.
func New(value any) *Display {
	data, metadata := Bundle(value)
	return place(data, metadata, protocol.Still)
}

// place shows data under a new display id.
func place(data protocol.MimeBundle, metadata map[string]any, stage protocol.Stage) *Display {
	d := &Display{ID: newID(), send: publisher()}
	content := protocol.DisplayData{Data: data, Metadata: metadata}
	content.Transient = protocol.Transient{DisplayID: d.ID, Stage: stage}
	publishTo(d.send, content)
	return d
}

// Update replaces the output by the forms of another value, wherever it is shown.
func (d *Display) Update(value any) {
	data, metadata := Bundle(value)
	d.update(data, metadata, protocol.Still)
}

// UpdateHTML replaces the output by a fragment of HTML.
func (d *Display) UpdateHTML(page string) {
	d.update(htmlBundle(page), map[string]any{}, protocol.Still)
}

func (d *Display) update(data protocol.MimeBundle, metadata map[string]any, stage protocol.Stage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// A goroutine that belongs to no cell writes on behalf of the cell that created the output;
	// otherwise a worker goroutine of a library could not update it.
	if send := publisher(); send != nil {
		d.send = send
	}
	content := protocol.UpdateDisplayData{Data: data, Metadata: metadata}
	content.Transient = protocol.Transient{DisplayID: d.ID, Stage: stage}
	publishTo(d.send, content)
}

// String returns a short name, so that a cell that ends with a Display shows no addresses.
func (d *Display) String() string {
	return "display " + d.ID
}

// newID returns 16 hexadecimal digits. Ids must be unique within a notebook, even if several
// kernels have run it.
func newID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails since Go 1.24
	return hex.EncodeToString(id[:])
}
