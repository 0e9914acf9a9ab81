package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// The interpreter's own message about an index does not give the index and the length.
// Statements outside loops check them first, where that cannot change what the statement
// does: only operands without effects, only what is evaluated in any case, and before every
// call of the statement. Inside loops, and in literals that compiled functions call to compare,
// the check would cost as much as the access.

// checks emits the checks of a statement.
func (e *emitter) checks(s ast.Stmt) string {
	if e.fn.loops > 0 || len(e.fn.yields) > 0 || e.fn.callback {
		return ""
	}
	w := &boundsWalk{e: e}
	for _, n := range evaluatedFirst(s) {
		ast.Inspect(n, w.visit)
	}
	var b strings.Builder
	for _, c := range w.checks {
		if !w.isAfterCall(c.of) {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// evaluatedFirst are the parts of a statement that it evaluates before it does anything else.
func evaluatedFirst(s ast.Stmt) []ast.Node {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.ReturnStmt, *ast.IncDecStmt, *ast.SendStmt:
		return []ast.Node{s}
	case *ast.AssignStmt:
		if len(s.Lhs) == 1 {
			return []ast.Node{s}
		}
		var list []ast.Node
		for _, x := range s.Rhs { // a place fails after the ones before it are assigned
			list = append(list, x)
		}
		return list
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && len(d.Specs) == 1 { // a later one may name what an earlier one declares
			return []ast.Node{s}
		}
	case *ast.IfStmt:
		if s.Init != nil {
			return evaluatedFirst(s.Init)
		}
		return []ast.Node{s.Cond}
	case *ast.SwitchStmt:
		if s.Init != nil {
			return evaluatedFirst(s.Init)
		}
		if s.Tag != nil {
			return []ast.Node{s.Tag}
		}
	}
	return nil
}

type boundsWalk struct {
	e           *emitter
	checks      []boundsCheck
	calls       []ast.Node // what may have effects
	conditional []ast.Node // what may have effects and may not be evaluated
}

// A boundsCheck is the check of an index or slice expression.
type boundsCheck struct {
	of   ast.Expr
	text string
}

// isAfterCall tells whether a call may come before an expression is evaluated: any that the
// expression is no part of, but for what the expression decides about.
func (w *boundsWalk) isAfterCall(x ast.Expr) bool {
	for _, c := range w.calls {
		if x.Pos() < c.Pos() || x.End() > c.End() {
			return true
		}
	}
	for _, c := range w.conditional {
		if x.End() > c.Pos() {
			return true
		}
	}
	return false
}

func (w *boundsWalk) visit(n ast.Node) bool {
	if x, ok := n.(ast.Expr); ok && w.e.made[x] != "" {
		return false
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		return false
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			ast.Inspect(n.X, w.visit)
			inner := &boundsWalk{e: w.e}
			ast.Inspect(n.Y, inner.visit)
			w.conditional = append(w.conditional, append(inner.calls, inner.conditional...)...)
			return false
		}
	case *ast.CallExpr:
		if tv := w.e.src.info.Types[n.Fun]; !tv.IsType() && !(tv.IsBuiltin() && isMeasure(n)) {
			w.calls = append(w.calls, n)
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			w.calls = append(w.calls, n)
		}
	case *ast.IndexExpr:
		ast.Inspect(n.X, w.visit)
		ast.Inspect(n.Index, w.visit)
		w.check(n)
		return false
	case *ast.SliceExpr:
		for _, x := range []ast.Expr{n.X, n.Low, n.High, n.Max} {
			if x != nil {
				ast.Inspect(x, w.visit)
			}
		}
		w.checkSlice(n)
		return false
	}
	return true
}

// checkSlice adds the check of one slice expression.
func (w *boundsWalk) checkSlice(x *ast.SliceExpr) {
	e := w.e
	bounds, unsigned := map[ast.Expr]string{}, map[ast.Expr]bool{}
	for _, b := range []ast.Expr{x.Low, x.High, x.Max} {
		if b == nil {
			continue
		}
		if !isPure(b) {
			return
		}
		bounds[b], unsigned[b] = e.machineInt(b)
	}
	if !isPure(x.X) || len(bounds) == 0 {
		return
	}
	operand, kind := e.x(x.X), "capacity"
	length, capacity := "len("+operand+")", "cap("+operand+")"
	switch t := coreType(e.typeOf(x.X)).(type) {
	case *types.Slice:
	case *types.Basic:
		capacity, kind = length, "length"
	case *types.Array:
		length, capacity, kind = fmt.Sprint(t.Len()), fmt.Sprint(t.Len()), "length"
	default:
		return
	}
	low, high, most := "0", length, "-1"
	if x.Low != nil {
		low = bounds[x.Low]
	}
	if x.High != nil {
		high = bounds[x.High]
	}
	limit := capacity
	if x.Max != nil {
		most, limit = bounds[x.Max], bounds[x.Max]
	}
	condition := fmt.Sprintf("%s < 0 || %s > %s || %s > %s", low, low, high, high, limit)
	if x.Max != nil {
		condition += " || " + most + " > " + capacity
	}
	mask := 0
	for i, b := range []ast.Expr{x.Low, x.High, x.Max} {
		if b != nil && unsigned[b] {
			mask |= 1 << i
		}
	}
	w.checks = append(w.checks, boundsCheck{x, fmt.Sprintf("if %s { %s.BadSlice(%s, %t, %q, %d) }\n",
		condition, support, sliceLiteral("int", []string{e.keptBound(low), e.keptBound(high), e.keptBound(most), capacity}), x.Slice3, kind, mask)})
}

// keptBound is kept for a bound among the parts of a literal.
func (e *emitter) keptBound(text string) string {
	if inner := bareText(text); strings.HasPrefix(inner, "(*") {
		return e.kept(inner, types.Typ[types.Int])
	}
	return text
}

// machineInt emits an index or a bound as an int, and tells whether a negative one stands
// for a large number without a sign.
func (e *emitter) machineInt(x ast.Expr) (text string, unsigned bool) {
	text = e.x(x)
	b, ok := e.typeOf(x).Underlying().(*types.Basic)
	plain := !e.isCompiledType(e.typeOf(x)) // the interpreter compares a compiled type with no other
	if v := e.src.info.Types[x].Value; v != nil {
		return constant.ToInt(v).ExactString(), false
	}
	if !ok || plain && b.Kind() == types.Int {
		return text, false
	}
	return "int(" + text + ")", b.Info()&types.IsUnsigned != 0
}

func isMeasure(x *ast.CallExpr) bool {
	id, ok := x.Fun.(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap")
}

// check adds the check of one index expression.
func (w *boundsWalk) check(x *ast.IndexExpr) {
	e := w.e
	if tv := e.src.info.Types[x.X]; !tv.IsValue() || e.src.info.Types[x].Value != nil {
		return
	}
	length := ""
	switch t := coreType(e.typeOf(x.X)).(type) {
	case *types.Slice:
	case *types.Basic:
		if t.Info()&types.IsString == 0 {
			return
		}
	case *types.Array:
		if e.src.info.Types[x.Index].Value != nil {
			return // the checker has looked
		}
		length = fmt.Sprint(t.Len())
	default:
		return
	}
	literal, isLiteral := ast.Unparen(x.X).(*ast.CompositeLit)
	if isLiteral = isLiteral && e.isList(literal); isLiteral && length == "" {
		length = fmt.Sprint(len(literal.Elts))
	}
	if !isPure(x.Index) || !isPure(x.X) && !isLiteral {
		return
	}
	if length == "" {
		length = "len(" + e.x(x.X) + ")"
	}
	index, unsigned := e.machineInt(x.Index)
	condition := index + " < 0 || " + index + " >= " + length
	if e.src.info.Types[x.Index].Value != nil {
		condition = index + " >= " + length
	}
	w.checks = append(w.checks, boundsCheck{x, fmt.Sprintf("if %s { %s.BadIndex(%s, %s, %t) }\n", condition, support, index, length, unsigned)})
}

// isList tells whether a literal lists constants, so that making it has no effects, and without
// indices.
func (e *emitter) isList(x *ast.CompositeLit) bool {
	return !slices.ContainsFunc(x.Elts, func(element ast.Expr) bool { return e.src.info.Types[element].Value == nil })
}

// isPure tells whether evaluating an expression has no effects and cannot fail in another
// way than the statement that holds it would.
func isPure(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return isPure(x.X)
	case *ast.BinaryExpr:
		return (x.Op == token.ADD || x.Op == token.SUB || x.Op == token.MUL) && isPure(x.X) && isPure(x.Y)
	case *ast.CallExpr:
		return isMeasure(x) && isPure(x.Args[0])
	case *ast.UnaryExpr:
		return x.Op == token.SUB && isPure(x.X)
	case *ast.IndexExpr:
		return isPure(x.X) && isPure(x.Index)
	}
	return false
}
