package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// findReachable finds the local variables of a function that others can change: its literals,
// and whoever gets their addresses.
func (e *emitter) findReachable(root ast.Node) {
	e.reachable = map[*types.Var]bool{}
	var literals []*ast.FuncLit
	var path []ast.Node
	assigned := func(xs ...ast.Expr) {
		if len(literals) == 0 {
			return
		}
		for _, x := range xs {
			e.reach(x, literals[len(literals)-1])
		}
	}
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			if _, ok := path[len(path)-1].(*ast.FuncLit); ok {
				literals = literals[:len(literals)-1]
			}
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
		case *ast.AssignStmt:
			assigned(n.Lhs...)
		case *ast.IncDecStmt:
			assigned(n.X)
		case *ast.RangeStmt:
			assigned(n.Key, n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				e.reach(n.X, nil)
			}
		case *ast.SliceExpr:
			e.reach(n.X, nil)
		case *ast.SelectorExpr:
			if s := e.src.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				e.reach(n.X, nil) // the method may get its address
			}
		}
		return true
	})
}

// reach notes the variable that an expression is, or is a part of; only if it is declared outside
// of a literal, where one is given.
func (e *emitter) reach(x ast.Expr, literal *ast.FuncLit) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		e.reach(x.X, literal)
	case *ast.SelectorExpr:
		e.reach(x.X, literal)
	case *ast.IndexExpr:
		e.reach(x.X, literal)
	case *ast.Ident:
		if v, ok := e.objectOf(x).(*types.Var); ok && (literal == nil || v.Pos() < literal.Pos() || v.Pos() >= literal.End()) {
			e.reachable[v] = true
		}
	}
}
