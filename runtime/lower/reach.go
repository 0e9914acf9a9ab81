package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// findReachable finds the local variables of a function that others can change, its literals and
// whoever gets their addresses, and those that literals only read.
func (e *emitter) findReachable(root ast.Node) {
	e.reachable, e.readElsewhere = map[*types.Var]bool{}, map[*types.Var]bool{}
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
		case *ast.Ident:
			if v, ok := e.src.info.Uses[n].(*types.Var); ok && len(literals) > 0 && isOutside(v, literals[len(literals)-1]) {
				e.readElsewhere[v] = true
			}
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
		if v, ok := e.objectOf(x).(*types.Var); ok && (literal == nil || isOutside(v, literal)) {
			e.reachable[v] = true
		}
	}
}

// isOutside tells whether a variable is declared outside of a literal.
func isOutside(v *types.Var, literal *ast.FuncLit) bool {
	return v.Pos() < literal.Pos() || v.Pos() >= literal.End()
}

// detaches tells whether an assignment would give a variable a new place, which pointers to it
// and literals that use it do not know: the interpreter makes the value of a literal of a struct
// type in a place of its own, and takes that for the variable's. So it does with a function that
// is the result of a method of an interface or of a function in a variable or a field.
func (e *emitter) detaches(to place, value ast.Expr) bool {
	value = ast.Unparen(value)
	for e.isConversion(value) {
		value = ast.Unparen(value.(*ast.CallExpr).Args[0])
	}
	if to.fresh || to.set != "" {
		return false
	}
	switch value := value.(type) {
	case *ast.CompositeLit:
		_, structure := coreType(e.typeOf(value)).(*types.Struct)
		return structure && (to.kept || strings.HasPrefix(strings.TrimLeft(to.text, "("), "*"))
	case *ast.CallExpr:
		return isFunction(e.typeOf(value)) && (e.isOperation(value) || e.ofInterface(value.Fun))
	}
	return false
}

// ofInterface tells whether a called expression is a method of an interface.
func (e *emitter) ofInterface(fun ast.Expr) bool {
	selection := e.src.info.Selections[selectorOf(ast.Unparen(fun))]
	return selection != nil && selection.Kind() == types.MethodVal && isInterface(selection.Obj().(*types.Func).Signature().Recv().Type())
}

// isFunction tells whether values of a type are functions.
func isFunction(t types.Type) bool {
	if t == nil {
		return false
	}
	_, function := t.Underlying().(*types.Signature)
	return function
}

// isKept tells whether others than the function itself know the place of a variable.
func (e *emitter) isKept(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := e.objectOf(id).(*types.Var)
	return ok && (e.readElsewhere == nil || e.readElsewhere[v] || e.isReachable(v))
}

// isConversion tells whether an expression is one of the form T(x).
func (e *emitter) isConversion(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	return ok && e.src.info.Types[call.Fun].IsType()
}
