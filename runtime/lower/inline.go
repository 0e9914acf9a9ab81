package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// A call costs the interpreter as much as twenty operations. So a call of a function whose
// body is one operation on its parameters, which cannot fail, becomes that operation, if its
// arguments cannot fail and have no effects either. When the function is declared again, so
// is what calls it.

// A formula is a function that calls can be replaced by.
type formula struct {
	source     *source
	parameters []*types.Var
	result     ast.Expr
}

// formulaOf is the formula of a function; nil for most.
func (u *unit) formulaOf(d *ast.FuncDecl) *formula {
	f := u.checked.Info.Defs[d.Name].(*types.Func)
	signature := f.Signature()
	if generic(f) || signature.Recv() != nil || signature.Variadic() || signature.Results().Len() != 1 || len(d.Body.List) != 1 {
		return nil
	}
	last, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(last.Results) != 1 || !isBasic(signature.Results().At(0).Type()) {
		return nil
	}
	operation, ok := ast.Unparen(last.Results[0]).(*ast.BinaryExpr)
	if !ok || u.checked.Info.Types[operation].Value != nil {
		return nil // only an operation reads its operands before what follows
	}
	var parameters []*types.Var
	for v := range signature.Params().Variables() {
		if !isBasic(v.Type()) {
			return nil
		}
		parameters = append(parameters, v)
	}
	if !u.emitter(u.source(d)).isFormula(operation, func(v *types.Var) bool { return v.Parent() == f.Scope() }) {
		return nil
	}
	return &formula{u.source(d), parameters, operation}
}

func isBasic(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.UnsafePointer
}

// isFormula tells whether an expression has no effects and cannot fail: operations on
// numbers and strings in variables that may be used, and constants.
func (e *emitter) isFormula(x ast.Expr, usable func(*types.Var) bool) bool {
	tv := e.src.info.Types[x]
	if !isBasic(tv.Type) {
		return false
	}
	if tv.Value != nil {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := e.src.info.Uses[x].(*types.Var)
		return ok && usable(v)
	case *ast.UnaryExpr:
		return (x.Op == token.SUB || x.Op == token.XOR || x.Op == token.NOT) && e.isFormula(x.X, usable)
	case *ast.BinaryExpr:
		comparison := x.Op.Precedence() == token.EQL.Precedence()
		return (plainOperator[x.Op] || comparison) && !e.mayFail(x.Op, x.Y) && e.isFormula(x.X, usable) && e.isFormula(x.Y, usable)
	}
	return false
}

// formula finds the formula that a call can be replaced by; nil for most.
func (e *emitter) formula(x *ast.CallExpr) *formula {
	if e.src.checked == nil || e.env != nil || x.Ellipsis.IsValid() {
		return nil
	}
	if tv := e.src.info.Types[x.Fun]; tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	f := (&quietWalk{e: e}).callee(x)
	if f == nil {
		return nil
	}
	symbol := e.u.s.symbol(f, e.src.checked)
	if symbol == nil || symbol.Broken != nil {
		return nil
	}
	found := e.u.s.formulas[symbol]
	if found == nil || len(found.parameters) != len(x.Args) {
		return nil
	}
	variables := 0
	for _, a := range x.Args {
		if value := e.src.info.Types[a].Value; value != nil {
			if value.Kind() != constant.Int {
				return nil
			}
			if n, exact := constant.Int64Val(value); !exact || n < -1<<15 || n > 1<<15 {
				return nil // an operation on constants could overflow
			}
		} else if !e.isFormula(a, func(v *types.Var) bool { return e.names[v] != "" && !e.shared[v] || e.isSession(v) }) {
			return nil
		} else {
			variables++
		}
	}
	if variables == 0 || len(x.Args) > 4 {
		return nil
	}
	for i, v := range found.parameters {
		if b := v.Type().Underlying().(*types.Basic); e.src.info.Types[x.Args[i]].Value != nil && b.Kind() != types.Int {
			return nil
		}
	}
	return found
}

// inlined emits the operation that takes the place of a call.
func (e *emitter) inlined(x *ast.CallExpr, f *formula) string {
	inner := e.u.emitter(f.source)
	inner.fn = e.fn
	for i, v := range f.parameters {
		inner.names[v] = e.convert(x.Args[i], v.Type())
		if _, variable := ast.Unparen(x.Args[i]).(*ast.Ident); !variable {
			inner.names[v] = "(" + inner.names[v] + ")"
		}
	}
	return inner.x(f.result)
}
