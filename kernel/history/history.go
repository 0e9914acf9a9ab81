// Package history records the cells that a kernel has run, for history_requests of clients.
//
// [Memory] keeps those of the current session in memory. Package disk also keeps those of earlier
// sessions, in a file.
package history

import (
	"fmt"
	"strings"

	"gosphere/kernel/protocol"
)

// A Store records cells and finds them again. Its methods may be called from any goroutine.
type Store interface {
	// Add records a cell. It must not block.
	Add(Cell)
	// Find returns the cells that match a request, oldest first. An error means that the request is
	// invalid.
	Find(protocol.HistoryRequest) ([]Cell, error)
}

// A Cell is one cell that was run.
type Cell struct {
	Session int // number of the session; set by Add
	Line    int // execution count
	Source  string
	Output  string // text of the value; "" for none
}

// maxOutput is the maximum number of bytes stored of a value's text. A longer one ends with an
// ellipsis. The history is for finding cells again, not for keeping results.
const maxOutput = 16 << 10

// Trimmed returns the cell with an output of at most 16 kB, and whether a store should record it.
// An empty cell is not recorded, as in IPython.
func (c Cell) Trimmed() (trimmed Cell, kept bool) {
	if strings.TrimSpace(c.Source) == "" {
		return c, false
	}
	if len(c.Output) > maxOutput {
		c.Output = strings.ToValidUTF8(c.Output[:maxOutput], "") + "…"
	}
	return c, true
}

// Check returns an error if a request asks in a way that the protocol does not define.
func Check(request protocol.HistoryRequest) error {
	switch request.HistAccessType {
	case "tail", "search", "range":
		return nil
	}
	return fmt.Errorf("hist_access_type is %q, want range, tail or search", request.HistAccessType)
}
