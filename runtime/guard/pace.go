package guard

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultPace is how many bytes a cell may print in a second once it has printed
// paceSeconds times as many: as much as a browser draws without falling behind.
const DefaultPace = 2 << 20

// paceSeconds leaves room for a million short lines.
const paceSeconds = 8

// paceStep is how many bytes are counted together.
const paceStep = 4 << 10

// A pace lets a cell print fast for a while and slows it down then. Nothing is lost.
type pace struct {
	pending atomic.Int64 // bytes that are not counted yet

	mu     sync.Mutex // guards what follows
	budget float64    // bytes that may be sent at once; negative while the cell has to wait
	last   time.Time  // when the budget was counted; zero before the first text
	told   bool
}

// gather adds up short texts, because asking for the time costs more than most of them. It
// gives how many bytes are to be counted now.
func (p *pace) gather(n int) int {
	if p.pending.Add(int64(n)) < paceStep {
		return 0
	}
	return int(p.pending.Swap(0))
}

// delay tells how long a text of n bytes has to wait at this moment, with a rate in bytes
// a second.
func (p *pace) delay(now time.Time, n int, rate float64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := paceSeconds * rate
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

// LimitPace sets how many bytes a second a cell may print in the long run, 0 for no limit.
// No cell may run.
func (g *Guard) LimitPace(bytes int64) { g.pace = bytes }

// slowDown waits if the cell prints too fast, and tells about it once. It ends with the cell.
func (c *Cell) slowDown(n int) {
	rate := c.guard.pace
	if rate <= 0 {
		return
	}
	p := &c.pace
	if n = p.gather(n); n == 0 {
		return
	}
	wait := p.delay(time.Now(), n, float64(rate))
	if wait <= 0 {
		return
	}
	p.mu.Lock()
	told := p.told
	p.told = true
	p.mu.Unlock()
	if !told {
		c.write("stderr", fmt.Sprintf("\nthis cell prints faster than clients can show: it is slowed down to %s a second\n", sizeText(rate)))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.done:
	}
}
