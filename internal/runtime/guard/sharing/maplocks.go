package sharing

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/internal/runtime/guard/goroutine"
)

// Compiled functions such as fmt.Println, json.Marshal and the display of a cell's value iterate
// over maps without locking them. While goroutines share maps, LockMaps locks all maps reachable
// from the arguments for the duration of such a call. Cell code that the call invokes on the same
// goroutine, such as a String method, may use these maps.

// holders records which goroutines hold map locks in compiled calls.
var holders struct {
	some  atomic.Int32 // number of locks held
	mu    sync.Mutex   // guards locks
	locks map[uintptr]*[len(mapLocks)]bool
}

// holdsLock reports whether the calling goroutine holds a lock in a compiled call.
func holdsLock(lock *sync.RWMutex) bool {
	if holders.some.Load() == 0 {
		return false
	}
	holders.mu.Lock()
	defer holders.mu.Unlock()
	held := holders.locks[goroutine.Descriptor()]
	for i := range mapLocks {
		if &mapLocks[i] == lock {
			return held != nil && held[i]
		}
	}
	return false
}

// LockMaps locks the maps reachable from values until release is called, for compiled code that
// reads them or, if writing is set, changes them. It does nothing while only one goroutine runs
// code of cells.
func (g *Goroutines) LockMaps(writing bool, values ...any) (release func()) {
	if !g.Shared() {
		return func() {}
	}
	h := &MapLocks{Writing: writing, Goroutine: goroutine.Descriptor(), Values: values}
	h.Acquire()
	return h.Release
}

// A MapLocks is one compiled call and the locks that it holds.
type MapLocks struct {
	Writing   bool
	Goroutine uintptr
	Values    []any
	taken     []int
	nodes     int
}

// Acquire takes the locks. It gives up after 50 attempts and proceeds without them: a goroutine
// that holds a lock may be waiting for this call, and a deadlock would be worse than the race.
func (h *MapLocks) Acquire() {
	for attempt := time.Duration(0); attempt < 50; attempt++ {
		if h.take(h.Values) {
			break
		}
		h.Release() // another call holds a lock that this one needs, and may need one that this call holds
		time.Sleep(attempt * 100 * time.Microsecond)
	}
}

// maxLockedNodes bounds the traversal of a value. Larger values would delay a notebook noticeably.
const maxLockedNodes = 100000

// take locks the maps of all values. It reports whether it acquired every lock.
func (h *MapLocks) take(values []any) bool {
	for _, v := range values {
		if v != nil && !h.reach(reflect.ValueOf(v), 0) {
			return false
		}
	}
	return true
}

// reach locks the maps reachable from a value, each before it reads the entries.
func (h *MapLocks) reach(v reflect.Value, depth int) bool {
	if h.nodes++; h.nodes > maxLockedNodes || depth > 100 || !v.IsValid() || !reachesMaps(v.Type()) {
		return true
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || h.reach(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if !h.reach(v.Field(i), depth+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !h.reach(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		return v.IsNil() || h.lock(lockOf(v)) && h.entries(v, depth)
	}
	return true
}

// entries locks the maps reachable from the elements of a map. It does not examine keys.
func (h *MapLocks) entries(v reflect.Value, depth int) bool {
	if !reachesMaps(v.Type().Elem()) {
		return true
	}
	for entries := v.MapRange(); entries.Next(); {
		if !h.reach(entries.Value(), depth+1) {
			return false
		}
	}
	return true
}

// lock acquires a lock unless this goroutine holds it already. It reports failure if the lock does
// not become free soon. It never blocks on a lock while it holds others, which avoids a deadlock
// between two calls that lock maps in different orders.
func (h *MapLocks) lock(lock *sync.RWMutex) bool {
	if holdsLock(lock) {
		return true
	}
	for range 200 {
		if h.Writing && lock.TryLock() || !h.Writing && lock.TryRLock() {
			holders.mu.Lock()
			defer holders.mu.Unlock()
			for i := range mapLocks {
				if &mapLocks[i] == lock {
					h.note(i)
				}
			}
			return true
		}
		runtime.Gosched()
	}
	return false
}

// note records that the goroutine of h holds a lock. The caller holds holders.mu.
func (h *MapLocks) note(lock int) {
	if holders.locks == nil {
		holders.locks = map[uintptr]*[len(mapLocks)]bool{}
	}
	held := holders.locks[h.Goroutine]
	if held == nil {
		held = new([len(mapLocks)]bool)
		holders.locks[h.Goroutine] = held
	}
	held[lock] = true
	h.taken = append(h.taken, lock)
	holders.some.Add(1)
}

// Release releases the locks that this call has acquired.
func (h *MapLocks) Release() {
	holders.mu.Lock()
	defer holders.mu.Unlock()
	held := holders.locks[h.Goroutine]
	for _, lock := range h.taken {
		held[lock] = false
		holders.some.Add(-1)
		if h.Writing {
			mapLocks[lock].Unlock()
		} else {
			mapLocks[lock].RUnlock()
		}
	}
	if held != nil && *held == [len(mapLocks)]bool{} {
		delete(holders.locks, h.Goroutine)
	}
	h.taken, h.nodes = nil, 0
}

var typesReachMaps sync.Map // reflect.Type to bool

// reachesMaps reports whether a map may be reachable from values of a type. The result is cached,
// because most calls have arguments without maps.
func reachesMaps(t reflect.Type) bool {
	if known, ok := typesReachMaps.Load(t); ok {
		return known.(bool)
	}
	reaches := leadsToMaps(t, map[reflect.Type]bool{})
	typesReachMaps.Store(t, reaches)
	return reaches
}

// leadsToMaps implements reachesMaps. Types in seen are being examined already.
func leadsToMaps(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Map, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leadsToMaps(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if leadsToMaps(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
