package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// A call costs the interpreter as much as twenty operations. So a call of a function whose
// body is one operation on its parameters, which cannot fail, becomes that operation, if its
// arguments cannot fail and have no effects either; and where a statement assigns or returns
// nothing but the call, the function may choose between several results (decision.go). When the
// function is declared again, so is what calls it.

// A formula is a function that calls can be replaced by.
type formula struct {
	source     *source
	parameters []*types.Var // the receiver first
	result     ast.Expr     // nil if only statements can take the place of a call
	decision   *decision
}

// formulaOf is the formula of a function; nil for most.
func (u *unit) formulaOf(d *ast.FuncDecl) *formula {
	f := u.checked.Info.Defs[d.Name].(*types.Func)
	signature := f.Signature()
	if generic(f) || signature.Variadic() || signature.Results().Len() != 1 || !isBasic(signature.Results().At(0).Type()) {
		return nil
	}
	found := &formula{source: u.source(d), decision: decisionOf(d.Body.List)}
	if found.decision == nil || found.decision.results() > maxResults {
		return nil
	}
	if r := signature.Recv(); r != nil {
		found.parameters = append(found.parameters, r)
	}
	found.parameters = append(found.parameters, slices.Collect(signature.Params().Variables())...)
	for _, v := range found.parameters {
		if _, structure := v.Type().Underlying().(*types.Struct); !structure && !isBasic(v.Type()) {
			return nil
		}
	}
	e := u.emitter(found.source)
	if !found.decision.each(func(x ast.Expr) bool {
		return e.isFormula(x, func(v *types.Var) bool { return v.Parent() == f.Scope() })
	}) {
		return nil
	}
	if operation, ok := ast.Unparen(found.decision.result).(*ast.BinaryExpr); ok && u.checked.Info.Types[operation].Value == nil {
		found.result = operation // only an operation reads its operands before what follows
	}
	return found
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
	case *ast.Ident, *ast.SelectorExpr:
		return e.isPath(x, usable)
	case *ast.UnaryExpr:
		return (x.Op == token.SUB || x.Op == token.XOR || x.Op == token.NOT) && e.isFormula(x.X, usable)
	case *ast.BinaryExpr:
		comparison := x.Op.Precedence() == token.EQL.Precedence()
		return (plainOperator[x.Op] || comparison) && !e.mayFail(x.Op, x.Y) && e.isFormula(x.X, usable) && e.isFormula(x.Y, usable)
	}
	return false
}

// isPath tells whether an expression is a variable that may be used, or a field in one on
// the way to which there is no pointer.
func (e *emitter) isPath(x ast.Expr, usable func(*types.Var) bool) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := e.src.info.Uses[x].(*types.Var)
		return ok && usable(v)
	case *ast.SelectorExpr:
		s := e.src.info.Selections[x]
		return s != nil && s.Kind() == types.FieldVal && !s.Indirect() && e.isPath(x.X, usable)
	}
	return false
}

// operands are the receiver and the arguments of a call that a formula takes the place of,
// which it finds; nil for most calls.
func (e *emitter) operands(x *ast.CallExpr) (*formula, []ast.Expr) {
	if e.src.checked == nil || e.env != nil || x.Ellipsis.IsValid() || len(x.Args) > 4 {
		return nil, nil
	}
	if tv := e.src.info.Types[x.Fun]; tv.IsType() || tv.IsBuiltin() {
		return nil, nil
	}
	f := (&quietWalk{e: e}).callee(x)
	if f == nil {
		return nil, nil
	}
	symbol := e.u.s.symbol(f, e.src.checked)
	if symbol == nil || symbol.Broken != nil {
		return nil, nil
	}
	found := e.u.s.formulas[symbol]
	if found == nil {
		return nil, nil
	}
	operands := x.Args
	if f.Signature().Recv() != nil {
		s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
		if !ok || len(e.src.info.Selections[s].Index()) != 1 {
			return nil, nil
		}
		operands = append([]ast.Expr{s.X}, operands...)
	}
	if len(found.parameters) != len(operands) || !e.areOperands(found, operands) {
		return nil, nil
	}
	return found, operands
}

// areOperands tells whether the operands of a call can stand where a formula has its
// parameters.
func (e *emitter) areOperands(f *formula, operands []ast.Expr) bool {
	usable := func(v *types.Var) bool { return e.names[v] != "" && !e.shared[v] || e.isSession(v) }
	constants := map[*types.Var]bool{}
	for i, x := range operands {
		v := f.parameters[i]
		tv := e.src.info.Types[x]
		switch {
		case !isBasic(v.Type()):
			if !types.Identical(tv.Type, v.Type()) || !e.isPath(x, usable) {
				return false
			}
		case tv.Value != nil:
			if b := v.Type().Underlying().(*types.Basic); tv.Value.Kind() != constant.Int || b.Kind() != types.Int {
				return false
			}
			constants[v] = true
		case !e.isFormula(x, usable):
			return false
		}
	}
	inner := &emitter{src: f.source}
	return len(constants) == 0 || f.decision.each(func(x ast.Expr) bool { return inner.staysVariable(x, constants) })
}

// staysVariable tells whether no operation in a formula becomes one on constants alone, which
// is exact and may overflow, or a shift of a constant, whose type is another one, when some
// parameters are constants.
func (e *emitter) staysVariable(x ast.Expr, constants map[*types.Var]bool) bool {
	stays := true
	ast.Inspect(x, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && e.src.info.Types[x].Value != nil {
			return false // it is a constant of the program
		}
		switch n := n.(type) {
		case *ast.UnaryExpr:
			stays = stays && !e.isConstant(n.X, constants)
		case *ast.BinaryExpr:
			shift := n.Op == token.SHL || n.Op == token.SHR
			stays = stays && !(e.isConstant(n.X, constants) && (shift || e.isConstant(n.Y, constants)))
		}
		return stays
	})
	return stays
}

func (e *emitter) isConstant(x ast.Expr, constants map[*types.Var]bool) bool {
	if e.src.info.Types[x].Value != nil {
		return true
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := e.src.info.Uses[id].(*types.Var)
	return ok && constants[v]
}

// formula finds the formula that a call can be replaced by anywhere; nil for most.
func (e *emitter) formula(x *ast.CallExpr) *formula {
	if f, _ := e.operands(x); f != nil && f.result != nil {
		return f
	}
	return nil
}

// inlined emits the operation that takes the place of a call.
func (e *emitter) inlined(x *ast.CallExpr, f *formula) string {
	_, operands := e.operands(x)
	return e.within(f, operands).x(f.result)
}

// within is an emitter for a formula with operands in the place of its parameters.
func (e *emitter) within(f *formula, operands []ast.Expr) *emitter {
	inner := e.u.emitter(f.source)
	inner.fn = e.fn
	for i, v := range f.parameters {
		inner.names[v] = e.convert(operands[i], v.Type())
		switch ast.Unparen(operands[i]).(type) {
		case *ast.Ident, *ast.SelectorExpr:
		default:
			if e.src.info.Types[operands[i]].Value == nil { // || takes a constant in parentheses for a condition
				inner.names[v] = "(" + inner.names[v] + ")"
			}
		}
	}
	return inner
}
