package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// switchStmt builds a switch statement. The tag is kept in a temporary, and each case compares with
// it. The section "Expression switches" of the specification evaluates the tag once and the case
// expressions from left to right and top to bottom until one matches.
func (b *builder) switchStmt(s *ast.SwitchStmt, name *ast.Ident) {
	b.scoped(s.Pos(), s.Init, func() {
		out := &ir.Switch{At: ir.At{P: s.Pos()}, Label: b.newLabel("")}
		var tag ir.Expr
		b.add(b.block(s.Pos(), func() {
			if s.Tag != nil {
				// Calls in the case expressions may change what the tag reads.
				b.ordered(s.Tag)
				tag = b.kept(b.expr(s.Tag))
				clear(b.hoisted)
			}
			b.inTarget(target{label: out.Label, source: name}, func() {
				for _, c := range s.Body.List {
					out.Cases = append(out.Cases, b.switchCase(c.(*ast.CaseClause), tag, s.Tag))
				}
			})
			b.add(out)
		}))
	})
}

// switchCase builds a clause of an expression switch.
func (b *builder) switchCase(c *ast.CaseClause, tag ir.Expr, source ast.Expr) *ir.Case {
	out := &ir.Case{At: ir.At{P: c.Pos()}, Default: c.List == nil}
	for _, e := range c.List {
		out.Conds = append(out.Conds, b.caseCond(e, tag, source))
	}
	// Go allows fallthrough only as the last statement of a clause, where it may have labels.
	list := c.Body
	if n := len(list); n > 0 {
		last := list[n-1]
		for labeled, ok := last.(*ast.LabeledStmt); ok; labeled, ok = last.(*ast.LabeledStmt) {
			last = labeled.Stmt
		}
		if branch, ok := last.(*ast.BranchStmt); ok && branch.Tok == token.FALLTHROUGH {
			out.Fallthrough = true
			outer := b.fallsThrough
			b.fallsThrough = branch
			defer func() { b.fallsThrough = outer }()
		}
	}
	out.Body = b.block(c.Pos(), func() { b.stmts(list) })
	return out
}

// caseCond builds the condition for an expression in a case. An expression of a case is evaluated
// only if no earlier one matches, so its calls cannot be made ahead of the switch.
func (b *builder) caseCond(e ast.Expr, tag ir.Expr, source ast.Expr) ir.Expr {
	var cond ir.Expr
	before := b.block(e.Pos(), func() {
		b.ordered(e)
		cond = b.caseTest(e, tag)
		clear(b.hoisted)
	})
	if len(before.List) > 0 {
		return &ir.Seq{Typed: ir.Typed{T: cond.Type(), P: e.Pos()}, Stmts: before.List, X: cond}
	}
	return cond
}

// caseTest builds the comparison of a case expression with the tag. A switch without a tag compares
// with true, which needs no comparison unless the case expression has an interface type. The
// conversions are those of a comparison tag == e. For instance, case 0, 1 of a switch n % 4 becomes
// the conditions ($2 == 0) and ($2 == 1), where $2 is the tag.
func (b *builder) caseTest(e ast.Expr, tag ir.Expr) ir.Expr {
	if tag == nil && !ir.IsInterface(b.typeOf(e)) {
		return b.exprTo(e, types.Typ[types.Bool])
	}
	if tag == nil {
		tag = ir.BoolConst(true, e.Pos())
	}
	t := tag.Type()
	x, y := tag, ir.Expr(nil)
	switch et := b.typeOf(e); {
	case b.info.Types[e].IsNil():
		y = ir.ZeroOf(t, e.Pos())
	case ir.IsInterface(et) && !ir.IsInterface(t):
		x, y = b.convert(tag, et), b.expr(e)
	case !types.AssignableTo(et, t) && types.AssignableTo(t, et): // a bidirectional and a directional channel
		x, y = b.convert(tag, et), b.expr(e)
	case ir.IsInterface(et) && ir.IsInterface(t) && !types.Identical(et, t):
		any := types.Universe.Lookup("any").Type()
		x, y = b.convert(tag, any), b.exprTo(e, any)
	default:
		y = b.exprTo(e, t)
	}
	return &ir.Compare{Typed: ir.Typed{T: types.Typ[types.Bool], P: e.Pos()}, Op: token.EQL, X: x, Y: y}
}
