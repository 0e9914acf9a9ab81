package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"gosphere/runtime/realtype"
)

// header emits the init statement of a switch in a block around it.
func (e *emitter) header(init ast.Stmt) (open, end string) {
	if init == nil {
		return "", ""
	}
	return "{\n" + e.simple(init) + "\n", "\n}"
}

// switchStatement emits an expression switch.
func (e *emitter) switchStatement(s *ast.SwitchStmt, label string) string {
	open, end := e.header(s.Init)
	tag, tagType := "", types.Type(nil)
	compare, onlyNil := false, false
	if s.Tag != nil {
		tagType = e.typeOf(s.Tag)
		if b, ok := tagType.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			tagType = types.Default(tagType)
		}
		compare = isInterface(tagType) || e.hasInterfaceCase(s)
		switch tagType.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Signature, *types.Chan, *types.Pointer:
			onlyNil = true
		}
		e.inHeader++
		tag = e.convert(s.Tag, tagType)
		e.inHeader--
		if compare || onlyNil {
			name := e.temporary("tag")
			if compare {
				tag = e.convertText(tag, tagType, universeAny)
			}
			open += name + " := " + tag + "\n"
			if end == "" {
				open, end = "{\n"+open, "\n}"
			}
			tag = name
		}
	}
	j := &jump{label: label}
	e.enter(j)
	var b strings.Builder
	if compare || onlyNil || tag == "" {
		b.WriteString("switch {\n")
	} else {
		b.WriteString("switch " + tag + " {\n")
	}
	for _, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		var cases []string
		for _, x := range clause.List {
			switch {
			case compare:
				cases = append(cases, fmt.Sprintf("%s.Equal(%s, %s)", support, tag, e.convert(x, universeAny)))
			case onlyNil:
				cases = append(cases, e.sameReference(tag, x, tagType))
			default:
				cases = append(cases, e.x(x))
			}
		}
		if len(cases) > 1 && (compare || onlyNil || tag == "") {
			cases = []string{strings.Join(cases, " || ")} // of several conditions the interpreter takes the first
		}
		e.line = 0
		b.WriteString(caseHeader(cases) + e.statements(clause.Body))
	}
	b.WriteString("}")
	return open + e.exit(j, b.String()) + end
}

// sameReference compares the tag of a switch with a case that is nil, a pointer or a channel.
func (e *emitter) sameReference(tag string, x ast.Expr, tagType types.Type) string {
	t := e.typeOf(x)
	if isUntypedNil(t) {
		return "(" + tag + " == nil)"
	}
	text := e.x(x)
	c, isChannel := t.Underlying().(*types.Chan)
	if d, ok := tagType.Underlying().(*types.Chan); ok && isChannel && c.Dir() != d.Dir() {
		if d.Dir() == types.SendRecv {
			tag = e.converter(t) + "(" + tag + ")"
		} else {
			text = e.converter(tagType) + "(" + text + ")"
		}
	}
	return "(" + tag + " == " + text + ")"
}

func caseHeader(cases []string) string {
	if cases == nil {
		return "default:\n"
	}
	return "case " + strings.Join(cases, ", ") + ":\n"
}

func (e *emitter) hasInterfaceCase(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if isInterface(e.typeOf(x)) {
				return true
			}
		}
	}
	return false
}

// typeSwitch emits a type switch: one compiled call finds the number of the clause by the
// real types.
func (e *emitter) typeSwitch(s *ast.TypeSwitchStmt, label string) string {
	var operand ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		operand = a.Rhs[0].(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		operand = ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	}
	open, end := e.header(s.Init)
	if end == "" {
		open, end = "{\n", "\n}"
	}
	value := e.temporary("v")
	from := e.typeOf(operand)
	original := value
	e.inHeader++
	if isEmptyInterface(from) {
		open += value + " := " + e.x(operand) + "\n_ = " + value + "\n"
	} else { // assertions want a plain interface{}
		original = e.temporary("v")
		open += original + " := " + e.x(operand) + "\nvar " + value + " interface{}\n" + value + " = " + original + "\n"
	}
	e.inHeader--
	j := &jump{label: label}
	e.enter(j)
	var clauses [][]types.Type
	var b strings.Builder
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		var kinds []types.Type
		for _, x := range clause.List {
			kinds = append(kinds, e.typeOf(x))
		}
		clauses = append(clauses, kinds)
		if clause.List == nil {
			b.WriteString("default:\n")
		} else {
			fmt.Fprintf(&b, "case %d:\n", i+1)
		}
		e.line = 0
		b.WriteString(e.clauseVariable(clause, [2]string{original, value}, from, kinds))
		b.WriteString(e.statements(clause.Body))
	}
	text := fmt.Sprintf("switch %s.Pick(%s, %s) {\n%s}", support, e.u.switchTable(clauses), value, b.String())
	return open + e.exit(j, text) + end
}

