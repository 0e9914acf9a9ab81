package sharing

import (
	"reflect"
	"sync"
)

// If two goroutines use a map at the same time, Go's runtime ends the process. As soon as a second
// goroutine may run code of cells, cells therefore lock the maps that they use, so that a fatal
// error of compiled Go becomes a serialized access. Which of two writes takes effect last remains
// unspecified. LockMaps does the same for compiled code that iterates over maps.

// mapLocks guards maps. The address of a map selects its lock. Maps with the same lock cannot be
// used at the same time, which costs time and nothing else.
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

// writeLock is like readLock for writing.
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
