package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// separateList handles a last statement that is a list of expressions, such as a, b. It replaces
// the commas by semicolons, so that the parser accepts the expressions as statements at their
// positions. It returns the number of expressions, or 0 for any other statement. For instance
// "f(x), y" becomes "f(x); y", two statements, which joinList joins to []any{f(x), y}. The text is
// only separated if all of it parses as arguments of a call, so "a, b := f()" is left alone.
// Semicolons have the size of commas, so positions stay.
func separateList(statements []byte, pieces []Piece) int {
	if len(pieces) == 0 || pieces[len(pieces)-1].Kind != Statement {
		return 0
	}
	last := pieces[len(pieces)-1]
	text := string(statements[last.Code:last.CodeEnd])
	var commas []int
	depth := 0
	for _, l := range scan(text) {
		switch l.token {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.COMMA:
			if depth == 0 {
				commas = append(commas, last.Code+l.start)
			}
		}
	}
	if len(commas) == 0 {
		return 0
	}
	// The commas at depth 0 are then those between the arguments, and f(a, b...) is excluded.
	x, err := parser.ParseExpr("f(" + text + ")")
	if err != nil {
		return 0
	}
	call, ok := x.(*ast.CallExpr)
	if !ok || len(call.Args) != len(commas)+1 || call.Ellipsis.IsValid() {
		return 0
	}
	for _, at := range commas {
		statements[at] = ';'
	}
	return len(call.Args)
}

// joinList replaces the last n statements, which are expressions, by one: a slice of their values.
// The element type is written as interface{} in syntax, because a cell may declare the name any.
// All positions of the literal are those of the first and the last value.
func joinList(body *ast.BlockStmt, n int) {
	first := len(body.List) - n
	var values []ast.Expr
	for _, statement := range body.List[first:] {
		x, ok := statement.(*ast.ExprStmt)
		if !ok {
			return
		}
		values = append(values, x.X)
	}
	from, to := values[0].Pos(), values[n-1].End()
	element := &ast.InterfaceType{Interface: from, Methods: &ast.FieldList{Opening: from, Closing: from}}
	list := &ast.CompositeLit{Type: &ast.ArrayType{Lbrack: from, Elt: element}, Lbrace: from, Elts: values, Rbrace: to - 1}
	body.List = append(body.List[:first:first], &ast.ExprStmt{X: list})
}
