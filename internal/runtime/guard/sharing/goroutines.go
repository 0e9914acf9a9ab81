// Package sharing counts the goroutines that run code of cells. While there are several, it locks
// the maps that they share.
//
// Read goroutines.go, maps.go (operations of cells on maps) and maplocks.go (compiled code that
// iterates over maps).
package sharing

import (
	"sync"
	"sync/atomic"
)

// Goroutines counts the goroutines that run code of cells. The zero value counts none.
type Goroutines struct {
	shared atomic.Bool // several goroutines may run code of cells, which then locks maps

	mu           sync.Mutex // guards the following fields and the changes of shared
	number       int        // that run code of cells
	rest         int        // number of these that wait for a debugger
	alwaysShared bool       // whether compiled packages may call code of cells from their own goroutines
	sharedBy     string     // the first such package
}

// Shared reports whether several goroutines may run code of cells.
func (g *Goroutines) Shared() bool { return g.shared.Load() }

// sharingPackages lists packages and functions that call functions of cells from their own
// goroutines.
var sharingPackages = map[string]bool{
	"net/http": true, "net/http/httptest": true, "net/rpc": true, "os/exec": true, "testing": true,
	"gonum.org/v1/gonum/optimize": true, "runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}

// Uses records that a cell uses a package or function.
func (g *Goroutines) Uses(name string) {
	if sharingPackages[name] {
		g.Share(name)
	}
}

// Share records, for the rest of the session, that goroutines that are not counted may run code of
// cells, such as those of timers or of a compiled package such as net/http. by names the cause.
func (g *Goroutines) Share(by string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.alwaysShared {
		g.alwaysShared, g.sharedBy = true, by
	}
	g.shared.Store(true)
}

// Begin counts a goroutine that runs code of cells; statements reports whether it runs the
// statements of a cell. Shared can become false only between cells, when no such goroutine exists:
// a running one may be inside an unlocked map operation.
func (g *Goroutines) Begin(statements bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shared.Store(g.number > 0 || g.alwaysShared || !statements)
	g.number++
}

// Quiet reports whether no goroutine, known or unknown, can be running code of cells, so that the
// session's variables do not change.
func (g *Goroutines) Quiet() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number == 0 && !g.alwaysShared
}

// SharedBy names the first package that may have started goroutines that run code of cells, or ""
// if there is none.
func (g *Goroutines) SharedBy() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sharedBy
}

// Alone reports whether no goroutine except the calling one can be running code of cells.
func (g *Goroutines) Alone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number <= 1 && !g.alwaysShared
}

// End removes a goroutine that Begin has counted.
func (g *Goroutines) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.number--
}

// Rest records that a goroutine waits for a debugger, until end is called.
func (g *Goroutines) Rest() (end func()) {
	add := func(n int) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.rest += n
	}
	add(1)
	return func() { add(-1) }
}

// Still reports whether no code of cells is running, if a number of goroutines wait for the
// execution lock. Goroutines of compiled packages that may call cells count as running.
func (g *Goroutines) Still(waiting int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number-g.rest-waiting <= 0 && !g.alwaysShared
}
