package graph

import (
	"go/ast"
	"go/token"
	"go/types"
)

// typeOf returns the type of an expression, or nil.
func (w *walker) typeOf(e ast.Expr) types.Type { return w.checked.Info.TypeOf(e) }

// under returns the underlying type of a type, or nil.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// refers reports whether values of a type may refer to memory that another value refers to as well
// and that can change: whether the type contains pointers, slices, maps, channels, functions or
// interfaces. Structs of compiled packages with only unexported fields, such as time.Time, count as
// plain values.
func refers(t types.Type) bool { return refersTo(t, map[types.Type]bool{}) }

func refersTo(t types.Type, seen map[types.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return refersTo(u.Elem(), seen)
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && isClosedStruct(named.Obj().Pkg(), u) {
			return false
		}
		for f := range u.Fields() {
			if refersTo(f.Type(), seen) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if refersTo(v.Type(), seen) {
				return true
			}
		}
		return false
	case *types.Interface:
		// Errors are values in practice.
		return !types.Identical(t, types.Universe.Lookup("error").Type())
	}
	return true
}

// isClosedStruct reports whether a struct is of a compiled package and has only unexported fields.
func isClosedStruct(p *types.Package, s *types.Struct) bool {
	if p.Path() == "main" {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() {
			return false
		}
	}
	return true
}

// rootsOf returns what a variable may refer to.
func (w *walker) rootsOf(object types.Object) (list []root) {
	if object == nil {
		return nil
	}
	if name := w.nameOf(object); name != "" {
		if _, ok := object.(*types.Var); ok {
			return []root{{name: name}}
		}
		return nil
	}
	if i, ok := w.parameters[object]; ok {
		list = append(list, root{parameter: i})
	}
	for r := range w.locals[object] {
		list = append(list, r)
	}
	return list
}

// roots returns what the value of an expression may refer to. It is nil for values without
// references.
func (w *walker) roots(e ast.Expr) (list []root) {
	e = ast.Unparen(e)
	if address, ok := e.(*ast.UnaryExpr); ok && address.Op == token.AND {
		if base := baseOf(address.X); base != nil {
			return w.rootsOf(w.object(base))
		}
		return w.roots(address.X)
	}
	if t := w.typeOf(e); t == nil || !refers(t) {
		return nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		return w.rootsOf(w.object(e))
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			if _, qualified := w.object(id).(*types.PkgName); qualified {
				return nil
			}
		}
		return w.partRoots(e.X)
	case *ast.IndexExpr:
		return w.partRoots(e.X)
	case *ast.SliceExpr:
		return w.partRoots(e.X)
	case *ast.StarExpr:
		return w.partRoots(e.X)
	case *ast.TypeAssertExpr:
		return w.roots(e.X)
	case *ast.UnaryExpr: // a value that is received
		return w.roots(e.X)
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				list = append(list, w.roots(pair.Value)...)
				if _, isMap := under(w.typeOf(e)).(*types.Map); isMap {
					list = append(list, w.roots(pair.Key)...)
				}
				continue
			}
			list = append(list, w.roots(element)...)
		}
	case *ast.FuncLit:
		return nil // its effects are those of the function in which it stands
	case *ast.CallExpr:
		arguments := e.Args
		if selector, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			if s := w.checked.Info.Selections[selector]; s != nil {
				list = append(list, w.partRoots(selector.X)...)
			}
		}
		if f, ok := w.callee(e).(*types.Func); ok && copies(f) && !elementsRefer(w.typeOf(e)) {
			return nil
		}
		if name := w.nameOf(w.callee(e)); name != "" {
			list = append(list, root{name: name}) // its results may refer to variables that it mentions
		}
		for _, a := range arguments {
			list = append(list, w.roots(a)...)
		}
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && id.Name == "append" || w.checked.Info.Types[e.Fun].IsType() {
			break
		}
		for i := range list {
			list[i].doubtful = true
		}
	}
	return list
}

// callee returns the function that a call names, or nil.
func (w *walker) callee(e *ast.CallExpr) types.Object {
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return w.object(f)
	case *ast.SelectorExpr:
		return w.object(f.Sel)
	}
	return nil
}

// partRoots returns what a part of the value of an expression may refer to. The whole need not have
// references of the type of the part.
func (w *walker) partRoots(e ast.Expr) []root {
	if base := baseOf(e); base != nil {
		return w.rootsOf(w.object(base))
	}
	return w.roots(innermost(e))
}

// A sharing is a partition of names into sets that may refer to the same memory.
type sharing map[string]string

// find returns the representative of the set of a name.
func (s sharing) find(name string) string {
	for s[name] != "" && s[name] != name {
		name = s[name]
	}
	return name
}

// join unites the sets of two names.
func (s sharing) join(a, b string) {
	if a, b = s.find(a), s.find(b); a != b {
		s[a] = b
	}
}

// leave makes a name a set of its own. The other members of its set stay together.
func (s sharing) leave(name string) {
	top := s.find(name)
	var others []string
	for n := range s {
		if n != name && s.find(n) == top {
			others = append(others, n)
		}
	}
	if top != name {
		others = append(others, top)
	}
	delete(s, name)
	for _, n := range others {
		delete(s, n)
	}
	for i, n := range others {
		if i > 0 {
			s.join(n, others[0])
		}
	}
}

// with returns the other names that may refer to the same memory as a name.
func (s sharing) with(name string, all map[string]*Name) (list []string) {
	top := s.find(name)
	for n := range all {
		if n != name && s.find(n) == top {
			list = append(list, n)
		}
	}
	return list
}

// copies reports whether the result of a compiled function is known not to refer to its arguments.
func copies(f *types.Func) bool {
	if f.Pkg() == nil {
		return true
	}
	switch path := f.Pkg().Path(); path {
	case "fmt", "strings", "strconv", "errors", "time", "encoding/json", "encoding/json/v2", "regexp", "math/rand", "math/rand/v2", "os":
		return f.Signature().Recv() == nil || path == "regexp"
	case "slices":
		switch f.Name() {
		case "Clone", "Collect", "Concat", "Sorted", "SortedFunc", "SortedStableFunc", "Repeat":
			return true
		}
	case "maps":
		return f.Name() == "Clone"
	}
	return false
}

// elementsRefer reports whether the elements of a slice or map refer to other memory.
func elementsRefer(t types.Type) bool {
	switch t := under(t).(type) {
	case *types.Slice:
		return refers(t.Elem())
	case *types.Map:
		return refers(t.Key()) || refers(t.Elem())
	}
	return false
}
