package check

import (
	"go/token"
	"go/types"
)

// pending holds the changes that Commit makes to the session. Nothing of the session refers to it
// before Commit, so a cell that fails to link leaves no trace.
//
// Symbols are shared with the session before Commit only where they already exist, and those are
// not changed.
type pending struct {
	checked  *Checked
	records  []*record // new or checked again
	objects  map[*record]types.Object
	gone     []*record
	broken   map[*record]error
	updated  map[*Symbol]types.Object // variables whose types have new objects
	versions map[string]int
	imports  map[string]Import
	dots     []string
}

// commit applies the changes of a checked cell. The order matters: records come last, because a
// declaration hides an import of the same name, and an import stated in the cell hides an earlier
// declaration. The caller holds both locks.
func (t *pending) commit(s *Session) {
	for name, version := range t.versions {
		s.versions[name] = version
	}
	for r, reason := range t.broken {
		r.symbol.Broken = reason
		s.broken = true
	}
	for _, r := range t.gone {
		if r.symbol.Kind == Method && s.methods[r.symbol.Receiver][r.symbol.Name] == r {
			delete(s.methods[r.symbol.Receiver], r.symbol.Name)
			r.symbol.Object = nil
		}
	}
	for symbol, object := range t.updated {
		symbol.Object = object
	}
	// An import of the cell hides a declaration of the same name.
	for _, i := range t.imports {
		s.imports[i.Name] = i.Path
		delete(s.guessed, i.Name)
		delete(s.current, i.Name)
	}
	for _, path := range t.dots {
		s.importAll(path)
	}
	for _, i := range t.checked.Imports {
		// The name is in force from now on, but another cell may choose another package for it.
		if i.Added {
			s.imports[i.Name] = i.Path
			s.guessed[i.Name] = true
		}
	}
	for _, r := range t.records {
		r.symbol.Object, r.symbol.Syntax = t.objects[r], r.syntax
		r.symbol.Broken = nil
		t.store(s, r)
	}
}

// store makes a record the current one for its name. A new type starts without methods, so those of
// the type it replaces are removed. Functions named init cannot be referred to and are not stored.
//
// The symbol of the replaced declaration keeps its meaning while an object leads to it, since
// values of its type may still exist. Its own object is cleared, because it would keep the objects
// of its check alive.
func (t *pending) store(s *Session, r *record) {
	if r.symbol.Kind == Method {
		if s.methods[r.symbol.Receiver] == nil {
			s.methods[r.symbol.Receiver] = map[string]*record{}
		}
		s.methods[r.symbol.Receiver][r.symbol.Name] = r
		return
	}
	if r.symbol.Kind == Function && r.symbol.Name == "init" {
		return
	}
	if old := s.current[r.symbol.Name]; old != nil && old.symbol != r.symbol {
		delete(s.methods, old.symbol)
		old.symbol.Object = nil
	}
	if r.symbol.Kind == Type && (s.current[r.symbol.Name] == nil || s.current[r.symbol.Name].symbol != r.symbol) {
		s.declared[r.symbol.Name] = append(s.declared[r.symbol.Name], declaredType{r.symbol.Version, r.symbol.Cell})
	}
	s.current[r.symbol.Name] = r
	delete(s.imports, r.symbol.Name)
}

// importAll makes a dot import effective. Session names that the package exports denote the
// package's objects from now on. The latest dot import takes precedence, so a repeated one moves to
// the end.
//
// A declaration that follows hides the name again, because store makes it current.
func (s *Session) importAll(path string) {
	kept := s.dots[:0:0]
	for _, other := range s.dots {
		if other != path {
			kept = append(kept, other)
		}
	}
	s.dots = append(kept, path)
	imported, err := s.packages.Import(path)
	if err != nil {
		return
	}
	for _, name := range imported.Scope().Names() {
		if token.IsExported(name) {
			delete(s.current, name)
		}
	}
}
