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

// Rest blocks the calling goroutine until the channel is closed, for a debugger. Its cell releases
// the execution lock meanwhile. If the cell is stopped, Rest ends the goroutine instead of
// returning.
func (g *Guard) Rest(until <-chan struct{}) {
	c := Current()
	if c == nil {
		<-until
		return
	}
	defer g.Sharing.Rest()() // also if Goexit ends the goroutine here
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

// Still reports whether no code of cells is running. The caller must hold the execution lock, so
// that the statements of other cells wait for the lock or for a debugger.
func (g *Guard) Still() bool { return g.Sharing.Still(g.lock.Waiting()) }
