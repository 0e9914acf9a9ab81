package assist

import (
	"go/token"
	"go/types"
	"sort"
)

// members returns the fields and methods that can be selected from a value or type t, sorted by
// name. For a name promoted from several depths it returns the shallowest. An embedded field and
// its own members are both listed. For instance a *bytes.Buffer has its exported methods and no
// fields, and a struct of a cell all its fields.
func members(t types.Type) []types.Object {
	found := map[string]types.Object{}
	add := func(o types.Object) {
		if _, ok := found[o.Name()]; !ok && visible(o) {
			found[o.Name()] = o
		}
	}
	addFields(t, add)
	// The method set of the pointer includes the methods of the variable. An interface has only
	// those of the type itself, and a pointer to one has none.
	set := types.NewMethodSet(t)
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) {
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for i := range set.Len() {
		add(set.At(i).Obj())
	}
	list := make([]types.Object, 0, len(found))
	for _, o := range found {
		list = append(list, o)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list
}

// addFields calls add for the fields of t, level by level of embedding. A type is entered once, so
// recursive embedding by pointers ends. Two fields of one name at the same depth are ambiguous in
// Go, but offered here.
func addFields(t types.Type, add func(types.Object)) {
	seen := map[types.Type]bool{}
	for level := []types.Type{t}; len(level) > 0; {
		var next []types.Type
		for _, t := range level {
			if pointer, ok := t.Underlying().(*types.Pointer); ok {
				t = pointer.Elem()
			}
			structure, ok := t.Underlying().(*types.Struct)
			if !ok || seen[t] {
				continue
			}
			seen[t] = true
			for field := range structure.Fields() {
				add(field)
				if field.Embedded() {
					next = append(next, field.Type())
				}
			}
		}
		level = next
	}
}

// visible reports whether a cell may name a field, method or member. Unexported names of cells are
// visible, because all cells are one package.
func visible(o types.Object) bool {
	return token.IsExported(o.Name()) || o.Pkg() == nil || o.Pkg().Path() == "main"
}

// kindOf returns the kind of an object, in the terms of Match.Type.
func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.PkgName:
		return "module"
	case *types.Const, *types.Nil:
		return "constant"
	case *types.Builtin:
		return "function"
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
		return "variable"
	case *types.TypeName:
		switch o.Type().Underlying().(type) {
		case *types.Struct:
			return "struct"
		case *types.Interface:
			return "interface"
		}
		return "class"
	}
	return "variable"
}

// qualifier returns the name of a package, or "" for the package of the cells. It is a
// types.Qualifier.
func qualifier(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

// signatureOf returns the type of an object in Go syntax. For a type that is its underlying type.
// Packages have none.
func signatureOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Var, *types.Const, *types.Func:
		if o.Type() != nil {
			return types.TypeString(o.Type(), qualifier)
		}
	case *types.TypeName:
		if o.Type() != nil {
			return types.TypeString(o.Type().Underlying(), qualifier)
		}
	}
	return ""
}
