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
func (s *Session) declared(name *types.TypeName) {
	named, ok := name.Type().(*types.Named)
	if !ok || name.IsAlias() {
		return
	}
	set(s.journal, s.objects, s.keyOf(name), named)
	if named.TypeParams().Len() > 0 {
		return
	}
	if r := s.records[s.keyOf(name)]; r != nil {
		// The new object has the methods of the new check.
		assign[types.Type](s.journal, &r.typ, named)
		s.again(r)
	}
}

// newestNamed returns the newest object of a type that a cell declares, and other types unchanged.
func (s *Session) newestNamed(t *types.Named) *types.Named {
	if now := s.objects[s.keyOf(t.Obj())]; now != nil {
		return now
	}
	return t
}

// methodsChanged records that a method of a type has been declared. It affects the tables of the
// type, of its instances, and of structs that embed it, to which the method is promoted.
//
// The search is over all types of the session, which is cheap compared with compiling a method.
func (s *Session) methodsChanged(recv types.Type) {
	// A receiver may be an alias.
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	if !ok {
		return
	}
	base := s.keyOf(named.Origin().Obj())
	// All records are examined, because a type does not list its instances or the structs that
	// embed it.
	for _, r := range s.records {
		t, named := r.typ.(*types.Named)
		if named && s.keyOf(t.Origin().Obj()) == base || r.real != nil && s.promotes(r.typ, base, map[*types.Named]bool{}) {
			s.again(r)
		}
	}
}

// promotes reports whether a struct type has promoted methods of the type identified by base. seen
// has the types that have been looked at, because a struct may embed a pointer to itself. For
// instance, with type O struct{ E } a method that a later cell declares for E is one of O, too.
func (s *Session) promotes(t types.Type, base any, seen map[*types.Named]bool) bool {
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
			if s.keyOf(named.Origin().Obj()) == base || s.promotes(named, base, seen) {
				return true
			}
		}
	}
	return false
}

// keyOf returns the identity of a declaration across checks. A type of a compiled package has one
// identity, whether it comes from source or export data, and however often these are read. If a
// package that runs from source is reloaded, its types are new.
func (s *Session) keyOf(name *types.TypeName) any {
	if p := name.Pkg(); p != nil && p.Path() != "main" && name.Parent() == p.Scope() && s.sourcePackage(p) == nil {
		return p.Path() + "." + name.Name()
	}
	if symbol := s.symbol(name, nil); symbol != nil {
		return symbol
	}
	return name
}

// record returns the record of a named type, which it creates at the first use.
func (s *Session) record(t *types.Named) *record {
	o := t.Obj()
	key := s.keyOf(o)
	display := o.Name()
	if t.TypeArgs().Len() > 0 {
		origin := s.base(s.keyOf(t.Origin().Obj()))
		args := typeArgs(t)
		key = origin + "[" + s.keys(args) + "]"
		display += "[" + s.texts(args) + "]"
	}
	if r := s.records[key]; r != nil {
		return r
	}
	path := "main"
	if o.Pkg() != nil && o.Pkg().Name() != "main" {
		path = o.Pkg().Path()
	}
	return s.addRecord(key, &record{typ: t, display: display, path: path})
}

// base returns a text that identifies a declaration. A generic type has no run-time type, so its
// record only provides the identifier from which keys of instances are built.
func (s *Session) base(key any) string {
	r := s.records[[2]any{"base", key}]
	if r == nil {
		r = s.addRecord([2]any{"base", key}, &record{typ: types.Typ[types.Invalid]})
	}
	return r.id
}

// addRecord registers a record under a key and gives it a unique identifier.
func (s *Session) addRecord(key any, r *record) *record {
	s.count++
	r.id = fmt.Sprintf("%s#%d", r.display, s.count)
	set(s.journal, s.records, key, r)
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
func (s *Session) markUsed() {
	for _, r := range s.fresh {
		r.real.MarkUsed()
	}
	s.fresh = nil
}

// realTypes returns the run-time types of all records.
func (s *Session) realTypes() map[*record]reflect.Type {
	list := map[*record]reflect.Type{}
	for _, r := range s.records {
		if r.real != nil {
			list[r] = r.real.Real()
		}
	}
	return list
}

// keepEarlier records the run-time types that renewals have replaced.
func (s *Session) keepEarlier(before map[*record]reflect.Type) {
	for r, old := range before {
		if r.real.Real() != old {
			assign(s.journal, &r.earlier, append(slices.Clip(r.earlier), old))
		}
	}
}

// unused records that types have been remade. Package realtype counts them as unused until they are
// marked.
func (s *Session) unused() {
	for _, r := range s.records {
		if r.real != nil {
			s.fresh = append(s.fresh, r)
		}
	}
}
