package lower

import (
	"go/types"
	"reflect"
	"strings"
)

// Compiled packages hand out values of types that cells have no name for: types that are not exported, as constructors return
// them, types of packages that are not preloaded, and instances of generic types without an alias. What leads to such a type,
// a function's result or a field, is compiled, so that its run-time type can be found beside its type information.

// An unnamed type is one that cells cannot name.
type unnamed struct {
	is   reflect.Type
	name string // in package cells, "" until emitted code needs it
}

// unnamedType finds a type of compiled code that cells cannot name; nil if nothing leads to it.
func (s *Session) unnamedType(t *types.Named) *unnamed {
	key := types.TypeString(t, nil)
	if found := s.unnamed[key]; found != nil {
		return found
	}
	for path := range s.imported {
		s.survey(path)
	}
	if t.Obj().Pkg() != nil {
		s.survey(t.Obj().Pkg().Path())
	}
	return s.unnamed[key]
}

// spelled names the type in emitted code.
func (n *unnamed) spelled(s *Session) string {
	if n.name == "" {
		n.name = "T" + localMark + strings.TrimPrefix(s.global(""), globalMark)
		s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{n.name: reflect.Zero(reflect.PointerTo(n.is))})
	}
	return cells + "." + n.name
}

// survey notes the types that a compiled package leads to.
func (s *Session) survey(path string) {
	if s.surveyed[path] {
		return
	}
	s.surveyed[path] = true
	p, err := s.options.Import(path)
	if err != nil {
		return
	}
	for _, name := range p.Scope().Names() {
		symbol, found := s.options.Compiled(path, name)
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

func isTypeName(o types.Object) bool {
	_, ok := o.(*types.TypeName)
	return ok
}

// pair notes the named types in t beside those of r, which is t at run time. Symbols that stand for others, such as the streams of
// cells, do not agree, and are left out from there on.
func (s *Session) pair(t types.Type, r reflect.Type) {
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

func (s *Session) pairElem(t interface{ Elem() types.Type }, r reflect.Type, kind reflect.Kind) {
	if r.Kind() == kind {
		s.pair(t.Elem(), r.Elem())
	}
}

// pairSignature leaves out the first parameters of r, which types do not count.
func (s *Session) pairSignature(t *types.Signature, r reflect.Type, receivers int) {
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

// pairNamed notes a named type, and what its methods and its parts lead to.
func (s *Session) pairNamed(t *types.Named, r reflect.Type) {
	name, _, _ := strings.Cut(r.Name(), "[")
	if o := t.Obj(); o.Pkg() == nil || o.Pkg().Path() != r.PkgPath() || o.Name() != name {
		return
	}
	key := types.TypeString(t, nil)
	if s.unnamed[key] != nil {
		return
	}
	s.unnamed[key] = &unnamed{is: r}
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
