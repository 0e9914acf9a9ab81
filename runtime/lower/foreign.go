package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Recursive types are compiled types to the interpreter, and so are the types of their fields, of the elements of these and of
// the variables that are defined by them; the results of methods of interfaces are no other. It does not send to a channel of such
// a type, and compares its values with none of its own.

// foreign tells whether an expression has a type that the interpreter knows as a compiled one.
func (e *emitter) foreign(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := e.objectOf(x).(*types.Var)
		return ok && (e.foreigners[v] || e.forged(v.Type()))
	case *ast.SelectorExpr:
		s := e.src.info.Selections[x]
		return s != nil && s.Kind() == types.FieldVal && (e.forged(e.typeOf(x.X)) || e.foreignPath(s) || e.foreign(x.X))
	case *ast.IndexExpr:
		return e.forged(e.typeOf(x.X)) || e.foreign(x.X)
	case *ast.StarExpr:
		return e.foreign(x.X)
	case *ast.SliceExpr:
		return e.foreign(x.X)
	case *ast.TypeAssertExpr:
		return true
	case *ast.UnaryExpr:
		return (x.Op == token.ARROW || x.Op == token.AND) && e.foreign(x.X)
	case *ast.CallExpr:
		if e.isConversion(x) { // none to the same type is emitted
			return e.spell(e.typeOf(x)) == e.spell(e.typeOf(x.Args[0])) && e.foreign(x.Args[0])
		}
		if e.src.info.Types[x.Fun].IsBuiltin() {
			return len(x.Args) > 0 && e.foreign(x.Args[0]) // append
		}
		if f, ok := e.calledObject(x.Fun).(*types.Func); ok {
			v := f.Signature().Recv()
			return f.Pkg() == nil || f.Pkg().Path() != "main" || v != nil && isInterface(v.Type())
		}
		return e.foreign(x.Fun)
	}
	return false
}

// compared emits an operand of a comparison, given its text, as a value of the type that the interpreter has by itself.
func (e *emitter) compared(x ast.Expr, text string) string {
	t := e.typeOf(x)
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Struct, *types.Array, *types.Chan:
		if e.foreign(x) && !e.forged(t) {
			return e.converter(t) + "(" + text + ")"
		}
	}
	return text
}

// forged tells whether a type, or what it points to, is one that package realtype lays out or that is compiled.
func (e *emitter) forged(t types.Type) bool {
	t = types.Unalias(e.typ(t))
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	return ok && !isInterface(named) && (!e.u.s.ours(named) || e.u.s.recursive(e.u.s.record(e.u, named)))
}

// foreignPath tells whether the selection of a promoted field goes through such a type.
func (e *emitter) foreignPath(s *types.Selection) bool {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
		if e.forged(t) {
			return true
		}
	}
	return false
}

// findForeigners notes the variables that get such a type from what defines them.
func (e *emitter) findForeigners(root ast.Node) {
	e.foreigners = map[*types.Var]bool{}
	note := func(x ast.Expr, by ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			if v, ok := e.src.info.Defs[id].(*types.Var); ok && e.foreign(by) {
				e.foreigners[v] = true
			}
		}
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				note(x, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.RangeStmt:
			note(n.Key, n.X)
			note(n.Value, n.X)
		case *ast.CaseClause:
			if v, ok := e.src.info.Implicits[n].(*types.Var); ok { // of a type switch
				e.foreigners[v] = true
			}
		case *ast.ValueSpec:
			for i, x := range n.Names {
				if len(n.Values) > 0 { // a type may have been left out by then
					note(x, n.Values[min(i, len(n.Values)-1)])
				}
			}
		}
		return true
	})
}
