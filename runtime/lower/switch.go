package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
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

// A switchTag is how the cases of an expression switch are compared.
type switchTag struct {
	text string     // the tag, "" if there is none
	typ  types.Type // of the tag
	// inInterfaces compares interface values; references are compared one by one,
	// because a case may be nil.
	inInterfaces, references bool
}

// conditions tells that cases are conditions, and not values to compare with the tag.
func (t *switchTag) conditions() bool { return t.inInterfaces || t.references || t.text == "" }

// switchStatement emits an expression switch.
func (e *emitter) switchStatement(s *ast.SwitchStmt, label string) string {
	open, end := e.header(s.Init)
	tag := &switchTag{}
	if s.Tag != nil {
		before := e.tagOf(s, tag)
		if open += before; end == "" && before != "" {
			open, end = "{\n"+open, "\n}"
		}
	}
	j := &jump{label: label}
	e.enter(j)
	clauses := s.Body.List
	tests := make([][]string, len(clauses))
	for i, c := range clauses {
		tests[i] = e.cases(c.(*ast.CaseClause), tag)
	}
	header, before := "switch {\n", ""
	if !tag.conditions() {
		header = "switch " + tag.text + " {\n"
	}
	if e.byNumber(s) {
		number := e.temporary("n")
		before, header = e.clauseNumber(number, tag, tests), "switch "+number+" {\n"
		for i := range tests {
			tests[i] = []string{fmt.Sprint(i + 1)}
		}
	}
	first := e.pollAtHead(headerOf(s)...)
	var b strings.Builder
	last := ""
	for i, c := range clauses {
		e.line = 0
		text := caseHeader(tests[i]) + clauseBody(first+e.statements(c.(*ast.CaseClause).Body))
		if tests[i] == nil {
			last = text // the interpreter would exchange it with the last clause, which changes their order
			continue
		}
		b.WriteString(text)
	}
	b.WriteString(last)
	text := header + b.String() + "}"
	if len(clauses) == 0 && tag.text != "" {
		text = "_ = " + tag.text // the interpreter does not evaluate the tag of an empty switch
	}
	text = e.exit(j, text)
	if before != "" {
		text = "{\n" + before + text + "\n}"
	}
	return open + text + end
}

// tagOf finds out how to compare, and emits what must happen before the switch.
func (e *emitter) tagOf(s *ast.SwitchStmt, tag *switchTag) (before string) {
	tag.typ = e.typeOf(s.Tag)
	if b, ok := tag.typ.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		tag.typ = types.Default(tag.typ)
	}
	tag.inInterfaces = isInterface(tag.typ) || e.hasInterfaceCase(s)
	switch tag.typ.Underlying().(type) {
	case *types.Slice, *types.Map, *types.Signature, *types.Chan, *types.Pointer:
		tag.references = !tag.inInterfaces
	}
	e.inHeader++
	tag.text = e.convert(s.Tag, tag.typ)
	if !tag.inInterfaces {
		tag.text = e.compared(s.Tag, tag.text)
	}
	e.inHeader--
	if !tag.inInterfaces && !tag.references && !e.byNumber(s) {
		return ""
	}
	if tag.inInterfaces {
		tag.text = e.convertConstant(tag.text, tag.typ, universeAny) // it may be one
	}
	name := e.temporary("tag")
	before = name + " := " + tag.text + "\n"
	tag.text = name
	return before
}

// cases emits the tests of one clause; nil for the default clause.
func (e *emitter) cases(clause *ast.CaseClause, tag *switchTag) []string {
	var list []string
	for _, x := range clause.List {
		switch {
		case tag.inInterfaces && isUntypedNil(e.typeOf(x)) && !isInterface(tag.typ):
			list = append(list, fmt.Sprintf("%s.Equal(%s, %s)", support, tag.text, e.convertConstant(e.null(tag.typ), tag.typ, universeAny)))
		case tag.inInterfaces:
			list = append(list, fmt.Sprintf("%s.Equal(%s, %s)", support, tag.text, e.convert(x, universeAny)))
		case tag.references:
			list = append(list, e.sameReference(tag.text, x, tag.typ))
		case tag.text == "" && isInterface(e.typeOf(x)):
			list = append(list, support+".Equal(true, "+e.x(x)+")")
		case tag.text == "":
			list = append(list, e.condition(x))
		default:
			list = append(list, e.compared(x, e.x(x)))
		}
		if n := len(list) - 1; len(clause.List) > 1 && tag.conditions() {
			list[n] = e.firstOperand(x, list[n], types.Typ[types.Bool])
		} else if len(clause.List) > 1 {
			list[n] = e.firstOperand(x, list[n], tag.typ)
		}
	}
	if len(list) > 1 && tag.conditions() {
		return []string{strings.Join(list, " || ")} // of several conditions the interpreter takes the first
	}
	return list
}

