package guard

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// The execution lock serializes cells.
//
// Cells of several shells, and callbacks of comms, run concurrently and share the session's
// variables. Only the holder of the execution lock is compiled or runs statements. A cell of a
// subshell therefore never observes a partly assigned slice or a map in the middle of a write, and
// can use intermediate results of another cell.
//
// A cell that waits for the lock makes code of cells poll. The holder yields at its next poll once
// its time slice has ended. A holder in compiled code does not poll while it sleeps, waits for a
// channel or a server, or multiplies matrices. If its Activity and stack samples show that, the
// lock is taken from it, and it waits for the lock at the poll that follows every such call.
//
// Goroutines started with go do not use the lock. They share variables as in any Go program.

const (
	// turn is the time slice of the holder while another cell waits.
	turn = 5 * time.Millisecond
	// patience is how long a cell may go without a poll before its stack is sampled. It doubles
	// after each sample, up to mostPatience, because sampling stops the process for a moment.
	patience, mostPatience = time.Millisecond, 50 * time.Millisecond
)

// execLock is the state of the execution lock.
type execLock struct {
	contended atomic.Bool // whether more than one cell uses the lock

	mu      sync.Mutex // guards the following fields
	cells   []*Cell    // all cells that use the lock
	holder  *Cell      // nil if the lock is free
	since   time.Time  // when the holder acquired the lock
	waiting []*waiter  // oldest first
}

// A waiter is a cell that waits for the lock.
type waiter struct {
	cell  *Cell
	ready chan struct{} // closed when the cell holds the lock
}

// AcquireLock acquires the execution lock. It reports failure if the cell is stopped first. From the
// first call until ReleaseLock the cell counts as a user of the lock.
func (c *Cell) AcquireLock() bool {
	if c.stopped.Load() {
		return false
	}
	g := c.guard
	g.execLock.mu.Lock()
	if !slices.Contains(g.execLock.cells, c) {
		g.execLock.cells = append(g.execLock.cells, c)
		g.contend()
	}
	return g.wait(c)
}

// ReleaseLock releases the execution lock and removes the cell from its users. A call that the cell
// has abandoned ends at its next poll, because the cell was stopped.
func (c *Cell) ReleaseLock() {
	g := c.guard
	g.execLock.mu.Lock()
	defer g.execLock.mu.Unlock()
	g.execLock.cells = slices.DeleteFunc(g.execLock.cells, func(other *Cell) bool { return other == c })
	if g.execLock.holder == c {
		g.pass()
	}
	g.contend()
}

// WithoutLock runs body, which is compiled code that runs another cell on the calling goroutine. A cell
// whose statements call Aside releases the execution lock meanwhile: it could not be taken from it,
// because its own goroutine is the one that waits. If the cell is stopped meanwhile, Aside ends the
// goroutine.
func WithoutLock(body func()) {
	c := Current()
	if c == nil || c.main != goroutine() {
		body()
		return
	}
	c.ReleaseLock()
	body()
	if !c.AcquireLock() {
		runtime.Goexit()
	}
}

// contend records whether more than one cell uses the lock. The caller holds execLock.mu.
func (g *Guard) contend() {
	contended := len(g.execLock.cells) > 1
	if g.execLock.contended.Swap(contended) != contended {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.raise(g.swept)
	}
}

// pass hands the lock to the cell that has waited longest. The caller holds execLock.mu.
func (g *Guard) pass() {
	g.execLock.holder = nil
	if len(g.execLock.waiting) > 0 {
		next := g.execLock.waiting[0]
		g.execLock.waiting = g.execLock.waiting[1:]
		g.begins(next.cell)
		close(next.ready)
	}
}

// begins makes c the holder. The caller holds execLock.mu.
func (g *Guard) begins(c *Cell) {
	g.execLock.holder, g.execLock.since = c, time.Now()
}

// wait completes the acquisition of the lock. The caller holds execLock.mu, which wait releases.
func (g *Guard) wait(c *Cell) bool {
	if g.execLock.holder == nil {
		g.begins(c)
	}
	if g.execLock.holder == c {
		g.execLock.mu.Unlock()
		return true
	}
	w := &waiter{c, make(chan struct{})}
	g.execLock.waiting = append(g.execLock.waiting, w)
	g.execLock.mu.Unlock()
	pause := patience
	next := time.NewTimer(pause)
	defer next.Stop()
	var before stackSample
	for {
		select {
		case <-w.ready:
			return true
		case <-c.done:
			g.giveUp(w)
			return false
		case <-next.C:
			before = g.takeFromCompiled(before)
			pause = min(2*pause, mostPatience)
			next.Reset(pause)
		}
	}
}

// giveUp removes a waiter. If it was granted the lock concurrently, giveUp passes it on.
func (g *Guard) giveUp(w *waiter) {
	g.execLock.mu.Lock()
	defer g.execLock.mu.Unlock()
	g.execLock.waiting = slices.DeleteFunc(g.execLock.waiting, func(other *waiter) bool { return other == w })
	select {
	case <-w.ready:
		if g.execLock.holder == w.cell {
			g.pass()
		}
	default:
	}
}

// takeFromCompiled takes the lock from its holder if this sample and the previous one show that the
// holder stays in compiled code. It returns the sample for the next call.
func (g *Guard) takeFromCompiled(before stackSample) stackSample {
	g.execLock.mu.Lock()
	holder, since := g.execLock.holder, g.execLock.since
	g.execLock.mu.Unlock()
	if holder == nil {
		return stackSample{}
	}
	now := holder.sample()
	if !now.staysInCall(before) {
		return now
	}
	g.execLock.mu.Lock()
	defer g.execLock.mu.Unlock()
	// The holder may have changed, or polled, while the stack was sampled.
	if g.execLock.holder == holder && g.execLock.since.Equal(since) && holder.polls.Load() == now.polls && len(g.execLock.waiting) > 0 {
		g.pass()
	}
	return stackSample{}
}

// Yield yields the execution lock if another cell waits for it. Only the goroutine of the
// statements holds the lock; on others Yield does nothing. Compiled code that runs on behalf of
// a cell, such as a print, calls it too, so that straight-line code yields after a long call.
func (c *Cell) Yield() {
	if c.guard.execLock.contended.Load() && c.main == goroutine() {
		c.polls.Add(1)
		c.guard.yield(c)
	}
}

// yield hands over the lock if the time slice has ended, and waits to acquire it again. The
// goroutine of a cell's statements calls it. If the cell is stopped while it waits, the goroutine
// ends.
func (g *Guard) yield(c *Cell) {
	g.execLock.mu.Lock()
	if g.execLock.holder == c {
		if len(g.execLock.waiting) == 0 || time.Since(g.execLock.since) < turn {
			g.execLock.mu.Unlock()
			return
		}
		g.pass()
	}
	if !g.wait(c) {
		c.StopHere()
	}
}
