package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// A recursion is a function that only compares, computes, calls itself and returns, and of which
// nothing but its depth can fail.
type recursion struct {
	function   *types.Func
	parameters []*types.Var // the receiver first
	tree       *decision
	calls      map[*decision][]*ast.CallExpr // of the function itself, by the result that needs them
	most       int                           // calls in one result
	inPlace    bool                          // the arguments of calls can take the place of the parameters
}

// recursionOf reads a declaration; nil for most.
func (e *emitter) recursionOf(d *ast.FuncDecl) *recursion {
	f := e.src.info.Defs[d.Name].(*types.Func)
	signature := f.Signature()
	if e.env != nil || e.asks() || !e.callsItself(d) || generic(f) || signature.Variadic() || signature.Results().Len() != 1 || !isBasic(signature.Results().At(0).Type()) ||
		isComplex(signature.Results().At(0).Type()) {
		return nil
	}
	r := &recursion{function: f, tree: decisionOf(d.Body.List), calls: map[*decision][]*ast.CallExpr{}, inPlace: true}
	if r.tree == nil || r.tree.condition == nil || r.tree.results() > maxResults {
		return nil
	}
	if v := signature.Recv(); v != nil {
		r.parameters = append(r.parameters, v)
	}
	r.parameters = append(r.parameters, slices.Collect(signature.Params().Variables())...)
	for _, v := range r.parameters {
		_, pointer := v.Type().Underlying().(*types.Pointer)
		if !pointer && !isBasic(v.Type()) || carrier(v.Type()) != "" || v.Name() == "" || v.Name() == "_" || e.shared[v] {
			return nil
		}
	}
	w := &recursionWalk{recursion: r, e: e}
	if !w.tree(r.tree, map[*types.Var]bool{}) || r.most == 0 || r.most > maxSelfCalls {
		return nil
	}
	return r
}

// maxSelfCalls is how many calls of itself one result may need.
const maxSelfCalls = 3

// onlyCalling is the only result that needs calls, nil if there are several.
func (r *recursion) onlyCalling() *decision {
	if len(r.calls) != 1 {
		return nil
	}
	for c := range r.calls {
		return c
	}
	return nil
}

// operands are the receiver and the arguments of a call of the function.
func (r *recursion) operands(x *ast.CallExpr) []ast.Expr {
	if r.function.Signature().Recv() != nil {
		return append([]ast.Expr{ast.Unparen(x.Fun).(*ast.SelectorExpr).X}, x.Args...)
	}
	return x.Args
}

// A recursionWalk looks whether a decision is of the kind.
type recursionWalk struct {
	*recursion
	e     *emitter
	calls []*ast.CallExpr // in the result being looked at
}

// tree looks at a decision. The parameters in some are known not to be zero or nil there.
func (w *recursionWalk) tree(c *decision, some map[*types.Var]bool) bool {
	if c.condition == nil {
		w.calls = nil
		if !w.computes(c.result, some) {
			return false
		}
		if len(w.calls) > 0 {
			w.recursion.calls[c] = w.calls
			w.most = max(w.most, len(w.calls))
			w.inPlace = w.inPlace && w.changesOne(c)
		}
		return true
	}
	v, equal := w.zeroTest(c.condition)
	if v == nil {
		return w.e.isFormula(c.condition, w.isParameter) && w.tree(c.yes, some) && w.tree(c.no, some)
	}
	known := maps.Clone(some)
	known[v] = true
	if equal {
		return w.tree(c.yes, some) && w.tree(c.no, known)
	}
	return w.tree(c.yes, known) && w.tree(c.no, some)
}

func (w *recursionWalk) isParameter(v *types.Var) bool { return slices.Contains(w.parameters, v) }

// zeroTest reads a comparison of a parameter with 0 or nil.
func (w *recursionWalk) zeroTest(x ast.Expr) (v *types.Var, equal bool) {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return nil, false
	}
	tv := w.e.src.info.Types[b.Y]
	if !tv.IsNil() && (tv.Value == nil || tv.Value.ExactString() != "0") {
		return nil, false
	}
	return w.parameter(b.X), b.Op == token.EQL
}

