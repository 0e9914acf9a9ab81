// Package sharing counts the goroutines that run code of cells. While there are several, operations
// on maps take locks, because the runtime ends a process whose goroutines use a map at the same
// time without synchronization.
//
// Read goroutines.go, maps.go (operations of cells on maps) and maplocks.go (compiled code that
// iterates over maps).
package sharing

import (
	"sync"
	"sync/atomic"

	"gosphere/internal/goroutine"
)

// Goroutines counts the goroutines that run code of cells. The zero value counts none.
//
// A goroutine is known if the session has started it, for the statements of a cell or for a go
// statement. Known goroutines are counted from before their start until their end. Goroutines of
// compiled packages, such as those of net/http that call handlers, are counted while they run code
// of cells.
type Goroutines struct {
	shared atomic.Bool // several goroutines may run code of cells, which then locks maps

	mu           sync.Mutex           // guards the following fields and the changes of shared
	number       int                  // known goroutines
	rest         int                  // known goroutines that wait for a debugger
	known        map[uintptr]struct{} // descriptors of those that have started
	foreign      int                  // calls of cell code in progress on other goroutines
	holder       uintptr              // descriptor of the goroutine that has called Hold, or 0
	released     chan struct{}        // closed when the holder releases
	alwaysShared bool                 // whether compiled packages may call code of cells from their own goroutines
	sharedBy     string               // the first such package
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

// Start makes the calling goroutine, which Begin has counted, a known one until End.
func (g *Goroutines) Start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil {
		g.known = map[uintptr]struct{}{}
	}
	g.known[goroutine.Descriptor()] = struct{}{}
}

// Enter must be called when the calling goroutine begins to run code of cells, and Leave when it
// has returned from it. Enter waits while another goroutine is between Hold and release.
func (g *Goroutines) Enter() {
	self := goroutine.Descriptor()
	g.mu.Lock()
	for g.holder != 0 && g.holder != self {
		released := g.released
		g.mu.Unlock()
		<-released
		g.mu.Lock()
	}
	if _, known := g.known[self]; !known {
		g.foreign++
	}
	g.mu.Unlock()
}

// Leave is the end of Enter.
func (g *Goroutines) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.known[goroutine.Descriptor()]; !known {
		g.foreign--
	}
}

// Hold prevents other goroutines from beginning to run code of cells until release is called. What
// Quiet, Alone and Still report then remains true, so that the variables of the session can be
// read. The caller must call release soon, and must not wait for code of cells before. A second
// call of Hold waits until the first one has been released.
func (g *Goroutines) Hold() (release func()) {
	g.mu.Lock()
	for g.holder != 0 {
		released := g.released
		g.mu.Unlock()
		<-released
		g.mu.Lock()
	}
	g.holder, g.released = goroutine.Descriptor(), make(chan struct{})
	g.mu.Unlock()
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.holder = 0
		close(g.released)
	}
}

// Quiet reports whether no goroutine runs code of cells, so that the session's variables do not
// change.
func (g *Goroutines) Quiet() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number == 0 && g.foreign == 0
}

// SharedBy names the first package that may have started goroutines that run code of cells, or ""
// if there is none.
func (g *Goroutines) SharedBy() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sharedBy
}

// Alone reports whether no goroutine except the calling one, which is known, runs code of cells.
func (g *Goroutines) Alone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number <= 1 && g.foreign == 0
}

// End ends the count of the calling goroutine, which Begin has begun.
func (g *Goroutines) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.known, goroutine.Descriptor())
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

// Still reports whether no code of cells is running, if a number of known goroutines wait for the
// execution lock.
func (g *Goroutines) Still(waiting int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.number-g.rest-waiting <= 0 && g.foreign == 0
}
