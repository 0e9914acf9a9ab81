package server

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gosphere/kernel/protocol"
	"gosphere/kernel/wire"
)

// history remembers the cells of this session.
type history struct {
	mu    sync.Mutex // guards the fields below
	cells []pastCell // oldest first
	bytes int
}

// A pastCell is one cell that was run with store_history.
type pastCell struct {
	count int
	code  string
}

// maxHistory is how many bytes of code are remembered; the oldest cells go first.
const maxHistory = 8 << 20

// thisSession is the number of the current session. There are no others: nothing is stored.
const thisSession = 1

func (h *history) add(count int, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cells = append(h.cells, pastCell{count, code})
	h.bytes += len(code)
	for h.bytes > maxHistory && len(h.cells) > 1 {
		h.bytes -= len(h.cells[0].code)
		h.cells = h.cells[1:]
	}
}

// pick returns the cells that a request wants, oldest first.
func (h *history) pick(request protocol.HistoryRequest) ([]pastCell, error) {
	h.mu.Lock()
	cells := slices.Clone(h.cells)
	h.mu.Unlock()
	switch request.HistAccessType {
	case "range":
		// 0 is the current session, negative numbers count back from it.
		if request.Session != 0 && request.Session != thisSession {
			return nil, nil
		}
		return slices.DeleteFunc(cells, func(c pastCell) bool {
			return c.count < request.Start || request.Stop != nil && c.count >= *request.Stop
		}), nil
	case "tail":
	case "search":
		cells = slices.DeleteFunc(cells, func(c pastCell) bool { return !matches(request.Pattern, c.code) })
		if request.Unique {
			cells = latest(cells)
		}
	default:
		return nil, fmt.Errorf("hist_access_type is %q, want range, tail or search", request.HistAccessType)
	}
	if request.N > 0 && request.N < len(cells) {
		cells = cells[len(cells)-request.N:]
	}
	return cells, nil
}

// latest keeps the last cell of each text.
func latest(cells []pastCell) []pastCell {
	seen := map[string]bool{}
	var kept []pastCell
	for _, c := range slices.Backward(cells) {
		if !seen[c.code] {
			seen[c.code] = true
			kept = append(kept, c)
		}
	}
	slices.Reverse(kept)
	return kept
}

// matches tells whether all of a text fits a pattern with * for any text and ? for one
// character, as IPython's search does. Other characters stand for themselves.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	// path.Match stops at slashes and knows classes; both are hidden from it.
	const slash = "\x00"
	quoted := strings.NewReplacer(`\`, `\\`, `[`, `\[`, "/", slash).Replace(pattern)
	matched, err := path.Match(quoted, strings.ReplaceAll(text, "/", slash))
	return err == nil && matched && utf8.ValidString(text)
}

// pastCells answers a history_request with (session, count, code), or (session, count,
// (code, output)) where the output, which is not kept, is null.
func pastCells(s *Server, m *wire.Message) (any, error) {
	var request protocol.HistoryRequest
	if err := m.DecodeContent(&request, "hist_access_type"); err != nil {
		return nil, err
	}
	cells, err := s.history.pick(request)
	if err != nil {
		return nil, err
	}
	reply := protocol.HistoryReply{Status: protocol.OK, History: make([][]any, 0, len(cells))}
	for _, c := range cells {
		entry := []any{thisSession, c.count, c.code}
		if request.Output {
			entry[2] = []any{c.code, nil}
		}
		reply.History = append(reply.History, entry)
	}
	return reply, nil
}
