package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A function is the state of the function declaration or literal being emitted.
type function struct {
	signature *types.Signature
	outer     *function
	// deferred is the variable that holds the deferred calls, "" if there are none.
	deferred string
	// recovers is the variable to ask in recover(): that of the function which deferred
	// this literal. "" means the function was not deferred as a literal.
	recovers string
	claim    string // holds the claim of a function that recovers otherwise
	name     string // engine name, "" for a literal
	title    string // as people call it, "" for a literal and for statements
	syntax   *ast.FuncLit
	captured []*types.Var // by the literal
	call     string       // variable that holds the call in progress for a debugger, "" for none
	around   string       // and that around the body of a loop over a function
	literal  bool
	callback bool // a compiled function gets it to call it often
	defers   bool // the body has deferred calls
	// results are the variables of the results, nil if they need none.
	results []string
	through bool    // returns leave a closure, so that values go through the variables
	targets []*jump // statements that break and continue can name, innermost last
	yields  []*yield
	loops   int // number of loops around the statement being emitted
}

// declaration emits a function or method under an engine name.
func (e *emitter) declaration(name string, d *ast.FuncDecl) string {
	if d.Body == nil {
		panic(refuse(d.Pos(), "cells cannot use functions without a body"))
	}
	f := e.src.info.Defs[d.Name].(*types.Func)
	signature := e.typ(f.Signature()).(*types.Signature)
	declared := f.Signature()
	e.findShared(d)
	e.findLifted(d)
	e.findReachable(d)
	e.u.s.noteFunction(name, e.frame(d))
	e.fn = &function{signature: signature, name: name, title: functionKey(d)}
	entry := e.entryCheck(name, d)
	if text := e.unfolded(name, d, entry); text != "" {
		return text
	}
	text := e.whole(declared, signature, d.Body, entry)
	return e.unrolled(name, d, "func "+name+text, entry)
}

// parameterName gives a parameter its name; the interpreter wants one for each. One that
// lives on the heap is moved there by the text that enter returns.
func (e *emitter) parameterName(v *types.Var) (name, enter string) {
	if v.Name() == "" || v.Name() == "_" {
		return e.temporary("p"), ""
	}
	if !e.shared[v] {
		return e.define(v), ""
	}
	name = e.temporary(v.Name())
	heap := e.define(v)
	return name, fmt.Sprintf("%s := new(%s)\n*%s = %s\n", heap, e.spell(e.typ(v.Type())), heap, name)
}

// whole emits parameters, results and body. The declared signature has the objects that
// the body refers to, the other one the concrete types.
func (e *emitter) whole(declared, signature *types.Signature, body *ast.BlockStmt, entry string) string {
	fn := e.fn
	entry = e.frameVariable() + e.claim(body) + entry
	var parameters []string
	if r := declared.Recv(); r != nil {
		text, enter := e.parameter(r, e.spell(e.typ(r.Type())))
		parameters = append(parameters, text)
		entry += enter
	}
	for i := 0; i < declared.Params().Len(); i++ {
		text, enter := e.parameter(declared.Params().At(i), e.u.spellParameter(signature, i))
		parameters = append(parameters, text)
		entry += enter
	}
	entry += e.resultVariables(declared, signature, body)
	header := "(" + strings.Join(parameters, ", ") + ") " + e.results(signature)
	before, steady := e.line, e.steadyLine
	e.line, e.steadyLine = 0, 0
	defer func() { e.line, e.steadyLine = before, steady }()
	if !e.wraps(body) {
		return header + " {\n" + entry + e.statements(body.List) + "}"
	}
	fn.deferred = e.temporary("d")
	text := header + " {\n" + entry + fn.deferred + " := " + support + ".NewDefers()\n" +
		support + ".Do(" + fn.deferred + ", func() {\n" + e.statements(body.List) + "})\n"
	return text + strings.TrimSpace("return "+strings.Join(fn.results, ", ")) + "\n}"
}

