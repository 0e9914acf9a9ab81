package lower

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"gosphere/runtime/realtype"
)

// A Renewal is a type that got other methods after interfaces held values of it.
type Renewal struct {
	Type   string
	Gained []string // the names of the methods that it had not before
}

// String is the type, with the methods.
func (r Renewal) String() string {
	if len(r.Gained) == 0 {
		return r.Type
	}
	return r.Type + " (" + strings.Join(r.Gained, ", ") + ")"
}

// noteRenewal notes that the type of a method table has another real type now.
func (u *unit) noteRenewal(t *methodTable) {
	r := Renewal{Type: t.record.display}
	for _, m := range t.methods {
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Name, realtype.HiddenName("")), localMark)
		if !slices.Contains(t.before, name) && !slices.Contains(r.Gained, name) {
			r.Gained = append(r.Gained, name)
		}
	}
	u.renewed = append(u.renewed, r)
}

// methodNames are the names in the signature of a record's methods.
func methodNames(signature string) []string {
	var names []string
	for method := range strings.SplitSeq(signature, ";") {
		name, _, _ := strings.Cut(method, " ")
		names = append(names, name)
	}
	return names
}

// defaults are functions of compiled packages that return what a variable of theirs holds.
var defaults = map[string]string{"log/slog": "Default"}

// Refresh gives values in interfaces the methods that their types have now: those to which
// the session's variables lead, those of compiled packages, and what functions capture. No
// code of cells may run meanwhile. It returns the types of compiled values that are in use, so
// that it could not look into them.
func (s *Session) Refresh() (missed []string) {
	pointers := s.holds.Pointers()
	for _, name := range s.variables {
		if address, err := s.engine.Eval("&" + name); err == nil && address.IsValid() && address.CanInterface() {
			pointers = append(pointers, address.Interface())
		}
	}
	for path := range s.packages {
		pointers = append(pointers, s.packageVariables(path)...)
	}
	return realtype.Refresh(pointers)
}

// packageVariables returns pointers to the variables of a compiled package.
func (s *Session) packageVariables(path string) []any {
	p, err := s.options.Import(path)
	if err != nil {
		return nil
	}
	var pointers []any
	for _, name := range p.Scope().Names() {
		if _, ok := p.Scope().Lookup(name).(*types.Var); !ok {
			continue
		}
		if v, found := s.options.Compiled(path, name); found && v.CanAddr() && v.Addr().CanInterface() {
			pointers = append(pointers, v.Addr().Interface())
		}
	}
	if f, found := s.options.Compiled(path, defaults[path]); found && f.Kind() == reflect.Func {
		pointers = append(pointers, f.Call(nil)[0].Interface())
	}
	return pointers
}
