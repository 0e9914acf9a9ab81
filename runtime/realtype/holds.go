package realtype

import (
	"reflect"
	"sync"
	"unsafe"
	"weak"
)

// Holds remember where functions have the variables that they capture, for as long as
// somebody has the functions: nothing else leads there.
type Holds struct {
	mu    sync.Mutex
	list  []held
	limit int // when the list is this long, what is gone is taken out
}

type held struct {
	place weak.Pointer[byte]
	typ   reflect.Type
}

// Add remembers the variables to which pointers lead, and keeps none of them alive.
func (h *Holds) Add(pointers ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range pointers {
		v := reflect.ValueOf(p)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			continue
		}
		next := held{weak.Make((*byte)(v.UnsafePointer())), v.Type().Elem()}
		if n := len(h.list); n > 0 && h.list[n-1] == next { // many functions made in one call
			continue
		}
		if len(h.list) >= max(h.limit, 64) {
			h.sweep()
		}
		h.list = append(h.list, next)
	}
}

// sweep forgets what is gone, and what is there several times.
func (h *Holds) sweep() {
	known := make(map[held]bool, len(h.list))
	kept := h.list[:0]
	for _, one := range h.list {
		if one.place.Value() != nil && !known[one] {
			known[one] = true
			kept = append(kept, one)
		}
	}
	clear(h.list[len(kept):])
	h.list, h.limit = kept, 2*len(kept)
}

// Pointers returns pointers to the variables that are still there.
func (h *Holds) Pointers() []any {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	var pointers []any
	for _, one := range h.list {
		if p := one.place.Value(); p != nil {
			pointers = append(pointers, reflect.NewAt(one.typ, unsafe.Pointer(p)).Interface())
		}
	}
	return pointers
}

// Clear forgets everything.
func (h *Holds) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list, h.limit = nil, 0
}