// resultVariables declares variables for the results where the body needs them: results
// with names, and those that a closure has to hand over. The results of the emitted
// function itself have no names, because the interpreter does not give them their zero
// values, and lets them share the place to which the caller assigns.
func (e *emitter) resultVariables(declared, signature *types.Signature, body *ast.BlockStmt) string {
	fn := e.fn
	fn.defers = defers(body)
	fn.through = e.wraps(body) || e.returnsThroughYield(body)
	named := declared.Results().Len() > 0 && declared.Results().At(0).Name() != ""
	fn.through = fn.through || named && e.knownResults(declared)
	if !named && !fn.through {
		return ""
	}
	var lines strings.Builder
	for i := 0; i < declared.Results().Len(); i++ {
		t := e.spell(signature.Results().At(i).Type())
		v := declared.Results().At(i)
		if v.Name() == "" || v.Name() == "_" {
			name := e.temporary("r")
			fn.results = append(fn.results, name)
			fmt.Fprintf(&lines, "var %s %s\n", name, t)
			continue
		}
		name := e.define(v)
		if e.shared[v] {
			fmt.Fprintf(&lines, "%s := new(%s)\n", name, t)
		} else {
			fmt.Fprintf(&lines, "var %s %s\n", name, t)
		}
		fn.results = append(fn.results, e.variable(v))
	}
	return lines.String()
}

// wraps tells whether a body is emitted as a closure that package guard calls: for its deferred
// calls, or because a debugger wants to know about panics.
func (e *emitter) wraps(body *ast.BlockStmt) bool {
	return defers(body) || e.asks() && e.u.s.panics
}

// defers tells whether a body has a defer statement of its own. The bodies of range
// statements count, also those over functions.
func defers(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// functionLiteral emits a literal as a value. The interpreter gives all closures made in
// one frame the same variables, so those of a loop body live on the heap, and a factory
// hands the closure its own pointers to them.
func (e *emitter) functionLiteral(x *ast.FuncLit) string {
	known, more := e.holdCaptured(x)
	return e.factory(e.captured(x), x, known, more, e.literalText(x))
}

// literalText emits the literal itself.
func (e *emitter) literalText(x *ast.FuncLit) string { return e.deferredLiteral(x, "") }

// deferredLiteral emits a literal that the function with the given list defers, so that
// recover in it asks that list.
func (e *emitter) deferredLiteral(x *ast.FuncLit, list string) string {
	signature := e.typeOf(x).(*types.Signature)
	declared := e.src.info.TypeOf(x).(*types.Signature)
	header, maps, next := e.inHeader, e.maps, e.headerMaps
	e.inHeader, e.maps, e.headerMaps = 0, mapsUndecided, mapsUndecided
	defer func() { e.inHeader, e.maps, e.headerMaps = header, maps, next }()
	e.fn = &function{signature: signature, outer: e.fn, literal: true, recovers: list, callback: e.callback == x, syntax: x, captured: e.captured(x)}
	entry := e.entryCheckLiteral(x)
	if entry == "" && e.handed == x {
		entry = e.poll(x) // the turn may have been taken in the function that calls it
	}
	text := "func" + e.whole(declared, signature, x.Body, entry)
	e.fn = e.fn.outer
	return text
}

// captured lists the heap variables that a literal uses from outside.
func (e *emitter) captured(x *ast.FuncLit) []*types.Var {
	var list []*types.Var
	seen := map[*types.Var]bool{}
	ast.Inspect(x.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := e.src.info.Uses[id].(*types.Var)
			if ok && e.shared[v] && e.names[v] != "" && !seen[v] && (v.Pos() < x.Pos() || v.Pos() >= x.End()) {
				seen[v] = true
				list = append(list, v)
			}
		}
		return true
	})
	return list
}

// findShared finds the variables that must live on the heap: those declared in a loop
// body, or in a function that jumps by goto, and captured by a closure or pointed to.
func (e *emitter) findShared(root ast.Node) {
	if e.asks() {
		e.shareAll(root)
	}
	e.jumps = false
	ast.Inspect(root, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			e.jumps = true
		}
		return true
	})
	e.findForeigners(root)
	w := &sharedWalk{e: e, inLoop: map[*types.Var]*ast.FuncLit{}}
	if e.jumps {
		w.loops++
	}
	w.walk(root)
}

