package history

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gosphere/kernel/protocol"
)

// A Memory is the history of one session, in memory. Its zero value is empty. Its methods may be
// called from any goroutine. It answers requests as package disk does; a test there compares the
// two.
type Memory struct {
	mu    sync.Mutex // guards the fields below
	cells []Cell     // oldest first
	bytes int
}

// MemoryLimit is the maximum number of bytes that a Memory holds, some thousand cells. The oldest
// are dropped first.
const MemoryLimit = 1 << 20

// onlySession is the number of the session.
const onlySession = 1

// overhead is the approximate size of a cell in addition to its texts.
const overhead = 100

// Size returns the number of bytes that count against limits.
func (c Cell) Size() int { return overhead + len(c.Source) + len(c.Output) }

// Add records a cell. At least the newest cell is kept.
func (m *Memory) Add(c Cell) {
	c, kept := c.Trimmed()
	if !kept {
		return
	}
	c.Session = onlySession
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells = append(m.cells, c)
	m.bytes += c.Size()
	for m.bytes > MemoryLimit && len(m.cells) > 1 {
		m.bytes -= m.cells[0].Size()
		m.cells = m.cells[1:]
	}
}

// Find returns the cells that match a request, oldest first. A session other than the present one
// has no cells here. N of 0 means all. An error means that the request is invalid.
func (m *Memory) Find(request protocol.HistoryRequest) ([]Cell, error) {
	if err := Check(request); err != nil {
		return nil, err
	}
	return m.find(request), nil
}

func (m *Memory) find(request protocol.HistoryRequest) []Cell {
	m.mu.Lock()
	cells := slices.Clone(m.cells)
	m.mu.Unlock()
	switch request.HistAccessType {
	case "range":
		if request.Session != 0 && request.Session != onlySession {
			return nil
		}
		last := 0
		if len(cells) > 0 {
			last = cells[len(cells)-1].Line
		}
		from, to := Lines(request, last)
		return slices.DeleteFunc(cells, func(c Cell) bool { return c.Line < from || c.Line >= to })
	case "search":
		cells = slices.DeleteFunc(cells, func(c Cell) bool { return !matches(request.Pattern, c.Source) })
		if request.Unique {
			cells = latest(cells)
		}
	}
	if request.N > 0 && request.N < len(cells) {
		cells = cells[len(cells)-request.N:]
	}
	return cells
}

// Lines returns the lines of a range, from the first to one past the last. As in IPython, negative
// numbers count back from the end of the session, and a stop of 0 is its end. The range is half
// open, as in Python: start 1 and stop 3 are the lines 1 and 2. The last line of the session is
// last. With 10 lines, start -2 is line 9.
func Lines(request protocol.HistoryRequest, last int) (from, to int) {
	from, to = request.Start, last+1
	if from < 0 {
		from += last + 1
	}
	if request.Stop != nil && *request.Stop != 0 {
		to = *request.Stop
		if to < 0 {
			to += last + 1
		}
	}
	return from, to
}

// latest returns the last cell of each text. It goes backward, so the first cell of a text that it
// meets is the last one.
func latest(cells []Cell) []Cell {
	seen := map[string]bool{}
	var kept []Cell
	for _, c := range slices.Backward(cells) {
		if !seen[c.Source] {
			seen[c.Source] = true
			kept = append(kept, c)
		}
	}
	slices.Reverse(kept)
	return kept
}

// matches reports whether an entire text matches a pattern in which * matches any text and ? any
// character, as in IPython's search. Other characters match themselves. For instance "fmt.*"
// matches a cell that begins with fmt., and "*fmt.*" one that contains it.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	// path.Match treats slashes and brackets specially, so both are replaced. A byte of 0 occurs in
	// no source text.
	const slash = "\x00"
	quoted := strings.NewReplacer(`\`, `\\`, `[`, `\[`, "/", slash).Replace(pattern)
	matched, err := path.Match(quoted, strings.ReplaceAll(text, "/", slash))
	return err == nil && matched && utf8.ValidString(text)
}