func (w *recursionWalk) parameter(x ast.Expr) *types.Var {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		if v, ok := w.e.src.info.Uses[id].(*types.Var); ok && w.isParameter(v) {
			return v
		}
	}
	return nil
}

// computes tells whether a result has no effects and cannot fail, and collects its calls.
func (w *recursionWalk) computes(x ast.Expr, some map[*types.Var]bool) bool {
	if w.e.src.info.Types[x].Value == nil {
		switch x := ast.Unparen(x).(type) {
		case *ast.CallExpr:
			return w.call(x, some)
		case *ast.UnaryExpr:
			return (x.Op == token.SUB || x.Op == token.XOR || x.Op == token.NOT) && w.computes(x.X, some)
		case *ast.BinaryExpr:
			comparison := x.Op.Precedence() == token.EQL.Precedence() && isBasic(w.e.src.info.TypeOf(x.X))
			return (plainOperator[x.Op] || comparison) && (some[w.parameter(x.Y)] || !w.e.mayFail(x.Op, x.Y)) && w.computes(x.X, some) && w.computes(x.Y, some)
		}
	}
	return w.isOperand(x, some)
}

// isOperand tells whether an expression is an argument of a call or a part of a result without
// calls: a formula, a pointer, or a field behind a pointer that is not nil.
func (w *recursionWalk) isOperand(x ast.Expr, some map[*types.Var]bool) bool {
	if w.parameter(x) != nil {
		return true
	}
	if s, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
		found, v := w.e.src.info.Selections[s], w.parameter(s.X)
		if found != nil && v != nil && found.Kind() == types.FieldVal && len(found.Index()) == 1 {
			return some[v]
		}
	}
	if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && some[w.parameter(b.Y)] && isBasic(w.e.src.info.TypeOf(x)) {
		return plainOperator[b.Op] && w.e.isFormula(b.X, w.isParameter)
	}
	return w.e.isFormula(x, w.isParameter)
}

// call looks at a call in a result: one of the function itself whose arguments need none.
func (w *recursionWalk) call(x *ast.CallExpr, some map[*types.Var]bool) bool {
	if tv := w.e.src.info.Types[x.Fun]; tv.IsType() || tv.IsBuiltin() || x.Ellipsis.IsValid() {
		return false
	}
	if (&quietWalk{e: w.e}).callee(x) != w.function {
		return false
	}
	if w.function.Signature().Recv() != nil {
		s := ast.Unparen(x.Fun).(*ast.SelectorExpr)
		if found := w.e.src.info.Selections[s]; found == nil || len(found.Index()) != 1 || !types.Identical(w.e.src.info.TypeOf(s.X), w.parameters[0].Type()) {
			return false
		}
	}
	operands := w.operands(x)
	if len(operands) != len(w.parameters) {
		return false
	}
	for i, operand := range operands {
		t := w.e.src.info.Types[operand]
		if t.IsNil() || t.Value == nil && !types.Identical(t.Type, w.parameters[i].Type()) || !w.isOperand(operand, some) {
			return false
		}
	}
	w.calls = append(w.calls, x)
	return true
}

// changesOne tells whether a result needs one call, which changes one argument, and the parameters
// for nothing else.
func (w *recursionWalk) changesOne(c *decision) bool {
	if len(w.calls) != 1 {
		return false
	}
	changed := 0
	for i, x := range w.operands(w.calls[0]) {
		if v := w.parameter(x); v == nil {
			changed++
		} else if v != w.parameters[i] {
			return false
		}
	}
	needed := false
	ast.Inspect(c.result, func(n ast.Node) bool {
		if n == ast.Node(w.calls[0]) {
			return false
		}
		if x, ok := n.(ast.Expr); ok {
			needed = needed || w.parameter(x) != nil
		}
		return true
	})
	return changed == 1 && !needed
}
