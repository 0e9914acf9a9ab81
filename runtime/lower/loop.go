package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A jump is a statement that break or continue can name.
type jump struct {
	label  string
	loop   bool
	before string // what continue must do first
	yield  *yield // the loop is a function over which the code ranges
}

// poll ends the goroutine if its cell was told to stop, which is then told with the line of n; it stands at the head of loops.
func (e *emitter) poll(n ast.Node) string {
	line := 0
	if e.src.checked != nil {
		line = e.lineOf(n)
	}
	text := fmt.Sprintf("%s.Poll(%d)", support, line)
	if raceDetector {
		return text + "\n"
	}
	return "if " + stopFlag + " { " + text + " }\n"
}

// enter puts a statement on the stack of those that can be named.
func (e *emitter) enter(j *jump) {
	e.fn.targets = append(e.fn.targets, j)
	if j.loop {
		e.fn.loops++
	}
	e.line = 0
}

// exit takes it off again and gives its text with the labels that are needed.
func (e *emitter) exit(j *jump, text string) string {
	e.fn.targets = e.fn.targets[:len(e.fn.targets)-1]
	if j.loop {
		e.fn.loops--
	}
	e.line = 0
	if j.label != "" {
		text = j.label + ":\n" + text
	}
	return text
}

// branchStatement emits break, continue, goto and fallthrough.
func (e *emitter) branchStatement(s *ast.BranchStmt) string {
	switch s.Tok {
	case token.FALLTHROUGH:
		return "fallthrough"
	case token.GOTO:
		if y := e.currentYield(); y != nil && !y.holds(e, s) {
			return y.leaveBy(outcome{kind: leaveGoto, label: e.gotoLabel(s.Label)})
		}
		return "goto " + e.gotoLabel(s.Label)
	}
	label := ""
	if s.Label != nil {
		label = e.label(s.Label)
	}
	for i := len(e.fn.targets) - 1; i >= 0; i-- {
		j := e.fn.targets[i]
		if label != "" && j.label != label || label == "" && s.Tok == token.CONTINUE && !j.loop {
			continue
		}
		return e.branch(s.Tok, i, label != "")
	}
	panic(fmt.Sprintf("%s without a target", s.Tok))
}

// branch emits a jump to entry i of the stack.
func (e *emitter) branch(tok token.Token, i int, labelled bool) string {
	j := e.fn.targets[i]
	for k := len(e.fn.targets) - 1; k > i; k-- {
		if y := e.fn.targets[k].yield; y != nil {
			kind := leaveBreak
			if tok == token.CONTINUE {
				kind = leaveContinue
			}
			return y.leaveBy(outcome{kind: kind, target: j})
		}
	}
	if j.yield != nil {
		if tok == token.CONTINUE {
			return "{\n" + j.yield.give("true") + "}"
		}
		return "{\n" + j.yield.give("false") + "}"
	}
	if tok == token.CONTINUE {
		text := "continue"
		if labelled {
			text += " " + j.label
		}
		return j.before + text
	}
	if labelled && i < len(e.fn.targets)-1 {
		return "break " + j.label
	}
	return "break"
}

// forLoop emits a for statement. A loop variable that a closure captures or that is
// pointed to is new in each turn: the body works on a variable of the heap, whose value
// goes back to the counter before the next turn.
func (e *emitter) forLoop(s *ast.ForStmt, label string) string {
	variables := e.loopVariables(s)
	if len(variables) > 0 {
		return e.forLoopCopying(s, label, variables)
	}
	open, end := "", ""
	init := ""
	if s.Init != nil {
		e.inHeader++
		init = e.simple(s.Init)
		e.inHeader--
		if strings.Contains(init, "\n") {
			// Only one statement has room in the header.
			open, end, init = "{\n"+init+"\n", "\n}", ""
		}
	}
	j := &jump{label: label, loop: true}
	e.enter(j)
	condition, step := e.loopHeader(j, s)
	if init != "" && condition == "" && step == "" {
		// The interpreter would run it in every turn.
		open, end, init = "{\n"+init+"\n", "\n}", ""
	}
	leave := e.enterLoop(s)
	body := e.loopBody(s.Body)
	leave()
	return open + e.exit(j, forHeader(init, condition, step)+" {\n"+e.poll(s)+body+j.before+"}") + end
}

