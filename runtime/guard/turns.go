package guard

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Cells of several shells, and callbacks of comms, run at the same time and share the
// session's variables. Only one of them at a time has its turn, which means: is compiled or
// runs. So a cell of a subshell finds no slice half assigned and no map in
// the middle of a write, and may use what the cell beside it computes.
//
// A cell that waits for its turn has code of cells poll. The one that has the turn hands it over
// at its next poll, after a while of its own. If it does not poll because it is in compiled code
// (it sleeps, waits for a channel or a server, multiplies matrices), as its Activity reports, the
// turn is taken from it, and it waits at the poll that follows every such call.
//
// Goroutines that cells start with go take no turns. They are what they are in any Go program.

const (
	// turn is how long a cell may go on that another one waits for.
	turn = 5 * time.Millisecond
	// patience is how long a cell may be without a poll before its stack is looked at; it
	// doubles each time until mostPatience, because the look stops the process for a moment.
	patience, mostPatience = time.Millisecond, 50 * time.Millisecond
)

// turns tells whose turn it is.
type turns struct {
	contended atomic.Bool // more than one cell takes turns

	mu      sync.Mutex // guards what follows, and the fields named turn of cells
	cells   []*Cell    // all that take turns
	holder  *Cell      // nil for none
	since   time.Time  // the beginning of the holder's turn
	waiting []*waiter  // oldest first
}

// A waiter is a cell that waits for its turn.
type waiter struct {
	cell  *Cell
	ready chan struct{} // closed when it has it
}

// TakeTurn waits until it is the cell's turn, and reports whether that came: not if the cell was
// stopped. From the first call until LeaveTurns the cell counts among those that take turns.
func (c *Cell) TakeTurn() bool {
	if c.stopped.Load() {
		return false
	}
	g := c.guard
	g.turns.mu.Lock()
	if !slices.Contains(g.turns.cells, c) {
		g.turns.cells = append(g.turns.cells, c)
		g.contend()
	}
	return g.wait(c)
}

// LeaveTurns lets the others go on without the cell. What it leaves behind in compiled code
// was stopped, and ends at its next poll.
func (c *Cell) LeaveTurns() {
	g := c.guard
	g.turns.mu.Lock()
	defer g.turns.mu.Unlock()
	g.turns.cells = slices.DeleteFunc(g.turns.cells, func(other *Cell) bool { return other == c })
	if g.turns.holder == c {
		g.pass()
	}
	g.contend()
}

// Aside runs compiled code that itself runs a cell, on the goroutine of the caller. A cell
// whose statements call it gives its turn away for as long, since nobody could take it: its
// own goroutine is the one that waits. It ends here if it was stopped meanwhile.
func Aside(body func()) {
	c := Current()
	if c == nil || c.main != goroutine() {
		body()
		return
	}
	c.LeaveTurns()
	body()
	if !c.TakeTurn() {
		runtime.Goexit()
	}
}

// contend notes whether more than one cell takes turns. The caller holds turns.mu.
func (g *Guard) contend() {
	contended := len(g.turns.cells) > 1
	if g.turns.contended.Swap(contended) != contended {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.raise(g.swept)
	}
}

// pass gives the turn to the one that has waited longest. The caller holds turns.mu.
func (g *Guard) pass() {
	g.turns.holder = nil
	if len(g.turns.waiting) > 0 {
		next := g.turns.waiting[0]
		g.turns.waiting = g.turns.waiting[1:]
		g.begins(next.cell)
		close(next.ready)
	}
}

// begins makes it the cell's turn. The caller holds turns.mu.
func (g *Guard) begins(c *Cell) {
	g.turns.holder, g.turns.since = c, time.Now()
}

// wait is the rest of taking a turn. The caller holds turns.mu, which it gives back.
func (g *Guard) wait(c *Cell) bool {
	if g.turns.holder == nil {
		g.begins(c)
	}
	if g.turns.holder == c {
		g.turns.mu.Unlock()
		return true
	}
	w := &waiter{c, make(chan struct{})}
	g.turns.waiting = append(g.turns.waiting, w)
	g.turns.mu.Unlock()
	pause := patience
	next := time.NewTimer(pause)
	defer next.Stop()
	var before look
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

// giveUp takes a waiter back, and passes on what it may have got at the same moment.
func (g *Guard) giveUp(w *waiter) {
	g.turns.mu.Lock()
	defer g.turns.mu.Unlock()
	g.turns.waiting = slices.DeleteFunc(g.turns.waiting, func(other *waiter) bool { return other == w })
	select {
	case <-w.ready:
		if g.turns.holder == w.cell {
			g.pass()
		}
	default:
	}
}

// takeFromCompiled passes the turn on if two looks show that its holder is in compiled code and
// stays there.
func (g *Guard) takeFromCompiled(before look) look {
	g.turns.mu.Lock()
	holder, since := g.turns.holder, g.turns.since
	g.turns.mu.Unlock()
	if holder == nil {
		return look{}
	}
	now := holder.look()
	if !now.stays(before) {
		return now
	}
	g.turns.mu.Lock()
	defer g.turns.mu.Unlock()
	if g.turns.holder == holder && g.turns.since.Equal(since) && holder.polls.Load() == now.polls && len(g.turns.waiting) > 0 {
		g.pass()
	}
	return look{}
}

// LetOthers is the part of a poll that lets other cells have their turn. Only the goroutine of
// the statements takes turns. What compiled code calls on behalf of a cell, such as a print,
// calls it too: it is where straight code that comes back from a long call waits.
func (c *Cell) LetOthers() {
	if c.guard.turns.contended.Load() && c.main == goroutine() {
		c.polls.Add(1)
		c.guard.yield(c)
	}
}

// yield is the part of a poll that hands the turn over. It is called by the goroutine of a
// cell's statements. A cell that was stopped while it waited ends.
func (g *Guard) yield(c *Cell) {
	g.turns.mu.Lock()
	if g.turns.holder == c {
		if len(g.turns.waiting) == 0 || time.Since(g.turns.since) < turn {
			g.turns.mu.Unlock()
			return
		}
		g.pass()
	}
	if !g.wait(c) {
		c.StopHere()
	}
}
