package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Recursive types are compiled types to the interpreter, and so are the types of their fields, of the elements of these and of
// the variables that are defined by them. It does not send to a channel of such a type.

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
	case *ast.UnaryExpr:
		return (x.Op == token.ARROW || x.Op == token.AND) && e.foreign(x.X)
	case *ast.CallExpr:
		if f, ok := e.calledObject(x.Fun).(*types.Func); ok {
			return f.Pkg() == nil || f.Pkg().Path() != "main"
		}
		return e.foreign(x.Fun)
	}
	return false
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
		case *ast.ValueSpec:
			for i, x := range n.Names {
				if n.Type == nil && len(n.Values) > 0 {
					note(x, n.Values[min(i, len(n.Values)-1)])
				}
			}
		}
		return true
	})
}
