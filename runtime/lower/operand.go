package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// address emits a pointer to what the text stands for.
func address(text string) string {
	if strings.HasPrefix(text, "(*") && matching(text) {
		return text[2 : len(text)-1]
	}
	return "&" + text
}

// matching tells whether the first parenthesis of text closes at its end.
func matching(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '`', '\'':
			i = literalEnd(text, i)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}

// literalEnd is the index of the quote that ends the literal which begins at i.
func literalEnd(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}

// alone emits an expression beside which there is no operator. Parentheses around it would
// cost the interpreter a step, and often a place for the result.
func (e *emitter) alone(x ast.Expr) string {
	text := e.x(x)
	if e.src.info.Types[x].Value != nil {
		return text
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			return bareText(text)
		}
	case *ast.CallExpr:
		if e.formula(x) != nil {
			return bareText(text)
		}
	case *ast.UnaryExpr:
		if x.Op != token.ARROW && x.Op != token.AND {
			return bareText(text)
		}
	}
	return text
}

// bareText takes parentheses around the whole text away.
func bareText(text string) string {
	if strings.HasPrefix(text, "(") && matching(text) {
		return text[1 : len(text)-1]
	}
	return text
}

// operandOf takes the parentheses around an operand away where operators bind as they would with them.
func (e *emitter) operandOf(operator token.Token, x ast.Expr, text string, right bool) string {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || e.src.info.Types[x].Value != nil || !plainOperator[b.Op] {
		return text
	}
	if inner, outer := b.Op.Precedence(), operator.Precedence(); inner < outer || inner == outer && right {
		return text
	}
	return bareText(text)
}

// plainOperator has the operators whose operands are of one type.
var plainOperator = map[token.Token]bool{
	token.ADD: true, token.SUB: true, token.MUL: true, token.QUO: true, token.REM: true,
	token.AND: true, token.OR: true, token.XOR: true, token.AND_NOT: true,
}

// firstOperand emits an operand, of type t, of && or || with others behind it. If it holds a composite
// literal, a type that is written out with fields or parameters, an element of what an assertion gives or an argument that is an
// interface value a call gives, the interpreter goes on from the wrong value.
func (e *emitter) firstOperand(x ast.Expr, text string, t types.Type) string {
	if _, assertion := ast.Unparen(x).(*ast.TypeAssertExpr); assertion && isBoolean(t) {
		return "(" + text + " == true)" // by itself it would be taken for true
	}
	if e.src.info.Types[x].Value != nil { // len([3]int{})
		return text
	}
	found := writtenType.MatchString(text)
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			found = true
		case *ast.IndexExpr:
			_, assertion := ast.Unparen(n.X).(*ast.TypeAssertExpr)
			found = found || assertion
		case *ast.CallExpr:
			found = found || slices.ContainsFunc(n.Args, e.givesInterface)
		}
		return !found
	})
	if !found {
		return text
	}
	return "func() " + e.spell(t) + " { return " + text + " }()"
}

// givesInterface tells whether an expression is a call, a conversion or an assertion of an interface type.
func (e *emitter) givesInterface(x ast.Expr) bool {
	switch ast.Unparen(x).(type) {
	case *ast.CallExpr, *ast.TypeAssertExpr:
		return isInterface(e.typeOf(x))
	}
	return false
}

// writtenType finds such a type, and that of a channel, in emitted text.
var writtenType = regexp.MustCompile(`\bstruct \{|\bchan |\(func\(`)

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}