type sharedWalk struct {
	e        *emitter
	loops    int
	literals []*ast.FuncLit
	inLoop   map[*types.Var]*ast.FuncLit // loop variables, with the literal that declares them
}

func (w *sharedWalk) literal() *ast.FuncLit {
	if len(w.literals) == 0 {
		return nil
	}
	return w.literals[len(w.literals)-1]
}

func (w *sharedWalk) walk(n ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		if m == n || m == nil {
			return true
		}
		switch m := m.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			w.loops++
			w.walk(m)
			w.loops--
			return false
		case *ast.FuncLit:
			w.literals = append(w.literals, m)
			w.walk(m)
			w.literals = w.literals[:len(w.literals)-1]
			return false
		case *ast.CaseClause:
			if v, ok := w.e.src.info.Implicits[m].(*types.Var); ok && w.loops > 0 {
				w.inLoop[v] = w.literal()
			}
		case *ast.Ident:
			w.identifier(m)
		case *ast.UnaryExpr:
			if m.Op == token.AND {
				w.pointed(m.X)
			}
		case *ast.SliceExpr:
			if _, array := w.e.typeOf(m.X).Underlying().(*types.Array); array {
				w.pointed(m.X)
			}
		case *ast.SelectorExpr:
			w.selector(m)
		}
		return true
	})
}

func (w *sharedWalk) identifier(id *ast.Ident) {
	if v, ok := w.e.src.info.Defs[id].(*types.Var); ok && w.loops > 0 && !v.IsField() {
		w.inLoop[v] = w.literal()
	}
	if v, ok := w.e.src.info.Uses[id].(*types.Var); ok {
		if owner, loop := w.inLoop[v]; loop && owner != w.literal() {
			w.e.shared[v] = true
		}
	}
}

// selector marks the operand of a method call that takes its address.
func (w *sharedWalk) selector(x *ast.SelectorExpr) {
	s := w.e.src.info.Selections[x]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	f, ok := s.Obj().(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return
	}
	if _, wants := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); wants || w.e.env != nil {
		w.pointed(x.X)
	}
}

// pointed marks the variable whose address an expression gives away.
func (w *sharedWalk) pointed(x ast.Expr) {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			if v, ok := w.e.src.info.Uses[y].(*types.Var); ok {
				if _, loop := w.inLoop[v]; loop {
					w.e.shared[v] = true
				}
			}
			return
		case *ast.SelectorExpr:
			if t := w.e.src.info.TypeOf(y.X); t == nil || w.e.src.info.Selections[y] == nil {
				return
			} else if _, pointer := w.e.typ(t).Underlying().(*types.Pointer); pointer {
				return
			}
			x = y.X
		case *ast.IndexExpr:
			if _, array := w.e.typeOf(y.X).Underlying().(*types.Array); !array {
				return
			}
			x = y.X
		default:
			return
		}
	}
}

// recovered emits recover(). Only the function that a defer statement calls gets the panic,
// not one that this calls in turn: it claims it on entry.
func (e *emitter) recovered() string { return support + ".Recover(" + e.recoverList() + ")" }

func (e *emitter) recoverList() string {
	if e.fn.recovers != "" {
		return e.fn.recovers
	}
	return e.fn.claim
}

// claim emits the entry of a function that calls recover and that a defer statement may
// call by its name, or through a value.
func (e *emitter) claim(body *ast.BlockStmt) string {
	if e.fn.recovers != "" {
		return ""
	}
	if !callsRecover(body) {
		if e.reachesRecover(body) { // what it calls must not claim the panic in its place
			return fmt.Sprintf("%s.Claim(%q)\n", support, e.fn.name)
		}
		return ""
	}
	e.fn.claim = e.temporary("c")
	return fmt.Sprintf("%s := %s.Claim(%q)\n", e.fn.claim, support, e.fn.name)
}

// knownResults tells whether literals of a function, or pointers, lead to its results, so that
// a return statement must set these for whoever looks at them later.
func (e *emitter) knownResults(declared *types.Signature) bool {
	for i := range declared.Results().Len() {
		if v := declared.Results().At(i); e.readElsewhere[v] || e.reachable[v] {
			return true
		}
	}
	return false
}
