package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// A choice is the state of a select statement being emitted.
type choice struct {
	e         *emitter
	before    strings.Builder // what runs before the choice
	clauses   strings.Builder // a letter for each clause, see guard.choose
	arguments []string        // what belongs to the clauses
}

// selectStatement emits a select: a call chooses a clause and sends or receives, and a switch
// behind it runs the clause. What is sent is in variables before, what is received is stored
// from variables by the clause.
func (e *emitter) selectStatement(s *ast.SelectStmt, label string) string {
	w := &choice{e: e}
	j := &jump{label: label}
	e.enter(j)
	var bodies strings.Builder
	for i, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		first := w.communication(clause.Comm)
		e.line = 0
		fmt.Fprintf(&bodies, "case %d:\n%s", i+1, first+clauseBody(e.statements(clause.Body)))
	}
	arguments := append([]string{strconv.Quote(w.clauses.String())}, w.arguments...)
	chosen := support + ".Choose(" + strings.Join(arguments, ", ") + ")"
	if bodies.Len() > 0 { // the interpreter does not evaluate what an empty switch is about
		chosen = "switch " + chosen + " {\n" + bodies.String() + "}"
	}
	text := e.exit(j, chosen)
	if w.before.Len() > 0 {
		return "{\n" + w.before.String() + text + "\n}"
	}
	return text
}

// communication notes the communication of a clause and returns what the statements of the
// clause must do first.
func (w *choice) communication(comm ast.Stmt) (first string) {
	e := w.e
	switch comm := comm.(type) {
	case nil:
		w.note('d')
		return ""
	case *ast.SendStmt:
		element := coreType(e.typeOf(comm.Chan)).(*types.Chan).Elem()
		channel, value := e.temporary("c"), e.temporary("s")
		fmt.Fprintf(&w.before, "%s := %s\nvar %s %s\n", channel, e.channel(comm.Chan), value, e.spell(element))
		w.before.WriteString(e.assign([]place{{text: value, typ: element, kept: true}}, []ast.Expr{comm.Value}) + "\n")
		w.note('s', channel, "&"+value)
		return ""
	case *ast.ExprStmt:
		w.note('r', w.channel(comm.X))
		return ""
	}
	a := comm.(*ast.AssignStmt)
	arguments := []string{w.channel(a.Rhs[0])}
	element := coreType(e.typeOf(ast.Unparen(a.Rhs[0]).(*ast.UnaryExpr).X)).(*types.Chan).Elem()
	kinds := []types.Type{element, types.Typ[types.Bool]}
	letter := 0 // of "rvkb": 1 for the value, 2 for whether there is one
	for i, x := range a.Lhs {
		var to place
		if to = e.placeOf(x, a.Tok); to.fresh {
			to.text = e.define(e.src.info.Defs[x.(*ast.Ident)].(*types.Var))
		}
		if to.typ == nil {
			continue
		}
		letter |= 1 << i
		name := e.temporary("t")
		fmt.Fprintf(&w.before, "var %s %s\n", name, e.spell(kinds[i]))
		arguments = append(arguments, "&"+name)
		first += e.storeOne(to, e.convertText(name, kinds[i], to.typ)) + "\n"
	}
	w.note("rvkb"[letter], arguments...)
	return first
}

// note adds a clause to what the choosing call is told.
func (w *choice) note(letter byte, arguments ...string) {
	w.clauses.WriteByte(letter)
	w.arguments = append(w.arguments, arguments...)
}

// channel evaluates the channel of a receive before the select.
func (w *choice) channel(x ast.Expr) string {
	name := w.e.temporary("c")
	fmt.Fprintf(&w.before, "%s := %s\n", name, w.e.channel(ast.Unparen(x).(*ast.UnaryExpr).X))
	return name
}
