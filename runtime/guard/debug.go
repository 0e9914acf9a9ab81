package guard

import "runtime"

// A Debugger is told about the goroutines that run code of cells. It is called on them.
type Debugger interface {
	// Forget is called when a goroutine begins and when it ends.
	Forget()
}

// nobody is the debugger of a guard without one.
type nobody struct{}

func (nobody) Forget() {}

// DebugBy sets the debugger. It is called before the first cell runs.
func (g *Guard) DebugBy(d Debugger) { g.debugger = d }

// Goroutine is the address of the calling goroutine's descriptor, which serves as its identity
// while it lives.
func Goroutine() uintptr { return goroutine() }

// Rest lets the calling goroutine wait for a debugger. Others may take the turn of its cell
// meanwhile. It does not return if the cell is stopped.
func (g *Guard) Rest(until <-chan struct{}) {
	c := Current()
	if c == nil {
		<-until
		return
	}
	g.resting(1)
	defer g.resting(-1) // also if the cell ends here
	Aside(func() {
		select {
		case <-until:
		case <-c.done:
		}
	})
	if c.stopped.Load() {
		runtime.Goexit()
	}
}

func (g *Guard) resting(n int) {
	g.count.Lock()
	defer g.count.Unlock()
	g.rest += n
}

// OnStatements reports whether the calling goroutine is that of a cell's statements.
func (c *Cell) OnStatements() bool { return c.main == goroutine() }

// Still tells a caller who has a turn of its own that no code of cells runs: that of other cells
// waits for the turn, or for a debugger. Goroutines of compiled packages that may call cells
// count as running.
func (g *Guard) Still() bool {
	g.turns.mu.Lock()
	waiting := 0
	for _, w := range g.turns.waiting {
		if w.cell.mainID.Load() != 0 {
			waiting++
		}
	}
	g.turns.mu.Unlock()
	g.count.Lock()
	defer g.count.Unlock()
	return g.goroutines-g.rest-waiting <= 0 && !g.alwaysShared
}