// loopHeader emits the condition and the last part of a for statement. A last part that takes
// several statements moves to the end of the body, and before each continue.
func (e *emitter) loopHeader(j *jump, s *ast.ForStmt) (condition, step string) {
	cond, post, again := s.Cond, s.Post, e.noteAgain(s)
	e.inHeader++
	defer func() { e.inHeader-- }()
	if cond != nil {
		condition = e.condition(cond)
	}
	if post != nil {
		step = e.simple(post)
	}
	j.before += again
	if strings.Contains(step, "\n") {
		j.before += step + "\n"
		step = ""
	}
	return condition, step
}

func forHeader(init, condition, step string) string {
	if init == "" && step == "" {
		return strings.TrimSpace("for " + condition)
	}
	return "for " + init + "; " + condition + "; " + step
}

// loopVariables are the variables of a loop's header that must be new in each turn.
func (e *emitter) loopVariables(s *ast.ForStmt) []*types.Var {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return nil
	}
	var list []*types.Var
	for _, x := range init.Lhs {
		if v, ok := e.src.info.Defs[x.(*ast.Ident)].(*types.Var); ok && e.shared[v] {
			list = append(list, v)
		}
	}
	return list
}

func (e *emitter) forLoopCopying(s *ast.ForStmt, label string, variables []*types.Var) string {
	for _, v := range variables {
		e.shared[v] = false
	}
	init := e.simple(s.Init)
	counters := map[*types.Var]string{}
	j := &jump{label: label, loop: true}
	e.enter(j)
	condition, step := e.loopHeader(j, s)
	post := j.before
	j.before = ""
	var enter strings.Builder
	for _, v := range variables {
		counters[v] = e.names[v]
		name := e.define(v)
		e.shared[v] = true
		fmt.Fprintf(&enter, "%s := new(%s)\n*%s = %s\n", name, e.spell(e.typ(v.Type())), name, counters[v])
		j.before += counters[v] + " = *" + name + "\n"
	}
	j.before += post
	leave := e.enterLoop(s)
	body := e.loopBody(s.Body)
	leave()
	text := e.exit(j, forHeader("", condition, step)+" {\n"+e.poll(s)+enter.String()+body+j.before+"}")
	return "{\n" + init + "\n" + text + "\n}"
}

