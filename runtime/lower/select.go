package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A choice is the state of a select statement being emitted.
type choice struct {
	e      *emitter
	before strings.Builder // what runs before the select
	// number holds the number of the clause that was chosen, "" if the clauses run in the
	// select itself.
	number string
}

// selectStatement emits a select. The interpreter sends only plain variables right and
// receives only into new ones, so that values are computed before and stored after. It
// also loses its way when a clause jumps; then the select only chooses, and a switch
// behind it runs the clauses.
func (e *emitter) selectStatement(s *ast.SelectStmt, label string) string {
	w := &choice{e: e}
	j := &jump{label: label, inSelect: true}
	if jumps(s.Body) {
		w.number, j.inSelect = e.temporary("n"), false
		fmt.Fprintf(&w.before, "%s := 0\n", w.number)
	}
	e.enter(j)
	var clauses, bodies strings.Builder
	for i, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		header, stores, first := w.communication(clause.Comm)
		e.line = 0
		body := first + clauseBody(e.statements(clause.Body))
		if w.number != "" {
			fmt.Fprintf(&bodies, "case %d:\n%s", i+1, body)
			body = fmt.Sprintf("%s%s = %d\n", stores, w.number, i+1)
		} else if body == "" {
			body = "_ = 0\n" // the interpreter fails on an empty clause
		}
		clauses.WriteString(header + ":\n" + body)
	}
	text := "select {\n" + clauses.String() + "}"
	if w.number != "" {
		w.before.WriteString(text + "\n")
		text = "switch " + w.number + " {\n" + bodies.String() + "}"
	}
	text = e.exit(j, text)
	if w.before.Len() > 0 {
		return "{\n" + w.before.String() + text + "\n}"
	}
	return text
}

// jumps tells whether a body holds a statement that may jump out of it.
func jumps(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			found = found || n.Tok != token.FALLTHROUGH
		}
		return !found
	})
	return found
}

// communication emits the header of a clause, what it stores in variables declared before
// the select, and what the statements of the clause must do first.
func (w *choice) communication(comm ast.Stmt) (header, stores, first string) {
	e := w.e
	switch comm := comm.(type) {
	case nil:
		return "default", "", ""
	case *ast.SendStmt:
		element := coreType(e.typeOf(comm.Chan)).(*types.Chan).Elem()
		channel, value := e.temporary("c"), e.temporary("s")
		fmt.Fprintf(&w.before, "%s := %s\nvar %s %s\n%s = %s\n", channel, e.channel(comm.Chan), value, e.spell(element), value, e.convert(comm.Value, element))
		return "case " + channel + " <- " + value, "", ""
	case *ast.ExprStmt:
		return "case <-" + w.channel(comm.X), "", ""
	}
	a := comm.(*ast.AssignStmt)
	from := w.channel(a.Rhs[0])
	element := coreType(e.typeOf(ast.Unparen(a.Rhs[0]).(*ast.UnaryExpr).X)).(*types.Chan).Elem()
	kinds := []types.Type{element, types.Typ[types.Bool]}
	var names []string
	for i, x := range a.Lhs {
		var to place
		if to = e.placeOf(x, a.Tok); to.fresh {
			to.text = e.define(e.src.info.Defs[x.(*ast.Ident)].(*types.Var))
		}
		name := e.temporary("t")
		names = append(names, name)
		if to.typ == nil {
			continue
		}
		if w.number != "" {
			received := name
			name = e.temporary("t")
			fmt.Fprintf(&w.before, "var %s %s\n", name, e.spell(kinds[i]))
			stores += name + " = " + received + "\n"
		}
		first += e.storeOne(to, e.convertText(name, kinds[i], to.typ)) + "\n"
	}
	return "case " + strings.Join(names, ", ") + " := <-" + from, stores, first
}

// channel evaluates the channel of a receive before the select.
func (w *choice) channel(x ast.Expr) string {
	name := w.e.temporary("c")
	fmt.Fprintf(&w.before, "%s := %s\n", name, w.e.channel(ast.Unparen(x).(*ast.UnaryExpr).X))
	return name
}
