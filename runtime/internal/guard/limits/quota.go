// Package limits bounds what a cell may use: the memory of the process, the amount of its output
// and the rate at which it prints.
//
// Read memory.go, quota.go, rate.go and size.go (sizes such as 2GB as text). Package machine has
// the limit on nested calls.
package limits

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

// A Quota counts the bytes that a cell has printed, and those dropped above the limit.
type Quota struct {
	limit int64 // set before the first text
	used  atomic.Int64

	mu        sync.Mutex // guards the following fields
	dropped   int64
	lines     int64
	closed    bool // the cell has ended; remaining goroutines are notified immediately
	announced bool
}

// NewQuota returns the limit of a cell in bytes; 0 stands for that of the environment.
func NewQuota(limit int64) *Quota {
	if limit <= 0 {
		limit = outputLimit()
	}
	return &Quota{limit: limit}
}

// Take reports whether a text may still be sent. note is a message about the limit, or "".
func (q *Quota) Take(text string) (ok bool, note string) {
	if q.used.Add(int64(len(text))) <= q.limit {
		return true, ""
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped += int64(len(text))
	q.lines += int64(strings.Count(text, "\n"))
	if q.closed && !q.announced {
		q.announced = true
		note = fmt.Sprintf("output limit of %s reached: what follows is dropped\n", SizeText(q.limit))
	}
	return false, note
}

// Close must be called when the cell has ended. note reports how much output was dropped while it
// ran; it is "" if nothing was.
func (q *Quota) Close() (note string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped > 0 && !q.announced {
		q.announced = true
		note = fmt.Sprintf("\noutput limit of %s reached: %s in %d lines were dropped\n", SizeText(q.limit), SizeText(q.dropped), q.lines)
	}
	q.closed = true
	return note
}
