package assist

import (
	"go/ast"
	"go/token"
	"go/types"
)

// expectedAt returns the type expected at the placeholder, which is the last of a path of nodes: as
// an argument, on the right of an assignment, after return, as an operand, in a literal. It is nil
// if nothing is known. The type ranks matches and does not exclude any. The path of a selector ends
// at the selector, so the type of the whole is meant.
//
// For instance, with | for the cursor:
//
//	strings.Repeat("a", |)          int
//	var d time.Duration = |         time.Duration
//	x = |                           the type of x
//	func f() error { return | }     error
//	if |                            bool
//	n + |                           the type of n
//	image.Point{X: |}               int
func (f *finder) expectedAt(path []ast.Node) types.Type {
	if len(path) < 2 {
		return nil
	}
	last := path[len(path)-1].(ast.Expr)
	switch parent := path[len(path)-2].(type) {
	case *ast.CallExpr:
		signature, ok := f.probe.Info.TypeOf(parent.Fun).(*types.Signature)
		for i, argument := range parent.Args {
			if ok && argument == last {
				return parameterAt(signature, i)
			}
		}
	case *ast.AssignStmt:
		for i, right := range parent.Rhs {
			if right == last && parent.Tok != token.DEFINE && len(parent.Lhs) == len(parent.Rhs) {
				return f.probe.Info.TypeOf(parent.Lhs[i])
			}
		}
	case *ast.ValueSpec:
		if parent.Type != nil && parent.Type != last {
			return f.probe.Info.TypeOf(parent.Type)
		}
	case *ast.ReturnStmt:
		return f.resultAt(path, parent, last)
	case *ast.BinaryExpr:
		// The operands of a shift have types of their own.
		if other := parent.X; other != last && parent.Op != token.SHL && parent.Op != token.SHR {
			return f.probe.Info.TypeOf(other)
		}
	case *ast.KeyValueExpr:
		if key, ok := parent.Key.(*ast.Ident); ok && parent.Value == last {
			if field, ok := f.probe.Info.Uses[key].(*types.Var); ok {
				return field.Type()
			}
		}
	case *ast.IfStmt, *ast.ForStmt:
		return types.Typ[types.Bool]
	}
	return nil
}

// parameterAt returns the type expected for argument i. For a variadic function that is the element
// type, unless the argument is followed by dots, which the caller has not written yet.
func parameterAt(s *types.Signature, i int) types.Type {
	n := s.Params().Len()
	if s.Variadic() && i >= n-1 {
		if list, ok := s.Params().At(n - 1).Type().(*types.Slice); ok {
			return list.Elem()
		}
		return nil
	}
	if i < n {
		return s.Params().At(i).Type()
	}
	return nil
}

// resultAt returns the type expected for a result in a return statement. It searches outward for
// the innermost function, literal or declaration.
func (f *finder) resultAt(path []ast.Node, statement *ast.ReturnStmt, result ast.Expr) types.Type {
	for i := len(path) - 1; i >= 0; i-- {
		var signature *types.Signature
		switch function := path[i].(type) {
		case *ast.FuncLit:
			signature, _ = f.probe.Info.TypeOf(function).(*types.Signature)
		case *ast.FuncDecl:
			if object, ok := f.probe.Info.Defs[function.Name].(*types.Func); ok {
				signature = object.Signature()
			}
		default:
			continue
		}
		for n, r := range statement.Results {
			if signature != nil && r == result && n < signature.Results().Len() {
				return signature.Results().At(n).Type()
			}
		}
		return nil
	}
	return nil
}

// fits reports whether an object, or the result of calling it, can be used as a value of the
// expected type. A type does not fit, since it is no value, nor does anything fit any, or all
// matches would.
func (f *finder) fits(o types.Object) bool {
	if f.expected == nil || o.Type() == nil || isEmptyInterface(f.expected) {
		return false
	}
	t := o.Type()
	switch o := o.(type) {
	case *types.Func:
		// A function fits by its result, since the user may call it.
		if results := o.Signature().Results(); results.Len() == 1 && types.AssignableTo(results.At(0).Type(), f.expected) {
			return true
		}
	case *types.Var, *types.Const, *types.Nil:
	default:
		return false
	}
	return types.AssignableTo(t, f.expected)
}

// isEmptyInterface reports whether values of all types can be assigned to t.
func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}
