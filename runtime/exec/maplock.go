package exec

import (
	"sync"
	"unsafe"
)

// Two goroutines that use one map at once make Go's runtime end the process. As soon as several
// goroutines may run code of cells, operations on maps therefore lock: what is a fatal error in
// compiled Go is serialized here.

// mapLocks guard maps by their addresses; maps that share a lock only wait for each other.
var mapLocks [64]sync.RWMutex

func mapLock(m unsafe.Pointer) *sync.RWMutex {
	p := uintptr(m)
	return &mapLocks[(p>>4^p>>12)%uintptr(len(mapLocks))]
}
