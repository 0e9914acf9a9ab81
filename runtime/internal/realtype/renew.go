package realtype

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// renewals is incremented when a renewal begins to replace types and again when it is finished. An
// odd value therefore means that a renewal is in progress.
var renewals atomic.Int32

// newest caches results of canonical: *abiType to the newest *abiType. A renewal replaces the map
// when it is finished, which discards results computed in the meantime.
var newest atomic.Pointer[sync.Map]

func init() { newest.Store(new(sync.Map)) }

// Renewed reports whether any type has been renewed.
func Renewed() bool { return renewals.Load() != 0 }

// MarkUsed records that code may have looked up methods of the type. The next change of its method
// set then makes a new run-time type.
func (t *Type) MarkUsed() { t.used.Store(true) }

// Current returns v with the newest run-time type if its type has been renewed, and v itself
// otherwise.
func Current(v any) any {
	word := (*emptyInterface)(unsafe.Pointer(&v))
	word.typ = canonical(word.typ)
	return v
}

// canonical is like substitute for the type word of a value. It waits for a renewal in progress.
func canonical(t *abiType) *abiType {
	// The common case is one atomic load: most sessions never renew a type.
	before := renewals.Load()
	if t == nil || before == 0 {
		return t
	}
	// The cache is loaded before the types are read. If a renewal replaces types meanwhile, a wrong
	// result is stored in a cache that the renewal discards.
	cache := newest.Load()
	if found, ok := cache.Load(t); ok {
		return found.(*abiType)
	}
	found := abiOf(substitute(reflectOf(t), (*Type).Real))
	if before%2 != 0 || renewals.Load() != before {
		world.Lock() // the renewal has finished, and no other can begin
		defer world.Unlock()
		cache, found = newest.Load(), abiOf(substitute(reflectOf(t), (*Type).Real))
	}
	if found != t {
		// The caller is about to hand out a value with the new type, so its methods may be looked
		// up.
		use(reflectOf(found))
	}
	cache.Store(t, found)
	return found
}

// substitute returns the newest version of a type: renewed types are replaced, alone and inside
// composite types. newestOf returns the newest version of a forged type. The result is t itself if
// nothing in it was renewed.
func substitute(t reflect.Type, newestOf func(*Type) reflect.Type) reflect.Type {
	if owner, ok := owners.Load(abiOf(t)); ok {
		return newestOf(owner.(*Type))
	}
	if t.Name() != "" {
		return t
	}
	switch t.Kind() {
	case reflect.Func:
		return substituteFunc(t, newestOf)
	case reflect.Struct:
		return substituteStruct(t, newestOf)
	case reflect.Map:
		if key, elem := substitute(t.Key(), newestOf), substitute(t.Elem(), newestOf); key != t.Key() || elem != t.Elem() {
			return reflect.MapOf(key, elem)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		if elem := substitute(t.Elem(), newestOf); elem != t.Elem() {
			return compose(t, elem)
		}
	}
	return t
}

// compose returns a type like t with another element type.
func compose(t, elem reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.PointerTo(elem)
	case reflect.Array:
		return reflect.ArrayOf(t.Len(), elem)
	case reflect.Chan:
		return reflect.ChanOf(t.ChanDir(), elem)
	}
	return reflect.SliceOf(elem)
}

// substituteFunc is like substitute for function types.
func substituteFunc(t reflect.Type, newestOf func(*Type) reflect.Type) reflect.Type {
	changed := false
	replace := func(part reflect.Type) reflect.Type {
		result := substitute(part, newestOf)
		changed = changed || result != part
		return result
	}
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = replace(t.In(i))
	}
	out := make([]reflect.Type, t.NumOut())
	for i := range out {
		out[i] = replace(t.Out(i))
	}
	if !changed {
		return t
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}

// substituteStruct handles structs made by package reflect. Forged structs have an owner instead.
func substituteStruct(t reflect.Type, newestOf func(*Type) reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, t.NumField())
	changed := false
	for i := range fields {
		fields[i] = t.Field(i)
		old := fields[i].Type
		fields[i].Type = substitute(old, newestOf)
		changed = changed || fields[i].Type != old
	}
	if !changed {
		return t
	}
	return reflect.StructOf(fields)
}

// use marks the forged types that a type mentions as used.
func use(t reflect.Type) {
	if owner, ok := owners.Load(abiOf(t)); ok {
		owner.(*Type).used.Store(true)
		return
	}
	if t.Name() != "" {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		use(t.Elem())
	case reflect.Map:
		use(t.Key())
		use(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			use(t.Field(i).Type)
		}
	case reflect.Func:
		for i := range t.NumIn() {
			use(t.In(i))
		}
		for i := range t.NumOut() {
			use(t.Out(i))
		}
	}
}

