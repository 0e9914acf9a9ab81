package disk

import (
	"time"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// Path returns "": in the browser the history is kept in memory.
func Path() string { return "" }

// A store would write cells to a file. SQLite does not exist for the browser, so no store is made.
type store struct{ done, written chan struct{} }

func newStore(options Options) *store {
	w := warnings{to: options.Warn}
	w.say("store", "%s cannot be used in a browser; the cells of this session are kept in memory", options.Path)
	return nil
}

func (s *store) add(history.Cell) {}

func (s *store) find(protocol.HistoryRequest, time.Duration) ([]history.Cell, bool) {
	return nil, false
}

func (s *store) close(time.Duration, chan struct{}) {}
