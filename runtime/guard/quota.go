package guard

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// defaultOutput is how much a cell may print: a million lines of 60 characters and more.
// Clients keep all of it in the notebook.
const defaultOutput = 64 << 20

// outputLimit is the limit of GOSPHERE_OUTPUT_LIMIT, in the form of the memory limit.
var outputLimit = sync.OnceValue(func() int64 {
	if n, err := ParseSize(os.Getenv("GOSPHERE_OUTPUT_LIMIT")); err == nil && n > 0 {
		return n
	}
	return defaultOutput
})

// A quota counts what a cell has printed, and what was dropped when that was too much.
type quota struct {
	limit int64 // set before the first text
	used  atomic.Int64

	mu      sync.Mutex // guards what follows
	dropped int64
	lines   int64
	closed  bool // the cell has ended: goroutines that go on are told at once
	told    bool
}

// take reports whether a text may still be sent.
func (q *quota) take(c *Cell, text string) bool {
	if q.used.Add(int64(len(text))) <= q.limit {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped += int64(len(text))
	q.lines += int64(strings.Count(text, "\n"))
	if q.closed && !q.told {
		q.told = true
		c.write("stderr", fmt.Sprintf("output limit of %s reached: what follows is dropped\n", sizeText(q.limit)))
	}
	return false
}

// close tells how much was dropped while the cell ran.
func (q *quota) close(c *Cell) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped > 0 && !q.told {
		q.told = true
		c.write("stderr", fmt.Sprintf("\noutput limit of %s reached: %s in %d lines were dropped\n", sizeText(q.limit), sizeText(q.dropped), q.lines))
	}
	q.closed = true
}
