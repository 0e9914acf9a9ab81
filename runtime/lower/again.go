package lower

import (
	"go/types"
	"maps"
	"strings"

	"gosphere/runtime/check"
)

// A type that gains methods, or is declared again in the same words, stays the same type:
// it keeps its record, and so its real type. But the checker makes a new object for it, with
// the methods that it has now, and of everything that mentions it.

// declareType gives a session-level type a record. Values of another type of that name keep
// theirs.
func (u *unit) declareType(symbol *check.Symbol, t *types.TypeName) {
	named, ok := t.Type().(*types.Named)
	if !ok || t.IsAlias() {
		return
	}
	if r := u.s.records[symbol]; r != nil {
		u.renewObject(r, named)
		u.methodsGained()
		return
	}
	r := u.s.addRecord(symbol, &record{display: t.Name(), path: t.Pkg().Path(), typ: named})
	if u.newTypes == nil {
		u.newTypes = map[*record]bool{}
	}
	u.newTypes[r] = true
}

// declareMethod lets the record of a type know the methods that it has.
func (u *unit) declareMethod(named *types.Named) {
	r := u.s.record(u, named)
	u.renewObject(r, named)
	u.changedMethods = true
	if !u.newTypes[r] {
		u.methodsGained()
	}
}

// renewObject notes the newest object of a type.
func (u *unit) renewObject(r *record, t types.Type) {
	old := r.typ
	r.typ = t
	u.s.undo = append(u.s.undo, func() { r.typ = old })
}

// methodsGained notes that types of earlier cells have other methods than before. Instances
// of generic code for cell types call the old ones, so that they are made again for whoever
// asks for them from now on.
func (u *unit) methodsGained() {
	u.changedMethods = true
	if u.forgotten {
		return
	}
	u.forgotten = true
	all := u.s.instances
	u.s.undo = append(u.s.undo, func() { u.s.instances = all })
	u.s.instances = maps.Clone(all)
	maps.DeleteFunc(u.s.instances, func(key instanceKey, _ string) bool { return strings.Contains(key.key, globalMark) })
}

// renewInstances gives instances of generic types, and unnamed structs, the newest objects
// of what they mention: also those without a real type yet, which gets its methods from them.
func (u *unit) renewInstances() {
	newest := &substituter{u.s, &environment{newest: true}}
	for _, r := range u.s.records {
		switch t := r.typ.(type) {
		case *types.Named:
			if t.TypeArgs().Len() > 0 {
				u.renewObject(r, newest.typ(t))
			}
		case *types.Struct:
			u.renewObject(r, newest.typ(t))
		}
	}
}

// newest is the newest object of a type of the session; t itself for other types.
func (s *Session) newest(t *types.Named) *types.Named {
	if symbol := s.symbolOf[t.Obj()]; symbol != nil && s.records[symbol] != nil {
		if found, ok := s.records[symbol].typ.(*types.Named); ok {
			return found
		}
	}
	return t
}
