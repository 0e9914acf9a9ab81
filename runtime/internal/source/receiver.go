package source

import "go/ast"

// FunctionName returns the name of a function, or "Type.Method" for a method.
//
// The name is the key of functions in a Package. It contains no type parameters, because a method
// has one declaration for all instances.
func FunctionName(f *ast.FuncDecl) string {
	if receiver := Receiver(f); receiver != nil {
		return receiver.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// Receiver returns the identifier of a method's receiver base type. It is nil for a function, and
// for a receiver of another form, which the type checker reports.
func Receiver(f *ast.FuncDecl) *ast.Ident {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return nil
	}
	for expr := f.Recv.List[0].Type; ; {
		switch e := expr.(type) {
		case *ast.ParenExpr:
			expr = e.X
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e
		default:
			return nil
		}
	}
}