// clauseVariable declares the variable of a type switch in one clause, from the value as
// it is and as an interface{}.
func (e *emitter) clauseVariable(clause *ast.CaseClause, values [2]string, operand types.Type, kinds []types.Type) string {
	v, ok := e.src.info.Implicits[clause].(*types.Var)
	if !ok || !e.uses(clause, v) {
		return ""
	}
	text, t := values[0], operand
	if len(kinds) == 1 && !isUntypedNil(kinds[0]) {
		t = kinds[0]
		if !types.Identical(t, operand) {
			text = e.assert(values[1], t, false)
		}
	}
	return e.storeOne(place{text: e.define(v), typ: t, fresh: true, shared: e.shared[v]}, text) + "\n"
}

func (e *emitter) uses(clause *ast.CaseClause, v *types.Var) bool {
	found := false
	for _, s := range clause.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && e.src.info.Uses[id] == v {
				found = true
			}
			return !found
		})
	}
	return found
}

// switchTable exports the table of a type switch. It is filled when the switch first
// runs, when all real types are there.
func (u *unit) switchTable(clauses [][]types.Type) string {
	name := "W" + localMark + strings.TrimPrefix(u.s.global(""), globalMark)
	var list [][]reflect.Type
	u.later = append(u.later, func() {
		for _, kinds := range clauses {
			reals := []reflect.Type{}
			for _, t := range kinds {
				if isUntypedNil(t) {
					reals = append(reals, nil)
				} else {
					reals = append(reals, u.real(t))
				}
			}
			list = append(list, reals)
		}
	})
	table := realtype.NewSwitch(func() [][]reflect.Type { return list })
	u.s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{name: reflect.ValueOf(table)})
	return cells + "." + name
}

// selectStatement emits a select. The interpreter sends only plain variables right and
// receives only into new ones, so that values are computed before and stored after.
func (e *emitter) selectStatement(s *ast.SelectStmt, label string) string {
	j := &jump{label: label, inSelect: true}
	e.enter(j)
	var before, b strings.Builder
	for _, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		first := ""
		switch comm := clause.Comm.(type) {
		case nil:
			b.WriteString("default:\n")
		case *ast.SendStmt:
			element := coreType(e.typeOf(comm.Chan)).(*types.Chan).Elem()
			channel, value := e.temporary("c"), e.temporary("s")
			fmt.Fprintf(&before, "%s := %s\nvar %s %s\n%s = %s\n", channel, e.x(comm.Chan), value, e.spell(element), value, e.convert(comm.Value, element))
			fmt.Fprintf(&b, "case %s <- %s:\n", channel, value)
		default:
			header, after := e.receive(clause.Comm, &before)
			b.WriteString("case " + header + ":\n")
			first = after
		}
		e.line = 0
		body := first + e.statements(clause.Body)
		if body == "" {
			body = "_ = 0\n" // the interpreter fails on an empty clause
		}
		b.WriteString(body)
	}
	text := e.exit(j, "select {\n"+b.String()+"}")
	if before.Len() > 0 {
		return "{\n" + before.String() + text + "\n}"
	}
	return text
}

// receive emits the receiving clause of a select, and what stores the value.
func (e *emitter) receive(comm ast.Stmt, before *strings.Builder) (header, after string) {
	channel := func(x ast.Expr) string {
		name := e.temporary("c")
		fmt.Fprintf(before, "%s := %s\n", name, e.x(ast.Unparen(x).(*ast.UnaryExpr).X))
		return name
	}
	a, ok := comm.(*ast.AssignStmt)
	if !ok {
		return "<-" + channel(comm.(*ast.ExprStmt).X), ""
	}
	from := channel(a.Rhs[0])
	element := coreType(e.typeOf(ast.Unparen(a.Rhs[0]).(*ast.UnaryExpr).X)).(*types.Chan).Elem()
	kinds := []types.Type{element, types.Typ[types.Bool]}
	var names []string
	var lines strings.Builder
	for i, x := range a.Lhs {
		var to place
		if to = e.placeOf(x, a.Tok); to.fresh {
			to.text = e.define(e.src.info.Defs[x.(*ast.Ident)].(*types.Var))
		}
		name := e.temporary("t")
		names = append(names, name)
		if to.typ != nil {
			lines.WriteString(e.storeOne(to, e.convertText(name, kinds[i], to.typ)) + "\n")
		}
	}
	return strings.Join(names, ", ") + " := <-" + from, lines.String()
}
