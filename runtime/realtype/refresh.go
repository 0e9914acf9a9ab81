package realtype

import (
	"reflect"
	"sync"
	"unsafe"
)

// Refresh gives the newest real types to the values that interfaces hold in what pointers
// lead to, keys of maps included, so that they have the methods which their types got
// meanwhile. It goes through cell types, types without a name, lists, rings, sync.Map, open
// channels and errors that wrap others. It does not see what closures and closed channels hold, nor
// the inside of other compiled types. Nobody may use the values meanwhile.
func Refresh(pointers []any) {
	r := refresher{seen: map[place]bool{}, holds: map[reflect.Type]bool{}}
	for _, p := range pointers {
		if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer && !v.IsNil() {
			r.later(v.Elem())
		}
	}
	for len(r.queue) > 0 {
		v := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.walk(v)
	}
}

// A refresher walks through memory. The queue has the addressable values still to be looked
// at, so that long chains of pointers need no deep stack.
type refresher struct {
	queue  []reflect.Value
	seen   map[place]bool
	holds  map[reflect.Type]bool // whether values of a type may lead to interface values
	asking int                   // how many types are just being asked about
}

// A place is where values of a type begin; arrays begin where their elements do.
type place struct {
	address unsafe.Pointer
	typ     reflect.Type
	length  int // of slices
}

func (r *refresher) later(v reflect.Value) {
	at := place{v.Addr().UnsafePointer(), v.Type(), 0}
	if r.leads(v.Type()) && !r.seen[at] {
		r.seen[at] = true
		r.queue = append(r.queue, v)
	}
}

// leads tells whether values of a type may lead to interface values. While a recursive type
// is looked at it leads nowhere by itself.
func (r *refresher) leads(t reflect.Type) bool {
	if known, ok := r.holds[t]; ok {
		return known
	}
	r.holds[t] = false
	r.asking++
	found := false
	switch t.Kind() {
	case reflect.Interface:
		found = true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		found = r.leads(t.Elem())
	case reflect.Map:
		found = r.leads(t.Key()) || r.leads(t.Elem())
	case reflect.Struct:
		found = t == reflect.TypeFor[sync.Map]()
		for i := 0; i < t.NumField() && !found && open(t); i++ {
			found = r.leads(t.Field(i).Type)
		}
	}
	r.asking--
	r.holds[t] = found
	if !found && r.asking > 0 {
		delete(r.holds, t) // it may lead to one by way of those that are not answered yet
	}
	return found
}

// opened are the packages with structs of plain data that hold interface values for others.
var opened = map[string]bool{"container/list": true, "container/ring": true, "errors": true, "fmt": true}

// open tells whether a struct is the cells' own, or is plain data.
func open(t reflect.Type) bool {
	if _, forged := owners.Load(abiOf(t)); forged || t.Name() == "" {
		return true
	}
	return opened[t.PkgPath()]
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
		if m, ok := v.Addr().Interface().(*sync.Map); ok {
			r.walkShared(m)
			return false
		}
		for i := range v.NumField() {
			field := v.Field(i)
			field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem() // also if it is unexported
			changed = r.walk(field) || changed
		}
	case reflect.Slice:
		at := place{v.UnsafePointer(), v.Type(), v.Len()}
		if !r.seen[at] {
			r.seen[at] = true
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
	if v.IsNil() {
		return false
	}
	held := v.Elem().Interface()
	if now := Current(held); typeWord(now) != typeWord(held) && reflect.TypeOf(now).Implements(v.Type()) {
		held, changed = now, true
		v.Set(reflect.ValueOf(now))
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
	at := place{m.UnsafePointer(), m.Type(), 0}
	if m.IsNil() || r.seen[at] {
		return
	}
	r.seen[at] = true
	type entry struct{ old, key, elem reflect.Value }
	var entries []entry
	for i := m.MapRange(); i.Next(); {
		key, elem := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		key.Set(i.Key())
		elem.Set(i.Value())
		if newKey, newElem := r.walk(key), r.walk(elem); newKey || newElem {
			entries = append(entries, entry{i.Key(), key, elem})
		}
	}
	for _, e := range entries {
		m.SetMapIndex(e.old, reflect.Value{})
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

// walkChannel takes every element out of a channel and puts it behind the others.
func (r *refresher) walkChannel(c reflect.Value) {
	at := place{c.UnsafePointer(), c.Type(), 0}
	if c.Len() == 0 || c.Type().ChanDir() != reflect.BothDir || r.seen[at] {
		return
	}
	r.seen[at] = true
	if isClosed(c) { // what is taken out cannot be put back
		return
	}
	for range c.Len() {
		elem := reflect.New(c.Type().Elem()).Elem()
		taken, _ := c.Recv()
		elem.Set(taken)
		r.walk(elem)
		c.Send(elem)
	}
}

// isClosed tells whether a channel that holds elements, and that nobody uses, is closed: it tries
// to send one more, which it takes out again.
func isClosed(c reflect.Value) (closed bool) {
	defer func() { closed = recover() != nil }()
	before := c.Len()
	if c.TrySend(reflect.Zero(c.Type().Elem())) {
		for range before {
			elem, _ := c.Recv()
			c.Send(elem)
		}
		c.Recv()
	}
	return false
}