// dependentsOf returns t and all forged types that mention it, directly or indirectly. It is a
// fixed point, since types can refer to each other in cycles: each round finds the types that
// mention those found so far. The cost is the number of forged types times the length of the
// longest chain, which is acceptable since renewals are rare. The caller holds world.
func dependentsOf(t *Type) []*Type {
	found := map[*Type]bool{t: true}
	list := []*Type{t}
	for grown := true; grown; {
		grown = false
		for _, other := range world.forged {
			if !found[other] && other.role != interfaceType && other.mentions(found) {
				found[other] = true
				list = append(list, other)
				grown = true
			}
		}
	}
	return list
}

// mentions reports whether the components or methods of t mention one of the types.
func (t *Type) mentions(types map[*Type]bool) bool {
	return partsMention(t.Real(), types) ||
		slices.ContainsFunc(t.methods, func(m Method) bool { return mentions(m.Type, types) })
}

// mentions reports whether a type is one of the forged types or is composed of one. Interface types
// do not count, because their methods are completed again after a renewal.
func mentions(t reflect.Type, types map[*Type]bool) bool {
	if owner, ok := owners.Load(abiOf(t)); ok && types[owner.(*Type)] {
		return true
	}
	// The components of a forged type with a name are not searched here, because dependentsOf asks
	// for each forged type. It ends the recursion as well.
	return t.Name() == "" && partsMention(t, types)
}

// partsMention is like mentions for the components of a type.
func partsMention(t reflect.Type, types map[*Type]bool) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return mentions(t.Elem(), types)
	case reflect.Map:
		return mentions(t.Key(), types) || mentions(t.Elem(), types)
	case reflect.Func:
		for i := range t.NumIn() {
			if mentions(t.In(i), types) {
				return true
			}
		}
		for i := range t.NumOut() {
			if mentions(t.Out(i), types) {
				return true
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if mentions(t.Field(i).Type, types) {
				return true
			}
		}
	}
	return false
}

// inUse reports whether one of the types is in use.
func inUse(types []*Type) bool {
	return slices.ContainsFunc(types, func(t *Type) bool { return t.used.Load() })
}

// renew gives the types new run-time types, completed like the old ones. Other goroutines see the
// old types until the new ones are complete.
func renew(types []*Type) {
	// The order of the steps matters: all types are forged before any is completed, because they
	// refer to one another, and all are completed before any is published. The caller holds world.
	next := make(map[*Type]*abiType, len(types))
	tables := make(map[*Type][2]*methodTable, len(types))
	for _, t := range types {
		next[t], tables[t] = t.forgeReal()
	}
	// Before publication, Real still returns the old types.
	newestOf := func(t *Type) reflect.Type {
		if real := next[t]; real != nil {
			return reflectOf(real)
		}
		return t.Real()
	}
	for _, t := range types {
		t.retype(newestOf)
		t.completeLike(t.Real(), next[t], newestOf)
		t.fillTables(next[t], tables[t])
	}
	renewals.Add(1)
	for _, t := range types {
		t.publish(next[t], tables[t])
		// No code has seen the new type yet, so that a further change in the same cell can still
		// modify it in place.
		t.used.Store(false)
	}
	renewPlain(newestOf)
	newest.Store(new(sync.Map))
	renewals.Add(1)
}

// renewPlain updates unnamed structs made by package reflect, and registers all unnamed structs
// under their new field types. Such a struct has no methods and no table, so package reflect makes
// the new type.
func renewPlain(newestOf func(*Type) reflect.Type) {
	unnamed := make(map[string]*Type, len(world.unnamed))
	for _, t := range world.unnamed {
		if t.role == plainStruct {
			t.real.Store(abiOf(substitute(t.Real(), newestOf)))
			t.retype(newestOf)
		}
		unnamed[structKey(t.pkgPath, t.fields)] = t
	}
	world.unnamed = unnamed
}

// completeLike completes a new run-time type like the old one.
func (t *Type) completeLike(old reflect.Type, real *abiType, newestOf func(*Type) reflect.Type) {
	switch old.Kind() {
	case reflect.Struct:
		if t.completed || t.role == forgedStruct {
			t.completeStruct(real)
		}
	case reflect.Map:
		completeKey(real, substitute(old.Key(), newestOf))
		completeElem(real, substitute(old.Elem(), newestOf))
	case reflect.Array, reflect.Chan, reflect.Pointer, reflect.Slice:
		completeElem(real, substitute(old.Elem(), newestOf))
	case reflect.Func:
		completeFunc(real, substituteFunc(old, newestOf))
	}
}

// retype replaces the types in the fields, methods and slots of t. The keys of slots change their
// types but keep their slots: code that holds the old type calls the same function, whose
// parameters have the same layout.
func (t *Type) retype(newestOf func(*Type) reflect.Type) {
	for i, field := range t.fields {
		t.fields[i].Type = substitute(field.Type, newestOf)
	}
	for i, m := range t.methods {
		t.methods[i].Type = substitute(m.Type, newestOf)
	}
	slots := make(map[slotKey]int, len(t.slots))
	for key, slot := range t.slots {
		key.typ = abiOf(substitute(reflectOf(key.typ), newestOf))
		slots[key] = slot
	}
	t.slots = slots
}
