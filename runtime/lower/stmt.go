package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// statements emits a list of statements.
func (e *emitter) statements(list []ast.Stmt) string {
	var b strings.Builder
	for _, s := range list {
		text := e.statement(s)
		if text == "" {
			continue
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return b.String()
}

func (e *emitter) block(b *ast.BlockStmt) string { return "{\n" + e.statements(b.List) + "}" }

// statement emits one statement, with the mark of its line if it may panic.
func (e *emitter) statement(s ast.Stmt) string {
	s, target, label := e.unlabelled(s)
	outer := e.holding
	e.holding = &holding{from: s.Pos()}
	defer func() { e.holding = outer }()
	mark, ask := "", e.askBefore(s)
	text := e.withCalmOutput(s, func() string {
		return e.withSteadyLine(s, func() string {
			mark = e.mark(s)
			emit := func() string {
				checks := e.checks(s) + e.sizeCheck(s)
				if text := e.bareStatement(s, label); text != "" {
					return checks + text
				}
				return ""
			}
			if label != "" { // which can stand in one place only
				return e.callsFirst(s) + emit()
			}
			return e.callsFirst(s) + e.split(s, emit)
		})
	})
	e.afterStatement(s)
	behind := e.pollBehind(s)
	e.polled = false
	if text == "" {
		return target
	}
	return target + ask + mark + e.holding.text(e) + text + strings.TrimSuffix("\n"+behind, "\n")
}

// bareStatement emits a statement with the label that stands before it.
func (e *emitter) bareStatement(s ast.Stmt, label string) string {
	if text, ok := e.liftedStatement(s); ok {
		return text
	}
	switch s := s.(type) {
	case *ast.ForStmt:
		return e.forLoop(s, label)
	case *ast.RangeStmt:
		return e.rangeLoop(s, label)
	case *ast.SwitchStmt:
		return e.switchStatement(s, label)
	case *ast.TypeSwitchStmt:
		return e.typeSwitch(s, label)
	case *ast.SelectStmt:
		return e.selectStatement(s, label)
	case *ast.BlockStmt:
		return e.block(s)
	case *ast.IfStmt:
		return e.ifStatement(s, "")
	case *ast.BranchStmt:
		return e.branchStatement(s)
	case *ast.ReturnStmt:
		return e.returnStatement(s)
	case *ast.DeclStmt:
		return e.localDeclaration(s.Decl.(*ast.GenDecl))
	case *ast.GoStmt:
		return e.goStatement(s)
	case *ast.DeferStmt:
		return e.deferral(s)
	case *ast.AssignStmt:
		if text := e.assignedDecision(s); text != "" {
			return text
		}
	}
	return e.simple(s)
}

// simple emits the statements that can stand in the header of another.
func (e *emitter) simple(s ast.Stmt) string {
	switch s := s.(type) {
	case nil:
		return ""
	case *ast.EmptyStmt:
		if s == e.u.checked.Initialized {
			e.line = 0
			return strings.Join(e.u.inits, "()\n") + "()"
		}
		return ""
	case *ast.ExprStmt:
		return e.expressionStatement(s)
	case *ast.AssignStmt:
		return e.assignment(s)
	case *ast.IncDecStmt:
		if e.maps != mapsPlain && e.isMapIndex(s.X) {
			return e.change(s.X, map[token.Token]token.Token{token.INC: token.ADD_ASSIGN, token.DEC: token.SUB_ASSIGN}[s.Tok], "1")
		}
		return e.x(s.X) + s.Tok.String()
	case *ast.SendStmt:
		element := coreType(e.typeOf(s.Chan)).(*types.Chan).Elem()
		return e.channel(s.Chan) + " <- " + e.convert(s.Value, element)
	}
	panic(refuse(s.Pos(), "this statement cannot be used in cells (%T)", s))
}

func (e *emitter) expressionStatement(s *ast.ExprStmt) string {
	if e.u.value != nil && s.X == e.u.value {
		if _, tuple := e.typeOf(s.X).(*types.Tuple); !tuple && e.typeOf(s.X) != nil {
			if isUntypedNil(e.typeOf(s.X)) {
				return support + ".Result(nil)"
			}
			if e.u.checked.OnlyFails() {
				return support + ".Results(true, false, " + e.convert(s.X, universeAny) + ")"
			}
			return support + ".Result(" + e.convert(s.X, universeAny) + ")"
		}
	}
	x := ast.Unparen(s.X)
	if e.u.results != nil && s.X == e.u.results {
		return e.showResults(x)
	}
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return "<-" + e.x(u.X)
	}
	if call, ok := x.(*ast.CallExpr); ok && e.formula(call) == nil && e.computation(call) == "" {
		return e.x(x)
	}
	return "_ = " + e.x(x)
}

// ifStatement emits an if statement. Head is what stands at the head of its blocks.
func (e *emitter) ifStatement(s *ast.IfStmt, head string) string {
	text := "if "
	open, end := "", ""
	outer := e.maps
	if e.headerMaps != mapsUndecided {
		e.maps, e.headerMaps = e.headerMaps, mapsUndecided
	}
	if s.Init != nil {
		e.inHeader++
		init := e.simple(s.Init)
		e.inHeader--
		if strings.Contains(init, "\n") {
			open, end = "{\n"+init+"\n", "\n}"
		} else if init != "" {
			text += init + "; "
		}
	}
	e.inHeader++
	condition := e.condition(s.Cond)
	e.inHeader--
	e.maps = outer
	if head == "" {
		head = e.pollAtHead(headerOf(s)...)
	}
	text += condition + " {\n" + head + e.statements(s.Body.List) + "}"
	e.line = 0
	switch other := s.Else.(type) {
	case nil:
	case *ast.IfStmt:
		if inner := e.ifStatement(other, head); strings.HasPrefix(inner, "if ") {
			text += " else " + inner
		} else {
			text += " else {\n" + inner + "\n}"
		}
	case *ast.BlockStmt:
		text += " else {\n" + head + e.statements(other.List) + "}"
	}
	return open + text + end
}

// condition emits the condition of a statement. The interpreter takes an assertion by
// itself for true.
func (e *emitter) condition(x ast.Expr) string {
	text := e.alone(x)
	if _, assertion := ast.Unparen(x).(*ast.TypeAssertExpr); assertion {
		return "(" + text + " == true)"
	}
	return text
}

// localDeclaration emits a declaration inside a function. Types are emitted where they
// are used, constants are folded.
func (e *emitter) localDeclaration(d *ast.GenDecl) string {
	if d.Tok != token.VAR {
		return ""
	}
	var lines []string
	for _, spec := range d.Specs {
		if text := e.variableSpec(spec.(*ast.ValueSpec)); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func (e *emitter) variableSpec(s *ast.ValueSpec) string {
	if len(s.Values) == 0 {
		var lines []string
		for _, name := range s.Names {
			lines = append(lines, e.declareZero(name))
		}
		return strings.Join(lines, "\n")
	}
	var left []place
	for _, name := range s.Names {
		left = append(left, e.definedPlace(name))
	}
	return e.assignTo(left, s.Names, s.Values)
}

// declareZero emits var x T.
func (e *emitter) declareZero(name *ast.Ident) string {
	v, ok := e.src.info.Defs[name].(*types.Var)
	if !ok || name.Name == "_" {
		return ""
	}
	if e.isSession(v) {
		return e.variable(v) + " = " + e.zero(e.typ(v.Type()))
	}
	t := e.typ(v.Type())
	defined := e.define(v)
	if e.shared[v] {
		return defined + " := new(" + e.spell(t) + ")"
	}
	return "var " + defined + " " + e.spell(t)
}

// isSession tells whether a variable is one of the session's.
func (e *emitter) isSession(v *types.Var) bool { return e.u.s.symbol(v, e.src.checked) != nil }

// returnStatement emits return, by way of result variables where the body runs inside a
// closure.
func (e *emitter) returnStatement(s *ast.ReturnStmt) string {
	fn := e.fn
	signature := fn.signature
	leave := e.leave()
	if len(s.Results) == 0 || signature.Results().Len() == 0 {
		return leave
	}
	if text := e.returnedDecision(s); text != "" {
		return text
	}
	if !fn.through {
		if len(s.Results) == 1 && signature.Results().Len() > 1 {
			return e.returnCall(s.Results[0], signature)
		}
		var out []string
		for i, r := range s.Results {
			text := e.returned(r, signature.Results().At(i).Type())
			if len(s.Results) > 1 && e.isOperation(r) {
				text = "(" + text + ")" // without parentheses it would go where a result goes, to the first even
			}
			out = append(out, text)
		}
		return e.giveBack(s.Results, out)
	}
	var left []place
	for i, name := range fn.results {
		left = append(left, place{text: name, typ: signature.Results().At(i).Type(), kept: true})
	}
	if e.returnsDeclared(s) {
		var values []string
		for i, r := range s.Results {
			values = append(values, e.returned(r, left[i].typ))
		}
		return "{\n" + e.store(left, values) + "\n" + leave + "\n}"
	}
	return "{\n" + e.assign(left, s.Results) + "\n" + leave + "\n}"
}

// giveBack emits a return of the given values. The interpreter notes in the type of each what it has returned. Of the type of a
// function that it reads from somewhere it would think later that it were generic, so such a value goes through a variable.
func (e *emitter) giveBack(results []ast.Expr, values []string) string {
	through := false
	for i, r := range results {
		_, function := e.fn.signature.Results().At(i).Type().Underlying().(*types.Signature)
		_, literal := ast.Unparen(r).(*ast.FuncLit)
		through = through || function && !literal && !token.IsIdentifier(values[i])
	}
	if !through {
		return "return " + strings.Join(values, ", ")
	}
	var names, lines []string
	for i, value := range values {
		name := e.temporary("t")
		names = append(names, name)
		lines = append(lines, fmt.Sprintf("var %s %s\n%s = %s\n", name, e.spell(e.fn.signature.Results().At(i).Type()), name, value))
	}
	return "{\n" + strings.Join(lines, "") + "return " + strings.Join(names, ", ") + "\n}"
}

// returnsDeclared tells whether one of several results is a declared function.
func (e *emitter) returnsDeclared(s *ast.ReturnStmt) bool {
	return len(s.Results) == e.fn.signature.Results().Len() && slices.ContainsFunc(s.Results, e.isDeclared)
}

// isDeclared tells whether an expression is a declared function, maybe converted to a named type.
func (e *emitter) isDeclared(x ast.Expr) bool {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); ok && e.src.info.Types[call.Fun].IsType() {
		return e.isDeclared(call.Args[0])
	}
	f, ok := e.calledObject(x).(*types.Func)
	return ok && e.src.info.Selections[selectorOf(x)] == nil && f.Signature().Recv() == nil
}

// returned emits a result. A declared function is made a Go function first: the caller may
// call the result on the spot, which the interpreter can do with nothing else.
func (e *emitter) returned(x ast.Expr, t types.Type) string {
	text := e.convert(x, t)
	if e.isDeclared(x) && !isInterface(t) {
		return support + ".Same(" + text + ").(" + e.spell(e.typeOf(x)) + ")"
	}
	return text
}

// isOperation tells whether an expression is an operation of the interpreter, or calls a function that a field or a variable
// holds.
func (e *emitter) isOperation(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		if called := e.src.info.Types[x.Fun]; called.IsBuiltin() || called.IsType() {
			return called.IsBuiltin()
		}
		_, declared := e.calledObject(x.Fun).(*types.Func)
		_, literal := ast.Unparen(x.Fun).(*ast.FuncLit)
		return !declared && !literal || e.formula(x) != nil
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return e.src.info.Types[x].Value == nil
	}
	return false
}

// calledObject is what an identifier or a qualified identifier stands for.
func (e *emitter) calledObject(x ast.Expr) types.Object {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return e.objectOf(x)
	case *ast.SelectorExpr:
		return e.src.info.Uses[x.Sel]
	case *ast.IndexExpr:
		if e.src.info.Types[x.Index].IsType() {
			return e.calledObject(x.X)
		}
	case *ast.IndexListExpr:
		return e.calledObject(x.X)
	}
	return nil
}

