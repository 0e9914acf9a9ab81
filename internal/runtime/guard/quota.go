package guard

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// defaultOutput is the default limit on the output of a cell: more than a million lines of 60
// characters. Clients keep all of it in the notebook.
const defaultOutput = 64 << 20

// outputLimit returns the limit set by GOSPHERE_OUTPUT_LIMIT, which has the form of the memory
// limit.
var outputLimit = sync.OnceValue(func() int64 {
	if n, err := ParseSize(os.Getenv("GOSPHERE_OUTPUT_LIMIT")); err == nil && n > 0 {
		return n
	}
	return defaultOutput
})

// An outputQuota counts the bytes that a cell has printed, and those dropped above the limit.
type outputQuota struct {
	limit int64 // set before the first text
	used  atomic.Int64

	mu      sync.Mutex // guards the following fields
	dropped int64
	lines   int64
	closed  bool // the cell has ended; remaining goroutines are notified immediately
	told    bool
}

// take reports whether a text may still be sent.
func (q *outputQuota) take(c *Cell, text string) bool {
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

// close reports how much output was dropped while the cell ran.
func (q *outputQuota) close(c *Cell) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped > 0 && !q.told {
		q.told = true
		c.write("stderr", fmt.Sprintf("\noutput limit of %s reached: %s in %d lines were dropped\n", sizeText(q.limit), sizeText(q.dropped), q.lines))
	}
	q.closed = true
}
