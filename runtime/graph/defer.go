package graph

import (
	"go/ast"
	"go/types"
)

// hold records the names that a function literal mentions, if an assignment gives it to a session
// variable, and reports whether it does. The literal has no effect before it is called.
func (w *walker) hold(left, right ast.Expr) bool {
	literal, ok := ast.Unparen(right).(*ast.FuncLit)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(left).(*ast.Ident)
	if !ok || w.nameOf(w.object(id)) == "" {
		return false
	}
	w.out.literals = append(w.out.literals, literal)
	ast.Inspect(literal, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && w.checked.Info.Defs[id] == nil {
			if name := w.nameOf(w.object(id)); name != "" && !w.own[name] {
				w.out.held.add(name, id.Pos())
			}
		}
		return true
	})
	return true
}

// constantPlace returns the text of a place whose fields and indices are constant, such as p.N or
// m["a"], or "".
func constantPlace(info *types.Info, place ast.Expr) string {
	for e := place; ; {
		switch n := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s == nil || s.Kind() != types.FieldVal {
				return ""
			}
			e = n.X
		case *ast.IndexExpr:
			if info.Types[n.Index].Value == nil {
				return ""
			}
			e = n.X
		case *ast.Ident:
			return types.ExprString(place)
		default:
			return ""
		}
	}
}
