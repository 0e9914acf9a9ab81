package guard

import "runtime"

// A Debugger is told about the goroutines that run code of cells. It is called on them.
type Debugger interface {
	// Forget is called when a goroutine begins and when it ends.
	Forget()
	// Panicked is called where a function has caught a panic on its way out, innermost
	// first. Its stack was used bytes deep when it called its body; exception describes the panic.
	Panicked(used uintptr, exception func() (name, text string))
	// Recovered is called when a panic has been recovered.
	Recovered()
}

// nobody is the debugger of a guard without one.
type nobody struct{}

func (nobody) Forget()                                      {}
func (nobody) Panicked(uintptr, func() (name, text string)) {}
func (nobody) Recovered()                                   {}

// DebugBy sets the debugger. It is called before the first cell runs.
func (g *Guard) DebugBy(d Debugger) { g.debugger = d }

// panicked tells the debugger about a panic.
func (g *Guard) panicked(used uintptr, value any) {
	g.debugger.Panicked(used, func() (name, text string) {
		report := ReportPanic(Value(value))
		switch {
		case report.Name != "":
			return report.Name, report.Text
		case report.Runtime:
			return "runtime error", report.Text
		}
		return "panic", report.Text
	})
}

// Goroutine is the address of the calling goroutine's descriptor, which serves as its identity
// while it lives.
func Goroutine() uintptr { return goroutine() }

// StackUsed is the number of bytes between the top of the calling goroutine's stack and here.
func StackUsed() uintptr { return stackUsed() }

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

// OnStatements tells whether the calling goroutine is that of a cell's statements.
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