// rangeLoop emits a range statement.
func (e *emitter) rangeLoop(s *ast.RangeStmt, label string) string {
	switch t := coreType(e.typeOf(s.X)).(type) {
	case *types.Signature:
		return e.rangeFunction(s, t, label)
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 {
			return e.rangeInteger(s, label)
		}
		return e.rangeString(s, label)
	case *types.Array:
		if s.Value == nil || isBlank(s.Value) {
			return e.rangeLength(s, t.Len(), label)
		}
	case *types.Pointer:
		if s.Value == nil || isBlank(s.Value) {
			return e.rangeLength(s, t.Elem().Underlying().(*types.Array).Len(), label)
		}
	}
	return e.rangeElements(s, label)
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// rangeLength emits a range over the indexes of an array, which may be behind a nil pointer.
func (e *emitter) rangeLength(s *ast.RangeStmt, length int64, label string) string {
	before := ""
	if hasCall(e, &ast.ExprStmt{X: s.X}) {
		before = e.blankValue(s.X) + "\n"
	}
	return before + e.countingLoop(s, types.Typ[types.Int], fmt.Sprint(length), label)
}

// rangeKinds gives the types of the values that a range statement yields.
func rangeKinds(t types.Type) (key, value types.Type) {
	switch t := t.(type) {
	case *types.Pointer:
		return types.Typ[types.Int], t.Elem().Underlying().(*types.Array).Elem()
	case *types.Array:
		return types.Typ[types.Int], t.Elem()
	case *types.Slice:
		return types.Typ[types.Int], t.Elem()
	case *types.Map:
		return t.Key(), t.Elem()
	case *types.Chan:
		return t.Elem(), nil
	}
	panic(fmt.Sprintf("a range over a %T", t))
}

func (e *emitter) rangeElements(s *ast.RangeStmt, label string) string {
	t := coreType(e.typeOf(s.X))
	if m, ok := t.(*types.Map); ok && e.maps != mapsPlain {
		return e.rangeMap(s, m, label)
	}
	e.inHeader++
	operand := ""
	if _, ok := t.(*types.Chan); ok {
		operand = e.channel(s.X)
	} else {
		operand = e.x(s.X)
	}
	e.inHeader--
	before, operand := e.rangeOperand(s, t, operand)
	keyType, valueType := rangeKinds(t)
	_, pointer := t.(*types.Pointer) // its elements are read as the body leaves them
	byIndex := s.Value != nil && !isBlank(s.Value) && (isChannel(valueType) || pointer)
	if byIndex && !pointer && before == "" {
		name := e.temporary("a")
		before = name + " := " + operand + "\n"
		operand = name
	}
	j := &jump{label: label, loop: true, before: e.noteAgain(s)}
	e.enter(j)
	key, enterKey := e.rangeVariable(s.Key, s.Tok, keyType)
	value, enterValue := e.rangeVariable(s.Value, s.Tok, valueType)
	if v := e.changedKey(s); v != nil && key != "" && key != "_" {
		// The interpreter counts with the variable itself.
		t := e.temporary("k")
		key, enterKey = t, "var "+key+" "+e.spell(keyType)+"\n"+key+" = "+t+"\n"
	}
	if e.assignsBoth(s) {
		settled, store := e.secondPlace(s, value, valueType)
		enterKey, enterValue = settled+enterKey, store
	}
	header := "for range " + operand
	switch {
	case byIndex:
		// A loop whose second variable is a channel is taken for one over that channel.
		if key == "" || key == "_" {
			key = e.temporary("k")
		}
		header = "for " + key + " := range " + operand
		enterKey += value + " := " + operand + "[" + key + "]\n"
	case value != "" && value != "_":
		header = "for " + orBlank(key) + ", " + value + " := range " + operand
	case key != "" && key != "_":
		header = "for " + key + " := range " + operand
	}
	body := e.loopBody(s.Body)
	text := e.exit(j, header+" {\n"+e.poll(s)+enterKey+enterValue+body+j.before+"}")
	if before != "" {
		return "{\n" + before + text + "\n}"
	}
	return text
}

// assignsBoth reports whether a range statement assigns to two places.
func (e *emitter) assignsBoth(s *ast.RangeStmt) bool {
	return s.Tok == token.ASSIGN && s.Key != nil && s.Value != nil && !isBlank(s.Key) && !isBlank(s.Value)
}

// secondPlace emits the assignment of a value to the second place of a range statement. What that
// depends on is settled before the first is assigned.
func (e *emitter) secondPlace(s *ast.RangeStmt, value string, t types.Type) (settled, store string) {
	place := e.settle(s.Value, []ast.Expr{s.Key, s.Value}, &settled)
	return settled, place + " = " + e.convertText(value, t, e.typeOf(s.Value)) + "\n"
}

// rangeOperand gives what the interpreter shall range over, and what must be done before.
func (e *emitter) rangeOperand(s *ast.RangeStmt, t types.Type, operand string) (before, over string) {
	switch t.(type) {
	case *types.Pointer:
		// The loop walks over the array itself and sees what its body does to it.
		name := e.temporary("p")
		return name + " := " + operand + "\n", "(*" + name + ")[:]"
	case *types.Array:
		if s.Value != nil {
			// The loop walks over a copy, whatever its body does to the array.
			name := e.temporary("a")
			return "var " + name + " " + e.spell(e.typeOf(s.X)) + "\n" + name + " = " + operand + "\n", name
		}
	}
	return "", operand
}

func isChannel(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

func orBlank(name string) string {
	if name == "" {
		return "_"
	}
	return name
}

// rangeVariable names one variable of a range statement, and gives what the body must do
// first to have the value where the program wants it.
func (e *emitter) rangeVariable(x ast.Expr, tok token.Token, t types.Type) (name, enter string) {
	if x == nil {
		return "", ""
	}
	if id, ok := x.(*ast.Ident); ok {
		if id.Name == "_" {
			return "_", ""
		}
		if v, ok := e.src.info.Defs[id].(*types.Var); ok && tok == token.DEFINE && !e.isSession(v) {
			if !e.shared[v] {
				return e.define(v), ""
			}
			name = e.temporary(v.Name())
			heap := e.define(v)
			return name, fmt.Sprintf("%s := new(%s)\n*%s = %s\n", heap, e.spell(e.typ(v.Type())), heap, name)
		}
	}
	name = e.temporary("t")
	to := e.typeOf(x)
	return name, e.storeOne(e.placeOf(x, token.ASSIGN), e.convertText(name, t, to)) + "\n"
}

// rangeInteger emits for i := range n as a counting loop with a counter of its own.
func (e *emitter) rangeInteger(s *ast.RangeStmt, label string) string {
	t := e.typeOf(s.X)
	if s.Key != nil {
		if k := e.typeOf(s.Key); k != nil {
			t = k
		} else if id, ok := s.Key.(*ast.Ident); ok && e.src.info.Defs[id] != nil {
			t = e.typ(e.src.info.Defs[id].Type())
		}
	}
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Typ[types.Int]
	}
	bound := ""
	if tv := e.src.info.Types[s.X]; tv.Value != nil {
		bound = literalOf(e, tv.Value, t, true)
	} else {
		bound = e.x(s.X)
	}
	return e.countingLoop(s, t, bound, label)
}

// countingLoop emits a loop from 0 to a bound, with a counter that the body cannot change.
func (e *emitter) countingLoop(s *ast.RangeStmt, t types.Type, bound, label string) string {
	kind := e.spell(t)
	limit, counter := e.temporary("n"), e.temporary("i")
	j := &jump{label: label, loop: true}
	e.enter(j)
	enter := ""
	if v := e.untouched(s); v != nil {
		counter = e.define(v)
	} else if s.Key != nil {
		var name string
		name, enter = e.rangeVariable(s.Key, s.Tok, t)
		if name != "_" {
			enter = "var " + name + " " + kind + "\n" + name + " = " + counter + "\n" + enter
		}
	}
	body := e.loopBody(s.Body)
	loop := fmt.Sprintf("for %s := %s(0); %s < %s; %s++ {\n%s%s%s}", counter, kind, counter, limit, counter, e.poll(s), enter, body)
	return "{\n" + limit + " := " + bound + "\n" + e.exit(j, loop) + "\n}"
}

// untouched is the variable of a range statement over numbers, if the body cannot change it;
// nil otherwise.
func (e *emitter) untouched(s *ast.RangeStmt) *types.Var {
	id, ok := s.Key.(*ast.Ident)
	if !ok || s.Tok != token.DEFINE {
		return nil
	}
	v, ok := e.src.info.Defs[id].(*types.Var)
	if !ok || id.Name == "_" || e.shared[v] || e.isSession(v) {
		return nil
	}
	if e.touches(s.Body, v) {
		return nil
	}
	return v
}

// changedKey is the first variable of a range statement, if it has a name of its own and the
// body changes it; nil otherwise.
func (e *emitter) changedKey(s *ast.RangeStmt) *types.Var {
	id, ok := s.Key.(*ast.Ident)
	if !ok || s.Tok != token.DEFINE {
		return nil
	}
	v, ok := e.src.info.Defs[id].(*types.Var)
	if !ok || e.shared[v] || e.isSession(v) || !e.touches(s.Body, v) {
		return nil
	}
	return v
}

// touches tells whether a body assigns to a variable or takes its address.
func (e *emitter) touches(body *ast.BlockStmt, v *types.Var) bool {
	touched := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && e.src.info.Uses[id] == types.Object(v)
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return touched(ast.Unparen(x)) })
		case *ast.IncDecStmt:
			found = found || touched(ast.Unparen(n.X))
		case *ast.RangeStmt:
			found = found || n.Key != nil && touched(ast.Unparen(n.Key)) || n.Value != nil && touched(ast.Unparen(n.Value))
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && touched(ast.Unparen(n.X))
		case *ast.SelectorExpr: // of a method that takes the address
			found = found || touched(ast.Unparen(n.X))
		}
		return !found
	})
	return found
}
