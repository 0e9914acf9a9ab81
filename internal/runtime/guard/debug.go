package guard

import "runtime"

// A Debugger is notified about the goroutines that run code of cells. Its methods are called on
// these goroutines.
type Debugger interface {
	// Forget discards the state of the calling goroutine. It is called when a goroutine begins and
	// when it ends, because goroutine descriptors are reused.
	Forget()
}

// nobody is the debugger of a guard that has none.
type nobody struct{}

func (nobody) Forget() {}

// DebugBy sets the debugger. It must be called before the first cell runs.
func (g *Guard) DebugBy(d Debugger) { g.debugger = d }

// Goroutine returns the address of the calling goroutine's descriptor, which identifies the
// goroutine while it lives.
func Goroutine() uintptr { return goroutine() }

// Rest blocks the calling goroutine until the channel is closed, for a debugger. Its cell releases
// the execution lock meanwhile. If the cell is stopped, Rest ends the goroutine instead of
// returning.
func (g *Guard) Rest(until <-chan struct{}) {
	c := Current()
	if c == nil {
		<-until
		return
	}
	g.resting(1)
	defer g.resting(-1) // also if Goexit ends the goroutine here
	WithoutLock(func() {
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

// OnStatements reports whether the calling goroutine runs the statements of the cell.
func (c *Cell) OnStatements() bool { return c.main == goroutine() }

// Still reports whether no code of cells is running. The caller must hold the execution lock, so
// that the statements of other cells wait for the lock or for a debugger. Goroutines of compiled
// packages that may call cells count as running.
func (g *Guard) Still() bool {
	g.execLock.mu.Lock()
	waiting := 0
	for _, w := range g.execLock.waiting {
		if w.cell.mainID.Load() != 0 {
			waiting++
		}
	}
	g.execLock.mu.Unlock()
	g.count.Lock()
	defer g.count.Unlock()
	return g.goroutines-g.rest-waiting <= 0 && !g.alwaysShared
}