// clauseNumber emits the choice of a clause by its number, counted from 1.
func (e *emitter) clauseNumber(number string, tag *switchTag, tests [][]string) string {
	var b strings.Builder
	otherwise := 0
	for i, list := range tests {
		if list == nil {
			otherwise = i + 1
		}
	}
	fmt.Fprintf(&b, "%s := %d\n", number, otherwise)
	first := true
	for i, list := range tests {
		if list == nil {
			continue
		}
		var conditions []string
		for _, test := range list {
			if !tag.conditions() {
				test = "(" + tag.text + " == " + test + ")"
			}
			conditions = append(conditions, test)
		}
		if !first {
			b.WriteString(" else ")
		}
		first = false
		fmt.Fprintf(&b, "if %s {\n%s = %d\n}", strings.Join(conditions, " || "), number, i+1)
	}
	b.WriteString("\n")
	return b.String()
}

// byNumber tells whether the number of the clause must be found before the switch. With
// fallthrough the interpreter handles a default only as the last clause, and of several
// expressions in one clause that are not constant it compares the first alone; complex
// constants are made by a call.
func (e *emitter) byNumber(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		list := c.(*ast.CaseClause).List
		for _, x := range list {
			if len(list) > 1 && s.Tag != nil && (e.src.info.Types[x].Value == nil || isComplex(e.typeOf(x))) {
				return true
			}
		}
	}
	return fallsAroundDefault(s)
}

// fallsAroundDefault tells whether a switch has a fallthrough, and a default clause that
// is not its last.
func fallsAroundDefault(s *ast.SwitchStmt) bool {
	falls, early := false, false
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		early = early || clause.List == nil && i < len(s.Body.List)-1
		if n := len(clause.Body); n > 0 {
			b, ok := clause.Body[n-1].(*ast.BranchStmt)
			falls = falls || ok && b.Tok == token.FALLTHROUGH
		}
	}
	return falls && early
}

// sameReference compares the tag of a switch with a case that is nil, a pointer or a channel.
func (e *emitter) sameReference(tag string, x ast.Expr, tagType types.Type) string {
	t := e.typeOf(x)
	if isUntypedNil(t) {
		return "(" + tag + " == nil)"
	}
	text := e.compared(x, e.x(x))
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

var labelLine = regexp.MustCompile(`(?m)^[\pL_][\pL\d_]*:$`)

// clauseBody puts the statements of a clause into a block if there is a label among them,
// which the interpreter does not find in a clause.
func clauseBody(text string) string {
	if !labelLine.MatchString(text) {
		return text
	}
	text, falls := strings.CutSuffix(text, "fallthrough\n")
	text = "{\n" + text + "}\n"
	if falls {
		text += "fallthrough\n"
	}
	return text
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
	open += e.pollAtHead(present(s.Init, operand)...)
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
		before := e.clauseVariable(clause, [2]string{original, value}, from, kinds)
		b.WriteString(before + clauseBody(e.statements(clause.Body)))
	}
	text := "switch " + e.u.switchTable(clauses).on(value) + " {\n" + b.String() + "}"
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
			text = e.assert(values[1], universeAny, t, false)
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

// switchTable is the operation that chooses the clause of a type switch. Its table is filled when
// the switch first runs, when all real types are there.
func (u *unit) switchTable(clauses [][]types.Type) operation {
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
	return u.s.operation("O", reflect.TypeFor[int](), func(from, to reflect.Value) { to.SetInt(int64(realtype.Pick(table, from.Interface()))) })
}

func isComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}
