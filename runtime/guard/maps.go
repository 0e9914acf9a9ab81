package guard

import (
	"reflect"
	"sync"
)

// Two goroutines that use one map at once make Go's runtime end the process. Emitted code
// therefore reaches maps through the functions of this file as soon as a second goroutine
// may run code of cells: they lock, so that what is a fatal error in compiled Go is
// serialised here. Which of two writes wins is as open as in Go. Until then a flag of the
// interpreter is 0, and emitted code uses maps directly. Maps that compiled code walks over
// by itself are the matter of hold.go.

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

// behind is what a pointer points to, as a value of a type with the same layout: the
// interpreter has several types for recursive ones.
func behind(pointer any, t reflect.Type) reflect.Value {
	return reflect.NewAt(t, reflect.ValueOf(pointer).UnsafePointer()).Elem()
}

// mapGet stores the element of a key and tells whether there is one. Key and element are
// handed over by pointers, which keeps their static types.
func mapGet(m, key, element any) bool {
	value := reflect.ValueOf(m)
	defer readLock(lockOf(value))()
	found := value.MapIndex(behind(key, value.Type().Key()))
	if !found.IsValid() {
		return false
	}
	behind(element, value.Type().Elem()).Set(found)
	return true
}

// mapSet stores an element under a key.
func mapSet(m, key, element any) {
	value := reflect.ValueOf(m)
	defer writeLock(lockOf(value))()
	value.SetMapIndex(behind(key, value.Type().Key()), behind(element, value.Type().Elem()))
}

// mapDelete removes a key.
func mapDelete(m, key any) {
	value := reflect.ValueOf(m)
	defer writeLock(lockOf(value))()
	if value.IsNil() {
		value.MapIndex(behind(key, value.Type().Key())) // panics for a key without a hash
		return
	}
	value.SetMapIndex(behind(key, value.Type().Key()), reflect.Value{})
}

// mapRange returns a function that stores the next entry of the map and tells whether there
// is one. The map is locked for each step only: the body may do with it what it wants.
func mapRange(m, key, element any) func() bool {
	value := reflect.ValueOf(m)
	lock, entries := lockOf(value), value.MapRange()
	k, e := behind(key, value.Type().Key()), behind(element, value.Type().Elem())
	return func() bool {
		defer readLock(lock)()
		if !entries.Next() {
			return false
		}
		k.SetIterKey(entries)
		e.SetIterValue(entries)
		return true
	}
}

// clearValue is the predeclared clear.
func clearValue(v any) {
	value := reflect.ValueOf(v)
	if !value.IsValid() || value.IsNil() {
		return
	}
	if value.Kind() == reflect.Map {
		defer writeLock(lockOf(value))()
	}
	value.Clear()
}

// Share tells emitted code, for the rest of the session, that goroutines of which nobody
// knows may run code of cells: those of a timer's function or of a compiled package such as net/http, whose name is given.
func (g *Guard) Share(by string) {
	g.count.Lock()
	defer g.count.Unlock()
	if !g.alwaysShared {
		g.alwaysShared, g.sharedBy = true, by
	}
	*g.shared = 1
}

// begin counts a goroutine that runs cell code, and end takes it off again. The flag goes
// down only between cells, when nothing runs.
func (g *Guard) begin(statements bool) {
	g.count.Lock()
	defer g.count.Unlock()
	shared := 0
	if g.goroutines > 0 || g.alwaysShared || !statements {
		shared = 1
	}
	if *g.shared != shared { // others may be reading it; it changes only while nobody else runs
		*g.shared = shared
	}
	g.goroutines++
}

// Quiet tells whether no code of cells runs on any goroutine, known or not, so that the
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

func (g *Guard) end() {
	g.count.Lock()
	defer g.count.Unlock()
	g.goroutines--
}
