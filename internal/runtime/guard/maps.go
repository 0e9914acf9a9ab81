package guard

import (
	"reflect"
	"sync"
)

// If two goroutines use a map at the same time, Go's runtime ends the process. As soon as a second
// goroutine may run code of cells, cells therefore lock the maps that they use, so that a fatal
// error of compiled Go becomes a serialized access. Which of two writes takes effect last remains
// unspecified. Hold does the same for compiled code that iterates over maps.

// mapLocks guards maps by their addresses. Maps that share a lock only wait for each other.
var mapLocks [64]sync.RWMutex

func lockOf(m reflect.Value) *sync.RWMutex {
	p := uintptr(m.UnsafePointer())
	return &mapLocks[(p>>4^p>>12)%uintptr(len(mapLocks))]
}

// readLock acquires a lock for reading and returns the function that releases it. It does nothing
// if the goroutine holds the lock in a compiled call that has called back into cell code.
func readLock(lock *sync.RWMutex) (release func()) {
	if holdsLock(lock) {
		return func() {}
	}
	lock.RLock()
	return lock.RUnlock
}

// writeLock is readLock for writing.
func writeLock(lock *sync.RWMutex) (release func()) {
	if holdsLock(lock) {
		return func() {}
	}
	lock.Lock()
	return lock.Unlock
}

// LockMap locks the map at an address, unless the goroutine holds its lock, and returns the
// function that unlocks it.
func LockMap(p uintptr, write bool) (release func()) {
	lock := &mapLocks[(p>>4^p>>12)%uintptr(len(mapLocks))]
	if write {
		return writeLock(lock)
	}
	return readLock(lock)
}

// sharingPackages lists packages and functions that call functions of cells from their own
// goroutines.
var sharingPackages = map[string]bool{
	"net/http": true, "net/http/httptest": true, "net/rpc": true, "os/exec": true, "testing": true,
	"gonum.org/v1/gonum/optimize": true, "runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}

// Uses records that a cell uses a package or function.
func (g *Guard) Uses(name string) {
	if sharingPackages[name] {
		g.Share(name)
	}
}

// Share records, for the rest of the session, that goroutines unknown to the guard may run code of
// cells, such as those of timers or of a compiled package such as net/http. by names the cause.
func (g *Guard) Share(by string) {
	g.count.Lock()
	defer g.count.Unlock()
	if !g.alwaysShared {
		g.alwaysShared, g.sharedBy = true, by
	}
	g.shared.Store(true)
}

// Begin counts a goroutine that runs code of cells; statements reports whether it runs the
// statements of a cell. Shared can become false only between cells, when no such goroutine exists:
// a running one may be inside an unlocked map operation.
func (g *Guard) Begin(statements bool) {
	g.count.Lock()
	defer g.count.Unlock()
	g.shared.Store(g.goroutines > 0 || g.alwaysShared || !statements)
	g.goroutines++
}

// Quiet reports whether no goroutine, known or unknown, can be running code of cells, so that the
// session's variables do not change.
func (g *Guard) Quiet() bool {
	g.count.Lock()
	defer g.count.Unlock()
	return g.goroutines == 0 && !g.alwaysShared
}

// SharedBy names the first package that may have started goroutines that run code of cells, or ""
// if there is none.
func (g *Guard) SharedBy() string {
	g.count.Lock()
	defer g.count.Unlock()
	return g.sharedBy
}

// Alone reports whether no goroutine except the calling one can be running code of cells.
func (g *Guard) Alone() bool {
	g.count.Lock()
	defer g.count.Unlock()
	return g.goroutines <= 1 && !g.alwaysShared
}

// End removes a goroutine that Begin has counted.
func (g *Guard) End() {
	g.count.Lock()
	defer g.count.Unlock()
	g.goroutines--
}
