package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Compiled Go makes the calls of a statement one after the other, and reads the variables,
// elements and fields that the statement needs behind them: in xs[0] = f() the slice is the one
// that f leaves. The interpreter reads them before. So calls that may change something come
// before their statement where it reads, or finds its place, before them. Go leaves this order
// open; programs have become used to it. A call that may take long comes before its statement as
// well where a poll must stand between the two, see polls.go.

// callsFirst emits the calls that must come before a statement.
func (e *emitter) callsFirst(s ast.Stmt) string {
	w := &orderWalk{e: e}
	if !w.anyEffects(s) && !e.takesLong(headerOf(s)...) {
		return ""
	}
	w.statement(s)
	last := -1
	for i, c := range w.calls {
		if !c.conditional && (c.behind && w.hasEffects(c.of) || e.pollsInside(s, c.of)) {
			last = i
		}
	}
	for _, c := range w.calls[:last+1] {
		if _, several := e.typeOf(c.of).(*types.Tuple); several || c.conditional {
			return ""
		}
	}
	if e.made == nil {
		e.made = map[ast.Expr]string{}
	}
	for _, c := range w.calls {
		delete(e.made, c.of) // the statement may be emitted for the second time
	}
	var b strings.Builder
	for _, c := range w.calls[:last+1] {
		text := e.x(c.of)
		e.made[c.of] = e.temporary("t")
		b.WriteString(e.made[c.of] + " := " + text + "\n" + e.pollAtHead(c.of))
	}
	return b.String()
}

// An orderWalk finds the calls of a statement in the order in which they are made, with receives,
// calls of builtin functions and slice expressions, which compiled Go evaluates among them.
type orderWalk struct {
	e           *emitter
	calls       []orderedCall
	conditional bool // the walk is behind && or ||
}

// An orderedCall is one of them.
type orderedCall struct {
	of          ast.Expr
	behind      bool // the statement reads something before, or finds a place, that it needs after the call
	conditional bool
}

// anyEffects tells whether a statement makes a call that may change something.
func (w *orderWalk) anyEffects(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.DeclStmt, *ast.IfStmt, *ast.SwitchStmt:
	default:
		return false
	}
	found := false
	for _, n := range evaluatedFirst(s) {
		ast.Inspect(n, func(n ast.Node) bool {
			if _, literal := n.(*ast.FuncLit); literal || found {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok {
				found = w.hasEffects(call)
			}
			return !found
		})
	}
	return found
}

// hasEffects tells whether a call may change what others read.
func (w *orderWalk) hasEffects(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	if tv := w.e.src.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return false
	}
	return (&effectsWalk{e: w.e, seen: map[*types.Func]bool{}}).call(call)
}

func (w *orderWalk) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		behind := false
		if s.Tok != token.DEFINE {
			for _, x := range s.Lhs {
				behind = w.place(x, behind) || behind
			}
		}
		w.list(s.Rhs, behind)
	case *ast.DeclStmt:
		if spec, ok := s.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); ok {
			w.list(spec.Values, false)
		}
	case *ast.IncDecStmt:
		w.expr(s.X, false)
	case *ast.ExprStmt:
		w.expr(s.X, false)
	case *ast.ReturnStmt:
		w.list(s.Results, false)
	case *ast.SendStmt:
		w.list([]ast.Expr{s.Chan, s.Value}, false)
	case *ast.IfStmt:
		if s.Init == nil {
			w.expr(s.Cond, false)
		}
	case *ast.SwitchStmt:
		if s.Init == nil && s.Tag != nil {
			w.expr(s.Tag, false)
		}
	}
}

// place walks over what is assigned to, and tells whether calls can change where that is.
func (w *orderWalk) place(x ast.Expr, behind bool) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return false
	case *ast.SelectorExpr:
		if s := w.e.src.info.Selections[x]; s != nil && !w.isBehindPointer(s) {
			return w.place(x.X, behind)
		}
	case *ast.IndexExpr:
		if _, array := coreType(w.e.typeOf(x.X)).(*types.Array); array {
			found := w.place(x.X, behind)
			if w.e.src.info.Types[x.Index].Value != nil {
				return found
			}
			w.expr(x.Index, behind || found)
			return true // the index is compared with the length behind the calls
		}
	}
	w.expr(x, behind)
	return true
}