func selectorOf(x ast.Expr) *ast.SelectorExpr {
	s, _ := ast.Unparen(x).(*ast.SelectorExpr)
	return s
}

// returnCall emits return f() for an f with several results.
func (e *emitter) returnCall(x ast.Expr, signature *types.Signature) string {
	tuple := e.typeOf(x).(*types.Tuple)
	var names, out []string
	converts := false
	for i := 0; i < tuple.Len(); i++ {
		name := e.temporary("t")
		text := e.convertText(name, tuple.At(i).Type(), signature.Results().At(i).Type())
		// The interpreter does not convert what a call gives straight to a return.
		converts = converts || text != name || !types.Identical(tuple.At(i).Type(), signature.Results().At(i).Type())
		names = append(names, name)
		out = append(out, text)
	}
	if !converts {
		return "return " + e.x(x)
	}
	return "{\n" + strings.Join(names, ", ") + " := " + e.x(x) + "\nreturn " + strings.Join(out, ", ") + "\n}"
}

// leave emits the end of the function, out of all closures that iterate.
func (e *emitter) leave() string {
	if y := e.currentYield(); y != nil {
		return y.leaveBy(outcome{kind: leaveFunction})
	}
	if e.fn.deferred != "" { // the body is a closure without results
		return "return"
	}
	return strings.TrimSpace("return " + strings.Join(e.fn.results, ", "))
}
