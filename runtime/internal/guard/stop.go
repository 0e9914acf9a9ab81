package guard

import (
	"errors"
	"runtime"
	"time"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/eventloop"
	"gosphere/runtime/internal/guard/schedule"
)

// Stop makes the goroutines of the cell end at their next poll. It may be called from any
// goroutine.
func (c *Cell) Stop() {
	// Only the first call has an effect, since done can be closed only once.
	if c.stopped.Swap(true) {
		return
	}
	close(c.done)
	g := c.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopping[c] = time.Now()
	g.raise(true)
	// One sweeper serves all stopped cells; the first of them starts it.
	if len(g.stopping) == 1 {
		go g.sweep()
	}
}

// StopAll stops all cells and waits a moment for their goroutines. Goroutines that wait in compiled
// code end when they return from it.
func (g *Guard) StopAll() {
	for c := range goroutine.Groups() {
		if c, ok := c.(*Cell); ok && c.guard == g {
			c.Stop()
		}
	}
	for end := time.Now().Add(grace); time.Now().Before(end) && !g.Sharing.Quiet(); {
		time.Sleep(time.Millisecond)
	}
}

// raise sets whether code of cells polls because of stopped cells. It polls in any case while the
// execution lock is contended. The caller holds g.mu.
func (g *Guard) raise(flag bool) {
	g.swept = flag
	// The two reasons to poll are independent, and either keeps the flag set.
	if g.lock.Contended() {
		flag = true
	}
	g.onStop(flag)
}

// contended is called when the execution lock becomes contended or ceases to be.
func (g *Guard) contended() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.raise(g.swept)
}

// sweep keeps the stop flag set while goroutines of stopped cells may run. A set flag makes every
// loop of every cell poll. After the first second it is therefore set only briefly at intervals: an
// abandoned goroutine that returns from compiled code still meets it soon. sweep ends when the
// statements of all stopped cells have ended.
func (g *Guard) sweep() {
	const settle, up, down = time.Second, 2 * time.Millisecond, 48 * time.Millisecond
	for {
		time.Sleep(up)
		g.mu.Lock()
		recent := false
		for c, since := range g.stopping {
			recent = recent || time.Since(since) < settle
			if time.Since(since) >= settle && c.HasEnded() {
				delete(g.stopping, c)
			}
		}
		if len(g.stopping) == 0 {
			g.raise(false)
			g.mu.Unlock()
			return
		}
		if !recent {
			g.raise(false)
		}
		g.mu.Unlock()
		if !recent {
			time.Sleep(down)
			g.mu.Lock()
			g.raise(true)
			g.mu.Unlock()
		}
	}
}

// StopHere ends the calling goroutine, whose cell has been stopped, and records its position.
func (c *Cell) StopHere() {
	if c.OnStatements() && c.place.Load() == nil {
		c.place.Store(c.Here())
	}
	runtime.Goexit()
}

// EndIfStopped ends the calling goroutine if its cell has been stopped.
func (c *Cell) EndIfStopped() {
	if c.stopped.Load() {
		c.StopHere()
	}
}

// EndUnanswered stops the cell because no user can answer its question, and ends the calling
// goroutine.
func (c *Cell) EndUnanswered(reason string) {
	c.unanswered.CompareAndSwap(nil, &reason)
	c.Stop()
	c.StopHere()
}

// exceed stops the cell because of the memory limit.
func (c *Cell) exceed(text string) {
	c.exceeded.CompareAndSwap(nil, &text)
	c.Stop()
}

// stoppedAt returns the position of a stopped cell that has not ended.
func (c *Cell) stoppedAt() *schedule.Position {
	if p := c.place.Load(); p != nil {
		return p // it is ending
	}
	return c.Observe()
}

// confirmed observes the position again if the goroutine was not waiting. A call that it was in by
// chance is not the one that holds it up, so confirmed omits the call if the goroutine has moved.
func (c *Cell) confirmed(before *schedule.Position) *schedule.Position {
	if before.Waits {
		return before
	}
	p := c.stoppedAt()
	if p.Goes && p.Moved(before) {
		p.Call = ""
	}
	return p
}

// Exited reports whether the cell has called os.Exit, after which no deferred call runs.
func (c *Cell) Exited() bool { return c.exited.Load() }

// Exit ends the cell with an exit code. It may be called on any goroutine of the cell.
func (c *Cell) Exit(code int) {
	if !c.exited.Load() {
		c.code = code
		c.exited.Store(true)
	}
	c.Stop()
	runtime.Goexit()
}

// ErrStopped is returned by long-running compiled functions when their cell has been stopped.
var ErrStopped = errors.New("interrupted")

// Stopped reports whether the cell of the calling goroutine has been stopped. Long-running compiled
// functions should call it regularly, since only code of cells polls automatically.
func Stopped() bool {
	c := Current()
	if c == nil {
		return false
	}
	eventloop.Turn()
	return c.stopped.Load()
}
