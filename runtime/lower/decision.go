package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// maxResults is how many results a function may choose between, so that the text does not
// grow beyond what a call would cost.
const maxResults = 6

// A decision is what a function does that only compares and returns: a result, or a condition
// with a decision for either answer.
type decision struct {
	result    ast.Expr
	condition ast.Expr
	yes, no   *decision
}

// decisionOf reads the statements of a body; nil if they do something else.
func decisionOf(list []ast.Stmt) *decision {
	if len(list) == 0 {
		return nil
	}
	switch s := list[0].(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			return &decision{result: s.Results[0]}
		}
	case *ast.IfStmt:
		rest := list[1:]
		switch other := s.Else.(type) {
		case *ast.BlockStmt:
			rest = other.List
		case *ast.IfStmt:
			rest = slices.Concat([]ast.Stmt{other}, rest)
		}
		if s.Init != nil {
			return nil
		}
		if yes, no := decisionOf(s.Body.List), decisionOf(rest); yes != nil && no != nil {
			return &decision{condition: s.Cond, yes: yes, no: no}
		}
	}
	return nil
}

// results counts what the decision is between.
func (c *decision) results() int {
	if c.condition == nil {
		return 1
	}
	return c.yes.results() + c.no.results()
}

// each tells whether something holds for all conditions and results.
func (c *decision) each(holds func(ast.Expr) bool) bool {
	if c.condition == nil {
		return holds(c.result)
	}
	return holds(c.condition) && c.yes.each(holds) && c.no.each(holds)
}

// emit emits the decision with a statement for each result.
func (c *decision) emit(inner *emitter, take func(text string) string) string {
	if c.condition == nil {
		return take(inner.convert(c.result, inner.src.info.TypeOf(c.result)))
	}
	return "if " + inner.alone(c.condition) + " {\n" + c.yes.emit(inner, take) + "\n} else {\n" + c.no.emit(inner, take) + "\n}"
}

// chosen finds the call that a statement assigns or returns and nothing else, if a decision can
// take its place, with its operands.
func (e *emitter) chosen(x ast.Expr, to types.Type) (*formula, []ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	f, operands := e.operands(call)
	if f == nil || f.result != nil || !types.Identical(e.typeOf(call), to) {
		return nil, nil
	}
	return f, operands
}

// assignedDecision emits the assignment of a call to a variable as a decision; "" for other
// assignments.
func (e *emitter) assignedDecision(s *ast.AssignStmt) string {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || !takesResults[s.Tok] {
		return ""
	}
	name, ok := s.Lhs[0].(*ast.Ident)
	if !ok || name.Name == "_" {
		return ""
	}
	v, ok := e.objectOf(name).(*types.Var)
	if !ok || e.shared[v] {
		return ""
	}
	f, operands := e.chosen(s.Rhs[0], e.typ(v.Type()))
	if f == nil {
		return ""
	}
	operator := s.Tok.String()
	declared := ""
	if s.Tok == token.DEFINE {
		operator = "="
	}
	const place = "\x00"
	text := f.decision.emit(e.within(f, operands), func(value string) string { return place + " " + operator + " " + value })
	if p := e.definedPlace(name); s.Tok == token.DEFINE && p.fresh {
		declared = "var " + e.define(v) + " " + e.spell(e.typ(v.Type())) + "\n"
	}
	return declared + strings.ReplaceAll(text, place, e.variable(v))
}

// takesResults are the assignments that cannot fail whatever the result is, also if it is a
// constant.
var takesResults = map[token.Token]bool{
	token.ASSIGN: true, token.DEFINE: true, token.ADD_ASSIGN: true, token.SUB_ASSIGN: true, token.MUL_ASSIGN: true,
	token.AND_ASSIGN: true, token.OR_ASSIGN: true, token.XOR_ASSIGN: true, token.AND_NOT_ASSIGN: true,
}

// returnedDecision emits the return of a call as a decision; "" for other returns.
func (e *emitter) returnedDecision(s *ast.ReturnStmt) string {
	if len(s.Results) != 1 || e.fn.through || e.fn.signature.Results().Len() != 1 {
		return ""
	}
	f, operands := e.chosen(s.Results[0], e.fn.signature.Results().At(0).Type())
	if f == nil {
		return ""
	}
	return f.decision.emit(e.within(f, operands), func(value string) string { return "return " + value })
}
