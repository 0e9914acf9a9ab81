package lower

import (
	"go/ast"
	"go/types"
)

// This file has the parts of expressions that concern type arguments of functions and methods.

// functionType returns the type of an expression that denotes a function by a name. Where the
// context determines the type arguments, as in an element of a literal, the checker records the
// type with type parameters.
func functionType(b *builder, e ast.Expr, name *ast.Ident) types.Type {
	sig, ok := b.info.TypeOf(e).(*types.Signature)
	if !ok || sig.TypeParams().Len() == 0 {
		return b.typeOf(e)
	}
	instance, err := types.Instantiate(nil, sig, b.instanceArgs(name), false)
	if err != nil {
		unsupported(e.Pos(), "internal: %v", err)
	}
	return b.substitute(instance)
}

// instanceArgs returns the type arguments with which an identifier instantiates a function.
func (b *builder) instanceArgs(id *ast.Ident) []types.Type {
	instance, ok := b.info.Instances[id]
	if !ok {
		return nil
	}
	var list []types.Type
	// A generic function may use its own type parameters to instantiate another.
	for t := range instance.TypeArgs.Types() {
		list = append(list, b.substitute(t))
	}
	return list
}

// isInstance reports whether an index expression instantiates a function or a type.
func (b *builder) isInstance(e ast.Expr) bool {
	var x ast.Expr
	switch e := e.(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.IndexListExpr:
		x = e.X
	}
	return b.instantiated(x) != nil || b.info.Types[e].IsType()
}

// instantiated returns the identifier of a generic function, or nil.
func (b *builder) instantiated(x ast.Expr) *ast.Ident {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if _, ok := b.info.Instances[x]; ok {
			return x
		}
	case *ast.SelectorExpr:
		if _, ok := b.info.Instances[x.Sel]; ok {
			return x.Sel
		}
	}
	return nil
}

// instantiatedIn returns the identifier of the generic function in an expression that may have an
// index.
func (b *builder) instantiatedIn(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return b.instantiated(e.X)
	case *ast.IndexListExpr:
		return b.instantiated(e.X)
	}
	return b.instantiated(e)
}

// methodInstance returns the selector of a method with type arguments, such as l.Map of l.Map[int],
// or nil for other expressions.
func methodInstance(b *builder, e ast.Expr) *ast.SelectorExpr {
	var x ast.Expr
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		x = e.X
	case *ast.IndexListExpr:
		x = e.X
	}
	if selector, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && b.info.Selections[selector] != nil && b.instantiated(selector) != nil {
		return selector
	}
	return nil
}

// withoutArguments returns an expression without parentheses and without the type arguments of a
// method. Evaluating a method depends on its receiver alone.
func withoutArguments(b *builder, e ast.Expr) ast.Expr {
	if method := methodInstance(b, e); method != nil {
		return method
	}
	return ast.Unparen(e)
}
