package guard

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Compiled functions walk over maps by themselves: fmt.Println, json.Marshal, and what
// shows the value of a cell. While goroutines share maps, the functions of this file hold
// the locks of all maps that the arguments reach for as long as such a call lasts. Cell
// code that the call comes back to (a String method) may use those maps meanwhile.

// holders are the goroutines that hold locks of maps in compiled calls.
var holders struct {
	some  atomic.Int32 // number of calls in progress
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
	held := holders.locks[goroutine()]
	for i := range mapLocks {
		if &mapLocks[i] == lock {
			return held != nil && held[i]
		}
	}
	return false
}

// Hold locks the maps that values reach, for compiled code that reads them or, with
// writing, changes them, until release is called. It does nothing while no other goroutine
// runs code of cells.
func (g *Guard) Hold(writing bool, values ...any) (release func()) {
	if !g.Shares() {
		return func() {}
	}
	h := &Held{Writing: writing, Goroutine: goroutine(), Values: values}
	h.Acquire()
	return h.Release
}

// Shares reports whether goroutines may share maps.
func (g *Guard) Shares() bool {
	return g.shared.Load()
}

// A Held is one compiled call with the locks that it holds.
type Held struct {
	Writing   bool
	Goroutine uintptr
	Values    []any
	taken     []int
	nodes     int
}

// Acquire takes the locks. After a while it gives up: what has them may wait for this call.
func (h *Held) Acquire() {
	for attempt := time.Duration(0); attempt < 50; attempt++ {
		if h.take(h.Values) {
			break
		}
		h.Release() // another call holds what this one wants, and may want what it has
		time.Sleep(attempt * 100 * time.Microsecond)
	}
}

// maxHeldNodes bounds how much of a value is looked through: what is larger takes longer
// to look through than a notebook should wait.
const maxHeldNodes = 100000

// take locks the maps of all values and reports whether it got all.
func (h *Held) take(values []any) bool {
	for _, v := range values {
		if v != nil && !h.reach(reflect.ValueOf(v), 0) {
			return false
		}
	}
	return true
}

// reach locks the maps that a value holds, each before it looks inside.
func (h *Held) reach(v reflect.Value, depth int) bool {
	if h.nodes++; h.nodes > maxHeldNodes || depth > 100 || !v.IsValid() || !reachesMaps(v.Type()) {
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

func (h *Held) entries(v reflect.Value, depth int) bool {
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

// lock takes a lock that this goroutine does not have, if it is free or soon will be.
func (h *Held) lock(lock *sync.RWMutex) bool {
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

// note marks a lock as one of this goroutine's. The caller holds holders.mu.
func (h *Held) note(lock int) {
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

// Release gives the locks back that this call has taken.
func (h *Held) Release() {
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

// reachesMaps reports whether values of a type can hold maps.
func reachesMaps(t reflect.Type) bool {
	if known, ok := typesReachMaps.Load(t); ok {
		return known.(bool)
	}
	reaches := leadsToMaps(t, map[reflect.Type]bool{})
	typesReachMaps.Store(t, reaches)
	return reaches
}

// leadsToMaps is reachesMaps without those types that are looked at already.
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

// HoldCurrent is Hold for reading, in the cell of the calling goroutine.
func HoldCurrent(value any) (release func()) {
	if c := Current(); c != nil {
		return c.guard.Hold(false, value)
	}
	return func() {}
}
