package limits

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultRate is the number of bytes per second that a cell may print after it has printed
// burstSeconds times as many. A browser can render about that much without falling behind.
const DefaultRate = 2 << 20

// burstSeconds allows for a million short lines.
const burstSeconds = 8

// rateStep is the number of bytes that are accounted together.
const rateStep = 4 << 10

// A Rate lets a cell print fast for a while and then slows it down. No output is lost.
type Rate struct {
	pending atomic.Int64 // bytes not yet accounted

	mu     sync.Mutex // guards the following fields
	budget float64    // bytes that may be sent immediately; negative while the cell must wait
	last   time.Time  // time of the last accounting; zero before the first text
	told   bool
}

// gather accumulates the lengths of short texts, because reading the clock costs more than printing
// most of them. It returns the number of bytes to account now.
func (p *Rate) gather(n int) int {
	if p.pending.Add(int64(n)) < rateStep {
		return 0
	}
	return int(p.pending.Swap(0))
}

// delay returns how long a text of n bytes must wait, for a rate in bytes per second.
func (p *Rate) delay(now time.Time, n int, rate float64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := burstSeconds * rate
	if p.last.IsZero() {
		p.budget = most
	} else {
		p.budget = min(most, p.budget+now.Sub(p.last).Seconds()*rate)
	}
	p.last = now
	wait := time.Duration(max(0, -p.budget) / rate * float64(time.Second))
	p.budget -= float64(n)
	return wait
}

// Wait returns how long the sender of n bytes must wait, for a rate in bytes per second; a rate of
// 0 means no limit. note is a message for the first wait, or "".
func (p *Rate) Wait(n int, rate int64) (wait time.Duration, note string) {
	if rate <= 0 {
		return 0, ""
	}
	if n = p.gather(n); n == 0 {
		return 0, ""
	}
	wait = p.delay(time.Now(), n, float64(rate))
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait > 0 && !p.told {
		p.told = true
		note = fmt.Sprintf("\nthis cell prints faster than clients can show: it is slowed down to %s a second\n", SizeText(rate))
	}
	return max(0, wait), note
}
