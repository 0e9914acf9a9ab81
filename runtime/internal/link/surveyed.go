package link

import (
	"go/types"
	"reflect"
	"strings"
)

// Compiled packages return values of types that cells cannot name: unexported types, types of
// packages that are not preloaded, and instances of generic types without an alias. The function or
// field that leads to such a type is compiled, however. Its run-time type therefore contains the
// run-time type to be found, at the same place as in the type information.

// A survey finds the run-time types of compiled types that cells cannot name.
type survey struct {
	options *Options
	unit    *unit
	done    map[string]bool         // packages
	types   map[string]reflect.Type // by their names with paths
}

// typeOf returns the run-time type of a compiled type that cells cannot name, or nil if no
// known symbol leads to it.
//
// For instance, a result of template.New is a *template.Template, of which a field leads to
// parse.Tree.
func (s *survey) typeOf(t *types.Named) reflect.Type {
	key := surveyKey(t)
	// The search is done only at the first use of such a type, because it visits all symbols of a
	// package.
	if found := s.types[key]; found != nil {
		return found
	}
	// Most likely the cell has the value from a package that it imports. The package of the type
	// itself may have symbols as well.
	if s.unit.checked != nil {
		for _, i := range s.unit.checked.Imports {
			s.survey(i.Path)
		}
	}
	if t.Obj().Pkg() != nil {
		s.survey(t.Obj().Pkg().Path())
	}
	return s.types[key]
}

// surveyKey returns the name of a type with its path, in which all spellings of a type argument are
// one.
func surveyKey(t *types.Named) string {
	return strings.ReplaceAll(types.TypeString(t, nil), "interface{}", "any")
}

// survey records the types reachable from the exported symbols of a compiled package.
func (s *survey) survey(path string) {
	if s.done[path] {
		return
	}
	// A package that cannot be imported is not tried again.
	s.done[path] = true
	p, err := s.options.Import(path)
	if err != nil || s.options.Source != nil && s.options.Source(p) != nil {
		return
	}
	for _, name := range p.Scope().Names() {
		symbol, found := s.options.Symbol(path, name)
		if !found {
			continue
		}
		if o := p.Scope().Lookup(name); !isTypeName(o) {
			s.pair(o.Type(), symbol.Type())
		} else if symbol.Kind() == reflect.Pointer {
			s.pair(o.Type(), symbol.Type().Elem())
		}
	}
}

// isTypeName reports whether an object is the name of a type. The symbol of a type is a nil pointer
// to it.
func isTypeName(o types.Object) bool {
	_, ok := o.(*types.TypeName)
	return ok
}

// pair records the named types in t with the corresponding parts of r, the run-time type of t.
// Where a symbol has been overridden, such as the streams of cells, the two differ; pair stops
// there.
func (s *survey) pair(t types.Type, r reflect.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		s.pairNamed(t, r)
	case *types.Pointer:
		s.pairElem(t, r, reflect.Pointer)
	case *types.Slice:
		s.pairElem(t, r, reflect.Slice)
	case *types.Array:
		s.pairElem(t, r, reflect.Array)
	case *types.Chan:
		s.pairElem(t, r, reflect.Chan)
	case *types.Map:
		if r.Kind() == reflect.Map {
			s.pair(t.Key(), r.Key())
			s.pair(t.Elem(), r.Elem())
		}
	case *types.Signature:
		s.pairSignature(t, r, 0)
	case *types.Struct:
		if r.Kind() == reflect.Struct && r.NumField() == t.NumFields() {
			for i := range t.NumFields() {
				s.pair(t.Field(i).Type(), r.Field(i).Type)
			}
		}
	case *types.Interface:
		if r.Kind() == reflect.Interface {
			for f := range t.Methods() {
				if m, found := r.MethodByName(f.Name()); found && f.Exported() {
					s.pairSignature(f.Signature(), m.Type, 0)
				}
			}
		}
	}
}

// pairElem pairs the element types of pointers, slices, arrays and channels.
func (s *survey) pairElem(t interface{ Elem() types.Type }, r reflect.Type, kind reflect.Kind) {
	if r.Kind() == kind {
		s.pair(t.Elem(), r.Elem())
	}
}

// pairSignature pairs parameters and results. r has additional receivers as its first parameters,
// which t does not list: one for a method of a concrete type, and none for functions and methods of
// interfaces.
func (s *survey) pairSignature(t *types.Signature, r reflect.Type, receivers int) {
	if r.Kind() != reflect.Func || t.TypeParams().Len() > 0 || t.Params().Len()+receivers != r.NumIn() || t.Results().Len() != r.NumOut() {
		return
	}
	for i := range t.Params().Len() {
		s.pair(t.Params().At(i).Type(), r.In(i+receivers))
	}
	for i := range t.Results().Len() {
		s.pair(t.Results().At(i).Type(), r.Out(i))
	}
}

// pairNamed records a named type and the types reachable from its methods and components.
func (s *survey) pairNamed(t *types.Named, r reflect.Type) {
	name, _, _ := strings.Cut(r.Name(), "[")
	if o := t.Obj(); o.Pkg() == nil || o.Pkg().Path() != r.PkgPath() || o.Name() != name {
		return
	}
	key := surveyKey(t)
	if s.types[key] != nil {
		return
	}
	// The entry precedes the recursion, which ends at types that are already known.
	s.types[key] = r
	s.pair(t.Underlying(), r)
	if isInterface(t) {
		return
	}
	for i := range t.NumMethods() {
		f := t.Method(i)
		if m, found := reflect.PointerTo(r).MethodByName(f.Name()); found && f.Exported() {
			s.pairSignature(f.Signature(), m.Type, 1)
		}
	}
}
