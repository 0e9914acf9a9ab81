package realtype

import (
	"reflect"
	"sync"
	"weak"
)

// Holds remember where functions have the variables that they capture, for as long as
// somebody has the functions: nothing else leads there.
type Holds struct {
	mu    sync.Mutex
	list  []weak.Pointer[Note]
	limit int // when the list is this long, what is gone is taken out
}

// A Note leads to one variable. Whoever makes a function has it keep the note.
//
// It is larger than what it holds: the runtime looks for the weak pointers to an object among
// those to all objects beside it, of which there are fewer if they are large.
type Note struct {
	variable any // a pointer to it
	_        [6]uintptr
}

// Add makes a note of the variable to which a pointer leads.
func (h *Holds) Add(pointer any) *Note {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.list); n > 0 { // many functions made in one call
		if last := h.list[n-1].Value(); last != nil && last.variable == pointer {
			return last
		}
	}
	if len(h.list) >= max(h.limit, 64) {
		h.sweep()
	}
	note := &Note{variable: pointer}
	h.list = append(h.list, weak.Make(note))
	return note
}

// sweep forgets what is gone.
func (h *Holds) sweep() {
	kept := h.list[:0]
	for _, one := range h.list {
		if one.Value() != nil {
			kept = append(kept, one)
		}
	}
	clear(h.list[len(kept):])
	h.list, h.limit = kept, 2*len(kept)
}

// Pointers returns pointers to the variables of which there are notes, each once.
func (h *Holds) Pointers() []any {
	h.mu.Lock()
	defer h.mu.Unlock()
	var pointers []any
	known := map[any]bool{}
	for _, one := range h.list {
		if note := one.Value(); note != nil && !known[note.variable] {
			known[note.variable] = true
			pointers = append(pointers, note.variable)
		}
	}
	return pointers
}

// Holding returns Add for the pointer in from, as code that the interpreter runs in conversions: to gets the note.
func (h *Holds) Holding() func(from, to reflect.Value) {
	return func(from, to reflect.Value) { to.Set(reflect.ValueOf(h.Add(from.Interface()))) }
}

// Clear forgets everything.
func (h *Holds) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list, h.limit = nil, 0
}
