package realtype

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// Refresh gives the newest real types to the values that interfaces hold in what pointers
// lead to, keys of maps included, so that they have the methods which their types got
// meanwhile. It goes through everything that has a type: cell types, channels whether open or
// closed, and the fields of compiled types, unexported ones too. What a sync.Pool holds it
// drops, which a pool may do at any time. It cannot see what functions capture; Holds are for
// that. No code of cells may run meanwhile.
//
// It returns the compiled types of values that it could not look into, because somebody holds their locks.
func Refresh(pointers []any) (missed []string) {
	r := refresher{seen: map[place]bool{}, holds: map[reflect.Type]bool{}, missed: map[string]bool{}}
	for _, p := range pointers {
		if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer && !v.IsNil() {
			r.later(v.Elem())
		}
	}
	for len(r.queue) > 0 {
		next := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.inside = next.inside
		r.walk(next.v)
	}
	if r.pools { // the second collection takes what the first has left for another chance
		runtime.GC()
		runtime.GC()
	}
	for name := range r.missed {
		missed = append(missed, name)
	}
	slices.Sort(missed)
	return missed
}

// A refresher walks through memory. The queue has the addressable values still to be looked
// at, so that long chains of pointers need no deep stack.
type refresher struct {
	queue  []pending
	seen   map[place]bool
	holds  map[reflect.Type]bool // whether values of a type may lead to interface values
	inside bool                  // what is being looked at belongs to a compiled type
	pools  bool                  // there are pools
	missed map[string]bool       // types of values that could not be looked into
}

type pending struct {
	v      reflect.Value
	inside bool
}

// A place is where values of a type begin; arrays begin where their elements do.
type place struct {
	address unsafe.Pointer
	typ     reflect.Type
	length  int // of slices
	inside  bool
}

func (r *refresher) later(v reflect.Value) {
	at := place{v.Addr().UnsafePointer(), v.Type(), 0, r.inside}
	if r.leads(v.Type()) && !r.seen[at] {
		r.seen[at] = true
		r.queue = append(r.queue, pending{v, r.inside})
	}
}

// first tells whether what begins at an address is seen for the first time.
func (r *refresher) first(at place) bool {
	at.inside = r.inside
	if r.seen[at] {
		return false
	}
	r.seen[at] = true
	return true
}

// walk looks at an addressable value, and tells whether the memory of the value itself has
// changed.
func (r *refresher) walk(v reflect.Value) (changed bool) {
	if !r.leads(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return r.walkInterface(v)
	case reflect.Pointer:
		if !v.IsNil() {
			r.later(v.Elem())
		}
	case reflect.Struct:
		return r.walkStruct(v)
	case reflect.Slice:
		if r.first(place{address: v.UnsafePointer(), typ: v.Type(), length: v.Len()}) {
			for i := range v.Len() {
				r.walk(v.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			changed = r.walk(v.Index(i)) || changed
		}
	case reflect.Map:
		r.walkMap(v)
	case reflect.Chan:
		r.walkChannel(v)
	}
	return changed
}

func (r *refresher) walkInterface(v reflect.Value) (changed bool) {
	before := *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	if v.IsNil() {
		return false
	}
	held := v.Elem().Interface()
	if t, ok := held.(reflect.Type); ok {
		return !r.inside && replaceType(v, t)
	}
	if now := Current(held); typeWord(now) != typeWord(held) && reflect.TypeOf(now).Implements(v.Type()) {
		held, changed = now, replace(v, before, held, now)
	}
	t := reflect.TypeOf(held)
	if !r.leads(t) {
		return changed
	}
	if word := (*emptyInterface)(unsafe.Pointer(&held)); word.typ.flags&flagDirect == 0 {
		r.later(reflect.NewAt(t, word.data).Elem())
	} else { // it is a pointer itself, so that a copy leads to the same
		copied := reflect.New(t).Elem()
		copied.Set(reflect.ValueOf(held))
		r.walk(copied)
	}
	return changed
}

// walkMap puts entries with other types in the place of those that have changed.
func (r *refresher) walkMap(m reflect.Value) {
	if m.IsNil() || !r.first(place{address: m.UnsafePointer(), typ: m.Type()}) {
		return
	}
	type entry struct {
		old, key, elem reflect.Value
		moves          bool // the key has changed
	}
	var entries []entry
	for i := m.MapRange(); i.Next(); {
		key, elem := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		key.Set(i.Key())
		elem.Set(i.Value())
		if newKey, newElem := r.walk(key), r.walk(elem); newKey || newElem {
			entries = append(entries, entry{i.Key(), key, elem, newKey})
		}
	}
	for _, e := range entries {
		if !m.MapIndex(e.old).IsValid() { // nobody finds it: it is not equal to itself
			continue
		}
		if e.moves {
			m.SetMapIndex(e.old, reflect.Value{})
		}
		m.SetMapIndex(e.key, e.elem)
	}
}

func (r *refresher) walkShared(m *sync.Map) {
	m.Range(func(oldKey, oldElem any) bool {
		key, elem := oldKey, oldElem
		newKey := r.walk(reflect.ValueOf(&key).Elem())
		newElem := r.walk(reflect.ValueOf(&elem).Elem())
		if newKey {
			m.Delete(oldKey)
		}
		if newKey || newElem {
			m.Store(key, elem)
		}
		return true
	})
}
