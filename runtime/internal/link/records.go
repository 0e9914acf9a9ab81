package link

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"

	"gosphere/runtime/internal/realtype"
)

// A record describes one type made by package realtype. A renewed type keeps its record.
//
// typ is the type of the latest check, and real is nil until the run-time type is needed. display
// is the name with type arguments, and path the import path, from which reflection composes its
// texts: a Pair[int] of a cell has the display Pair[int] and the path main.
type record struct {
	id      string // unique
	typ     types.Type
	real    *realtype.Type
	display string
	path    string
	told    bool           // whether the session has warned that interface values keep the old methods
	earlier []reflect.Type // the run-time types before renewals
}

// declared records that a cell declares a type, or that the declaration was checked again. A
// generic type has no run-time type; its instances get theirs when they are used.
func (u *universe) declared(name *types.TypeName) {
	named, ok := name.Type().(*types.Named)
	if !ok || name.IsAlias() {
		return
	}
	set(u.journal, u.objects, u.keyOf(name), named)
	if named.TypeParams().Len() > 0 {
		return
	}
	if r := u.records[u.keyOf(name)]; r != nil {
		// The new object has the methods of the new check.
		assign[types.Type](u.journal, &r.typ, named)
		u.methods.again(r)
	}
}

// newest returns the newest object of a type that a cell declares, and other types unchanged.
func (u *universe) newest(t *types.Named) *types.Named {
	if now := u.objects[u.keyOf(t.Obj())]; now != nil {
		return now
	}
	return t
}

// methodsChanged records that a method of a type has been declared. It affects the tables of the
// type, of its instances, and of structs that embed it, to which the method is promoted.
//
// The search is over all types of the session, which is cheap compared with compiling a method.
func (u *universe) methodsChanged(recv types.Type) {
	// A receiver may be an alias.
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	if !ok {
		return
	}
	base := u.keyOf(named.Origin().Obj())
	// All records are examined, because a type does not list its instances or the structs that
	// embed it.
	for _, r := range u.records {
		t, named := r.typ.(*types.Named)
		if named && u.keyOf(t.Origin().Obj()) == base || r.real != nil && u.embeds(r.typ, base, map[*types.Named]bool{}) {
			u.methods.again(r)
		}
	}
}

// embeds reports whether a struct type has promoted methods of the type identified by base. seen
// has the types that have been looked at, because a struct may embed a pointer to itself. For
// instance, with type O struct{ E } a method that a later cell declares for E is one of O, too.
func (u *universe) embeds(t types.Type, base any, seen map[*types.Named]bool) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if !f.Embedded() {
			continue
		}
		ft := f.Type()
		if p, ok := ft.(*types.Pointer); ok {
			ft = p.Elem()
		}
		if named, ok := types.Unalias(ft).(*types.Named); ok && !seen[named] {
			seen[named] = true
			if u.keyOf(named.Origin().Obj()) == base || u.embeds(named, base, seen) {
				return true
			}
		}
	}
	return false
}

// keyOf returns the identity of a declaration across checks. A type of a compiled package has one
// identity, whether it comes from source or export data, and however often these are read. If a
// package that runs from source is reloaded, its types are new.
func (u *universe) keyOf(name *types.TypeName) any {
	if p := name.Pkg(); p != nil && p.Path() != "main" && name.Parent() == p.Scope() && u.packages.sourcePackage(p) == nil {
		return p.Path() + "." + name.Name()
	}
	if symbol := u.declarations.symbol(name, nil); symbol != nil {
		return symbol
	}
	return name
}

// record returns the record of a named type, which it creates at the first use.
func (u *universe) record(t *types.Named) *record {
	o := t.Obj()
	key := u.keyOf(o)
	display := o.Name()
	if t.TypeArgs().Len() > 0 {
		origin := u.base(u.keyOf(t.Origin().Obj()))
		args := typeArgs(t)
		key = origin + "[" + u.keys(args) + "]"
		display += "[" + u.texts(args) + "]"
	}
	if r := u.records[key]; r != nil {
		return r
	}
	path := "main"
	if o.Pkg() != nil && o.Pkg().Name() != "main" {
		path = o.Pkg().Path()
	}
	return u.add(key, &record{typ: t, display: display, path: path})
}

// base returns a text that identifies a declaration. A generic type has no run-time type, so its
// record only provides the identifier from which keys of instances are built.
func (u *universe) base(key any) string {
	r := u.records[[2]any{"base", key}]
	if r == nil {
		r = u.add([2]any{"base", key}, &record{typ: types.Typ[types.Invalid]})
	}
	return r.id
}

// add registers a record under a key and gives it a unique identifier.
func (u *universe) add(key any, r *record) *record {
	u.count++
	r.id = fmt.Sprintf("%s#%d", r.display, u.count)
	set(u.journal, u.records, key, r)
	return r
}

// typeArgs returns the type arguments of an instance.
func typeArgs(t *types.Named) []types.Type {
	var list []types.Type
	for a := range t.TypeArgs().Types() {
		list = append(list, a)
	}
	return list
}

// markUsed records that code that may look up the methods of types is about to run. From then on
// the runtime may have cached the method sets.
func (u *universe) markUsed() {
	for _, r := range u.fresh {
		r.real.MarkUsed()
	}
	u.fresh = nil
}

// reals returns the run-time types of all records.
func (u *universe) reals() map[*record]reflect.Type {
	list := map[*record]reflect.Type{}
	for _, r := range u.records {
		if r.real != nil {
			list[r] = r.real.Real()
		}
	}
	return list
}

// keepEarlier records the run-time types that renewals have replaced.
func (u *universe) keepEarlier(before map[*record]reflect.Type) {
	for r, old := range before {
		if r.real.Real() != old {
			assign(u.journal, &r.earlier, append(slices.Clip(r.earlier), old))
		}
	}
}

// unused records that types have been remade. Package realtype counts them as unused until they are
// marked.
func (u *universe) unused() {
	for _, r := range u.records {
		if r.real != nil {
			u.fresh = append(u.fresh, r)
		}
	}
}
