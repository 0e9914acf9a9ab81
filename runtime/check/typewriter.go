package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// A typeWriter converts types to syntax, for variables whose types mention types that get new
// objects in a pass. The names in the syntax then denote the new objects. For instance, if P gets a
// method, a variable of type map[string]*P is declared by the syntax map[cell__type1]*P, where
// cell__type1 is an alias of string, and P denotes the new object. Components become aliases
// because their names may mean something else in this cell.
//
// The alternative would be to substitute the new objects in the types themselves. go/types offers
// no substitution for named types, and types that differ only in objects would be two types with
// one name. Syntax lets the checker resolve every type in the same run.
type typeWriter struct {
	scope *types.Scope
	main  *types.Package
	local map[types.Object]bool // names of the types that get new objects
	count int                   // number of aliases made
	// meaning returns the object that a name denotes outside the cell's own declarations, or nil if
	// they declare it.
	meaning func(name string) types.Object
}

// isLocal reports whether a type mentions a type that gets a new object. The first line saves the
// search in the usual case, in which no type gets a new object.
func (w *typeWriter) isLocal(t types.Type) bool {
	if len(w.local) == 0 {
		return false
	}
	return w.mentions(t, map[types.Type]bool{})
}

// mentions reports whether a type mentions one of the types in w.local. seen prevents endless
// recursion for recursive types. Named types are not searched beyond their type arguments: one that
// mentions a new type is itself in the closure, and hence in w.local.
func (w *typeWriter) mentions(t types.Type, seen map[types.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		return w.local[t.Origin().Obj()] || w.listMentions(t.TypeArgs(), seen)
	case *types.Alias:
		return w.local[t.Origin().Obj()] || w.listMentions(t.TypeArgs(), seen) || w.mentions(t.Rhs(), seen)
	case *types.Pointer:
		return w.mentions(t.Elem(), seen)
	case *types.Slice:
		return w.mentions(t.Elem(), seen)
	case *types.Array:
		return w.mentions(t.Elem(), seen)
	case *types.Chan:
		return w.mentions(t.Elem(), seen)
	case *types.Map:
		return w.mentions(t.Key(), seen) || w.mentions(t.Elem(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			if w.mentions(v.Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return w.mentions(t.Params(), seen) || w.mentions(t.Results(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if w.mentions(f.Type(), seen) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if w.mentions(m.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// listMentions reports whether a type argument mentions one of the types in w.local.
func (w *typeWriter) listMentions(list *types.TypeList, seen map[types.Type]bool) bool {
	for t := range list.Types() {
		if w.mentions(t, seen) {
			return true
		}
	}
	return false
}

// expr returns the syntax of a type. Components that mention none of the new types are represented
// by aliases.
//
// An alias carries the type object itself, so that a component keeps its identity even if its name
// has been redeclared.
func (w *typeWriter) expr(t types.Type) ast.Expr {
	if !w.isLocal(t) {
		return w.alias(t)
	}
	switch t := t.(type) {
	case *types.Named:
		return w.named(t.Origin().Obj(), t.Origin(), t.TypeArgs())
	case *types.Alias:
		if w.local[t.Origin().Obj()] {
			return w.named(t.Origin().Obj(), t.Origin(), t.TypeArgs())
		}
		// The alias itself keeps its object, but what it denotes gets a new one.
		return w.expr(t.Rhs())
	case *types.Pointer:
		return &ast.StarExpr{X: w.expr(t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Elt: w.expr(t.Elem())}
	case *types.Array:
		return &ast.ArrayType{Len: number(t.Len()), Elt: w.expr(t.Elem())}
	case *types.Chan:
		return &ast.ChanType{Dir: [...]ast.ChanDir{ast.SEND | ast.RECV, ast.SEND, ast.RECV}[t.Dir()], Value: w.expr(t.Elem())}
	case *types.Map:
		return &ast.MapType{Key: w.expr(t.Key()), Value: w.expr(t.Elem())}
	case *types.Signature:
		return w.signature(t)
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		return w.contract(t)
	}
	return w.alias(t)
}

// number returns the syntax of the length of an array.
func number(n int64) ast.Expr {
	return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(n, 10)}
}

// alias declares a new name for a type and returns the name. The name is declared in the scope
// around the package, like objects of the session.
func (w *typeWriter) alias(t types.Type) ast.Expr {
	w.count++
	name := fmt.Sprintf("cell__type%d", w.count)
	w.scope.Insert(types.NewTypeName(token.NoPos, w.main, name, t))
	return ast.NewIdent(name)
}

// named returns the syntax of a named type or alias with its type arguments.
func (w *typeWriter) named(name *types.TypeName, origin types.Type, arguments *types.TypeList) ast.Expr {
	var base ast.Expr = ast.NewIdent(name.Name())
	// Only an argument mentions a new type, as in List[P]; List may mean something else in this
	// cell.
	if !w.local[name] {
		base = w.alias(origin)
	}
	return w.instance(base, arguments)
}

// instance returns the syntax of a generic type with type arguments, or base if there are none.
func (w *typeWriter) instance(base ast.Expr, arguments *types.TypeList) ast.Expr {
	if arguments.Len() == 0 {
		return base
	}
	index := &ast.IndexListExpr{X: base}
	for t := range arguments.Types() {
		index.Indices = append(index.Indices, w.expr(t))
	}
	if len(index.Indices) == 1 {
		return &ast.IndexExpr{X: base, Index: index.Indices[0]}
	}
	return index
}

// signature returns the syntax of a function type.
func (w *typeWriter) signature(t *types.Signature) *ast.FuncType {
	return &ast.FuncType{Params: w.fields(t.Params(), t.Variadic()), Results: w.fields(t.Results(), false)}
}

// fields returns the syntax of parameters or results. They need no names.
//
// Names of parameters do not belong to the identity of a type.
func (w *typeWriter) fields(list *types.Tuple, variadic bool) *ast.FieldList {
	fields := &ast.FieldList{}
	for i := range list.Len() {
		t := list.At(i).Type()
		field := &ast.Field{}
		if variadic && i == list.Len()-1 {
			field.Type = &ast.Ellipsis{Elt: w.expr(t.(*types.Slice).Elem())}
		} else {
			field.Type = w.expr(t)
		}
		fields.List = append(fields.List, field)
	}
	return fields
}

// structure returns the syntax of a struct type. Tags and embedding belong to the identity of the
// type and are written.
func (w *typeWriter) structure(t *types.Struct) ast.Expr {
	fields := &ast.FieldList{}
	for i := range t.NumFields() {
		f := t.Field(i)
		field := &ast.Field{}
		if f.Embedded() {
			field.Type = w.embedded(f)
		} else {
			field.Type = w.expr(f.Type())
			field.Names = []*ast.Ident{ast.NewIdent(f.Name())}
		}
		if tag := t.Tag(i); tag != "" {
			field.Tag = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(tag)}
		}
		fields.List = append(fields.List, field)
	}
	return &ast.StructType{Fields: fields}
}

// embedded returns the syntax of an embedded field's type. It must end in the name of the field,
// which a generated alias would change.
//
// An embedded field is a named type or a pointer to one, so there are no other cases.
func (w *typeWriter) embedded(f *types.Var) ast.Expr {
	if p, ok := f.Type().(*types.Pointer); ok {
		return &ast.StarExpr{X: w.ending(f.Name(), p.Elem())}
	}
	return w.ending(f.Name(), f.Type())
}

// ending returns the syntax of a type that ends in the given name, apart from type arguments.
func (w *typeWriter) ending(name string, t types.Type) ast.Expr {
	if !w.isLocal(t) {
		return w.called(name, t)
	}
	if n, ok := t.(*types.Named); ok && !w.local[n.Origin().Obj()] {
		return w.instance(w.called(name, n.Origin()), n.TypeArgs())
	}
	return w.expr(t)
}

// holderName is the name of packages that hold a single generated name. Unexported names in them
// may be used, too.
const holderName = "cell__embedded"

// called returns an expression with the given name that denotes t. If the name does not denote t
// here, it is qualified by a package made for this purpose. The package is only a means to write
// any name for any type: a qualified embedded field is called by the part after the dot. tolerates
// accepts the unexported names in it.
func (w *typeWriter) called(name string, t types.Type) ast.Expr {
	if known, ok := w.meaning(name).(*types.TypeName); ok && types.Identical(known.Type(), t) {
		w.scope.Insert(known)
		return ast.NewIdent(name)
	}
	w.count++
	holder := types.NewPackage(fmt.Sprintf("cell/embedded%d", w.count), holderName)
	holder.Scope().Insert(types.NewTypeName(token.NoPos, holder, name, t))
	holder.MarkComplete()
	qualifier := fmt.Sprintf("cell__package%d", w.count)
	w.scope.Insert(types.NewPkgName(token.NoPos, w.main, qualifier, holder))
	return &ast.SelectorExpr{X: ast.NewIdent(qualifier), Sel: ast.NewIdent(name)}
}

// contract returns the syntax of an interface type.
func (w *typeWriter) contract(t *types.Interface) ast.Expr {
	methods := &ast.FieldList{}
	for m := range t.ExplicitMethods() {
		// expr is unsuitable, because it could return a name: go/types would take over the
		// signature that the name denotes and change the receiver of the original.
		signature := w.signature(m.Type().(*types.Signature))
		methods.List = append(methods.List, &ast.Field{Names: []*ast.Ident{ast.NewIdent(m.Name())}, Type: signature})
	}
	for e := range t.EmbeddedTypes() {
		methods.List = append(methods.List, &ast.Field{Type: w.expr(e)})
	}
	return &ast.InterfaceType{Methods: methods}
}
