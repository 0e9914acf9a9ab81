package sharing

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"gosphere/internal/goroutine"
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

// A MapLocks holds the locks of the maps that one compiled call uses.
type MapLocks struct {
	Writing   bool    // whether the call changes the maps
	Goroutine uintptr // descriptor of the goroutine that makes the call
	Values    []any   // arguments of the call
	taken     []int   // indices in mapLocks of the locks that the call holds
	nodes     int     // values visited since the locks were last released
	missing   int     // index of the lock that was not free when take failed
}

// patience is the time that a call waits for its locks. It then proceeds without them: a goroutine
// that holds one may be waiting for this call, and a deadlock would be worse than the race.
const patience = 3 * time.Second

// Acquire acquires the locks. The maps that a value contains are known only once the value has been
// read, and a map must be locked before it is read. Acquire therefore traverses the values and
// tries the lock of each map that it finds. If a lock is not free, Acquire releases all locks,
// waits for those that have not been free so far, and traverses the values again.
//
// It waits for locks only in the order of mapLocks, and only while this call holds no later one, so
// two calls do not wait for each other. The exception is a call inside another one, which holds
// locks as well; the deadline bounds its wait. Trying again without waiting would not suffice: the
// lock of a map that goroutines use all the time is hardly ever free at the moment of a try, but a
// sync.RWMutex is granted to a waiting goroutine in the end.
func (h *MapLocks) Acquire() {
	var missing [len(mapLocks)]bool
	deadline := time.Now().Add(patience)
	for h.waitFor(&missing, deadline) {
		if h.take(h.Values) {
			return
		}
		missing[h.missing] = true
		h.Release()
	}
	h.Release()
}

// waitFor acquires the missing locks in their order. It reports whether it has acquired all of them
// before the deadline.
func (h *MapLocks) waitFor(missing *[len(mapLocks)]bool, deadline time.Time) bool {
	for i, wanted := range missing {
		lock := &mapLocks[i]
		if !wanted || holdsLock(lock) {
			continue
		}
		if !h.try(lock) && !h.wait(lock, deadline) {
			return false
		}
		h.note(i)
	}
	return true
}

// try acquires a lock if it is free.
func (h *MapLocks) try(lock *sync.RWMutex) bool {
	if h.Writing {
		return lock.TryLock()
	}
	return lock.TryRLock()
}

// wait waits for a lock until the deadline and reports whether it has acquired it. A lock that is
// acquired after the deadline is released at once.
func (h *MapLocks) wait(lock *sync.RWMutex, deadline time.Time) bool {
	acquire, release := lock.RLock, lock.RUnlock
	if h.Writing {
		acquire, release = lock.Lock, lock.Unlock
	}
	acquired, late := make(chan struct{}), make(chan struct{})
	go func() { // another goroutine may release the lock than the one that acquired it
		acquire()
		select {
		case acquired <- struct{}{}:
		case <-late:
			release()
		}
	}()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-acquired:
		return true
	case <-timer.C:
		close(late)
		return false
	}
}

// maxLockedNodes bounds the traversal of the values of a call, which would otherwise delay a
// notebook noticeably. Maps beyond it are not locked.
const maxLockedNodes = 100000

// take tries to lock the maps of all values. It reports whether it has acquired every lock.
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

// lock acquires a lock, unless this goroutine holds it already. It fails if the lock is not free:
// it must not wait, since it may hold locks that come later in mapLocks.
func (h *MapLocks) lock(lock *sync.RWMutex) bool {
	if holdsLock(lock) {
		return true
	}
	number := 0
	for &mapLocks[number] != lock {
		number++
	}
	if !h.try(lock) {
		h.missing = number
		return false
	}
	h.note(number)
	return true
}

// note records that the goroutine of h holds a lock.
func (h *MapLocks) note(lock int) {
	holders.mu.Lock()
	defer holders.mu.Unlock()
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

// leadsToMaps implements reachesMaps. It returns false for types in seen, which are already being
// examined.
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