// isBehindPointer tells whether a selection goes through a pointer.
func (w *orderWalk) isBehindPointer(s *types.Selection) bool {
	_, pointer := s.Recv().Underlying().(*types.Pointer)
	return pointer || s.Indirect()
}

// list walks over operands, and tells whether the statement reads something for them that a
// later call may change.
func (w *orderWalk) list(xs []ast.Expr, behind bool) (reads bool) {
	for _, x := range xs {
		reads = w.expr(x, behind || reads) || reads
	}
	return reads
}

// expr walks over an expression; behind tells whether something was read before it.
func (w *orderWalk) expr(x ast.Expr, behind bool) (reads bool) {
	if x == nil || w.e.src.info.Types[x].Value != nil || w.e.src.info.Types[x].IsType() {
		return false
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return w.expr(x.X, behind)
	case *ast.Ident:
		v, ok := w.e.src.info.Uses[x].(*types.Var)
		return ok && w.e.isReachable(v)
	case *ast.SelectorExpr:
		s := w.e.src.info.Selections[x]
		if s == nil {
			_, variable := w.e.src.info.Uses[x.Sel].(*types.Var)
			return variable
		}
		return w.expr(x.X, behind) || s.Kind() == types.FieldVal && w.isBehindPointer(s)
	case *ast.IndexExpr:
		reads = w.list([]ast.Expr{x.X, x.Index}, behind)
		switch coreType(w.e.typeOf(x.X)).(type) {
		case *types.Slice, *types.Map, *types.Pointer:
			return true
		}
		return reads
	case *ast.SliceExpr:
		w.list([]ast.Expr{x.X, x.Low, x.High, x.Max}, behind)
		w.note(x, behind)
		return false
	case *ast.StarExpr:
		w.expr(x.X, behind)
		return true
	case *ast.TypeAssertExpr:
		return w.expr(x.X, behind)
	case *ast.UnaryExpr:
		return w.unary(x, behind)
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			reads = w.expr(x.X, behind)
			outer := w.conditional
			w.conditional = true
			reads = w.expr(x.Y, behind || reads) || reads
			w.conditional = outer
			return reads
		}
		return w.list([]ast.Expr{x.X, x.Y}, behind)
	case *ast.CompositeLit:
		return w.composite(x, behind)
	case *ast.CallExpr:
		return w.call(x, behind)
	}
	return false
}

func (w *orderWalk) unary(x *ast.UnaryExpr, behind bool) (reads bool) {
	switch x.Op {
	case token.AND:
		return w.place(x.X, behind)
	case token.ARROW:
		w.expr(x.X, behind)
		w.note(x, behind)
		return false
	}
	return w.expr(x.X, behind)
}

func (w *orderWalk) composite(x *ast.CompositeLit, behind bool) (reads bool) {
	_, structure := coreType(w.e.typeOf(x)).(*types.Struct)
	for _, element := range x.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if !structure {
				reads = w.expr(pair.Key, behind || reads) || reads
			}
			element = pair.Value
		}
		reads = w.expr(element, behind || reads) || reads
	}
	return reads
}

func (w *orderWalk) call(x *ast.CallExpr, behind bool) (reads bool) {
	switch tv := w.e.src.info.Types[x.Fun]; {
	case tv.IsType():
		return w.list(x.Args, behind)
	case tv.IsBuiltin():
		w.list(x.Args, behind)
		if w.e.src.info.Types[x].IsValue() {
			w.note(x, behind)
		}
		return false
	}
	if s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok && w.e.src.info.Selections[s] != nil {
		reads = w.expr(s.X, behind)
	} else if _, name := ast.Unparen(x.Fun).(*ast.Ident); !name {
		reads = w.expr(x.Fun, behind)
	}
	for _, a := range x.Args {
		reads = w.expr(a, behind || reads) || reads
	}
	w.note(x, behind)
	return false
}

func (w *orderWalk) note(x ast.Expr, behind bool) {
	w.calls = append(w.calls, orderedCall{x, behind, w.conditional})
}

// isReachable tells whether other functions can change a variable.
func (e *emitter) isReachable(v *types.Var) bool {
	if v.IsField() {
		return false
	}
	return e.shared[v] || e.reachable[v] || e.isSession(v) || v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}
