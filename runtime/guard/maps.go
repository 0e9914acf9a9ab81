package guard

import (
	"reflect"
	"sync"
)

// Two goroutines that use one map at once make Go's runtime end the process. As soon as a second
// goroutine may run code of cells, that code therefore locks the maps that it uses: what is a fatal
// error in compiled Go is serialized here. Which of two writes wins is as open as in Go. Maps that
// compiled code walks over by itself are the matter of hold.go.

// mapLocks guard maps by their addresses; maps that share a lock only wait for each other.
var mapLocks [64]sync.RWMutex

func lockOf(m reflect.Value) *sync.RWMutex {
	p := uintptr(m.UnsafePointer())
	return &mapLocks[(p>>4^p>>12)%uintptr(len(mapLocks))]
}

// readLock and writeLock take a lock, unless the goroutine holds it in a compiled call that
// has come back to code of cells, and return what gives it back.
func readLock(lock *sync.RWMutex) (release func()) {
	if holdsLock(lock) {
		return func() {}
	}
	lock.RLock()
	return lock.RUnlock
}

func writeLock(lock *sync.RWMutex) (release func()) {
	if holdsLock(lock) {
		return func() {}
	}
	lock.Lock()
	return lock.Unlock
}

// LockMap takes the lock of the map at an address, unless the goroutine holds it, and returns what
// gives it back.
func LockMap(p uintptr, write bool) (release func()) {
	lock := &mapLocks[(p>>4^p>>12)%uintptr(len(mapLocks))]
	if write {
		return writeLock(lock)
	}
	return readLock(lock)
}

// sharingPackages names the packages and functions that call functions of cells from goroutines of their
// own.
var sharingPackages = map[string]bool{
	"net/http": true, "net/http/httptest": true, "net/rpc": true, "os/exec": true, "testing": true,
	"gonum.org/v1/gonum/optimize": true, "runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}

// Uses notes that a cell uses a package or function.
func (g *Guard) Uses(name string) {
	if sharingPackages[name] {
		g.Share(name)
	}
}

// Share notes, for the rest of the session, that goroutines which the guard does not know may run
// code of cells: those of a timer's function, or of a compiled package such as net/http, whose name is given.
func (g *Guard) Share(by string) {
	g.count.Lock()
	defer g.count.Unlock()
	if !g.alwaysShared {
		g.alwaysShared, g.sharedBy = true, by
	}
	g.shared.Store(true)
}

// Begin counts a goroutine that runs code of cells, and End takes it off again. Shared becomes
// false only between cells, when nothing runs.
func (g *Guard) Begin(statements bool) {
	g.count.Lock()
	defer g.count.Unlock()
	g.shared.Store(g.goroutines > 0 || g.alwaysShared || !statements)
	g.goroutines++
}

// Quiet reports whether no code of cells runs on any goroutine, known or not, so that the
// session's variables keep still.
func (g *Guard) Quiet() bool {
	g.count.Lock()
	defer g.count.Unlock()
	return g.goroutines == 0 && !g.alwaysShared
}

// SharedBy names what has first made goroutines of which nobody knows, which may run code of cells; "" if there is none.
func (g *Guard) SharedBy() string {
	g.count.Lock()
	defer g.count.Unlock()
	return g.sharedBy
}

// Alone tells that no goroutine but the calling one runs code of cells.
func (g *Guard) Alone() bool {
	g.count.Lock()
	defer g.count.Unlock()
	return g.goroutines <= 1 && !g.alwaysShared
}

// End notes the end of a goroutine that Begin has counted.
func (g *Guard) End() {
	g.count.Lock()
	defer g.count.Unlock()
	g.goroutines--
}
