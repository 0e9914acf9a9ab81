package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"gosphere/runtime/check"
	"gosphere/runtime/realtype"
)

// While a debugger wants to stop cells, they are lowered with a question before each statement:
//
//	if debugʹ { if frˑ1 == nil { frˑ1 = gs.DebugEnter(7) }; if gs.DebugAt(frˑ1, 7) { gs.DebugStop(frˑ1, xˑ2) } }
//
// All local variables live on the heap then, so that a stop can hand out pointers to them, and
// no call is replaced by an operation.

// A Site is a place at which emitted code asks.
type Site struct {
	File         *token.File // of the cell
	Name         string      // of the cell
	Line, Column int
	Function     string     // as people call it, "" for the statements of the cell
	Calls        bool       // the statement may run other code of cells
	Defers       bool       // its function has deferred calls
	Variables    []Variable // in the order of the pointers
	// Names are the constants and types that the function has declared so far.
	Names []types.Object
}

// A Variable is a local one, with the type that it has in this instance of its function.
type Variable struct {
	Name string
	Type types.Type
}

// Stopping sets whether what is lowered from now on asks at statements, and whether
// its functions catch panics on their way to tell about them.
func (s *Session) Stopping(stops, panics bool) { s.stops, s.panics = stops, panics }

// Stops tells what Stopping has set.
func (s *Session) Stops() (stops, panics bool) { return s.stops, s.panics }

// asks tells whether the code being emitted asks: that of cells, not that of the library.
func (e *emitter) asks() bool {
	return e.u.s.stops && e.src.checked != nil && (e.u.within == nil || e.src.declaration != e.u.checked.Body)
}

// locals emits the variables of a stopped function for statements that see them.
func (e *emitter) locals() string {
	var b strings.Builder
	used := map[types.Object]bool{}
	for _, o := range e.src.info.Uses {
		used[o] = true
	}
	for i, v := range e.u.within {
		if used[v] {
			e.shared[v] = true
			fmt.Fprintf(&b, "%s := %s.Local(%d).(*%s)\n", e.define(v), support, i, e.spell(v.Type()))
		}
	}
	return b.String()
}

// CanStop tells whether emitted code asks before a statement of a list.
func CanStop(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt, *ast.BlockStmt, *ast.LabeledStmt:
		return false
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.DeclStmt:
		return s.Decl.(*ast.GenDecl).Tok == token.VAR
	}
	return true
}

// frameVariable declares the variable that holds the call in progress.
func (e *emitter) frameVariable() string {
	if !e.asks() {
		return ""
	}
	e.fn.call = e.temporary("fr")
	return fmt.Sprintf("var %s *%s.DebugFrame\n", e.fn.call, support)
}

// bodyVariable is frameVariable for the body of a loop over a function, which is a closure that is
// called from elsewhere.
func (e *emitter) bodyVariable() string {
	if !e.asks() {
		return ""
	}
	e.fn.around = e.fn.call
	return e.frameVariable()
}

// askBefore emits the question before a statement of a list. That about a labelled one stands
// behind the label, if that is not the statement's own.
func (e *emitter) askBefore(s ast.Stmt) string {
	if l, ok := s.(*ast.LabeledStmt); ok {
		switch l.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return e.ask(l.Stmt)
		}
		return ""
	}
	return e.ask(s)
}

// ask emits the question before a statement.
func (e *emitter) ask(s ast.Stmt) string {
	if !e.asks() || !CanStop(s) {
		return ""
	}
	return e.askAt(s.Pos(), e.mayStopInside(s))
}

// loopBody emits the statements of a loop. Where none of them asks, the body itself does, so that
// a cell in for {} can be paused. It is no place for a breakpoint.
func (e *emitter) loopBody(b *ast.BlockStmt) string {
	ask := ""
	if e.asks() && !slices.ContainsFunc(b.List, asksBefore) {
		ask = e.askAt(b.Lbrace, e.callingLoops > 0)
	}
	return ask + e.statements(b.List)
}

// asksBefore tells whether there is a question before a statement of a list.
func asksBefore(s ast.Stmt) bool {
	if l, ok := s.(*ast.LabeledStmt); ok {
		s = l.Stmt
	}
	return CanStop(s)
}

// askAt emits a question; calls tells whether what follows may run code that asks as well.
func (e *emitter) askAt(pos token.Pos, calls bool) string {
	position := e.src.fset.Position(pos)
	site := Site{File: e.src.fset.File(pos), Name: position.Filename, Line: position.Line, Column: position.Column, Function: e.siteFunction(), Calls: calls, Defers: e.fn.defers}
	var pointers strings.Builder
	for _, v := range e.visible(pos) {
		site.Variables = append(site.Variables, Variable{v.Name(), e.typ(v.Type())})
		pointers.WriteString(", " + e.names[v])
	}
	if e.env == nil {
		site.Names = e.visibleNames(pos)
	}
	number, call := e.u.s.options.Site(site), e.fn.call
	enter := fmt.Sprintf("%s.DebugEnter(%d)", support, number)
	if e.fn.around != "" {
		enter = fmt.Sprintf("%s.DebugEnterBody(%d, %s)", support, number, e.fn.around)
	}
	text := fmt.Sprintf("if %s == nil { %s = %s }\nif %s.DebugAt(%s, %d) { %s.DebugStop(%s%s) }\n",
		call, call, enter, support, call, number, support, call, pointers.String())
	if raceDetector {
		return text
	}
	return "if " + debugFlag + " {\n" + text + "}\n"
}

// siteFunction names the function being emitted.
func (e *emitter) siteFunction() string {
	outermost, literal := e.fn, false
	for ; outermost.outer != nil; outermost = outermost.outer {
		literal = literal || outermost.literal
	}
	switch {
	case literal && outermost.title != "":
		return "func literal in " + outermost.title
	case literal:
		return "func literal"
	}
	return outermost.title
}

// visible lists the local variables that a statement can name and that emitted code can reach
// there, outer ones first.
func (e *emitter) visible(pos token.Pos) []*types.Var {
	var list []*types.Var
	for v, name := range e.names {
		v, ok := v.(*types.Var)
		if !ok || name == "" || name == "_" || !e.shared[v] || v.Parent() == nil || v.Pos() >= pos || !v.Parent().Contains(pos) {
			continue
		}
		if l := e.fn.syntax; l != nil && (v.Pos() < l.Pos() || v.Pos() >= l.End()) && !slices.Contains(e.fn.captured, v) {
			continue
		}
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b *types.Var) int { return int(a.Pos()) - int(b.Pos()) })
	var innermost []*types.Var
	for i, v := range list {
		if !slices.ContainsFunc(list[i+1:], func(other *types.Var) bool { return other.Name() == v.Name() }) {
			innermost = append(innermost, v)
		}
	}
	return innermost
}

// visibleNames lists the constants and types of the functions around a position.
func (e *emitter) visibleNames(pos token.Pos) []types.Object {
	var list []types.Object
	for id, o := range e.src.info.Defs {
		switch o.(type) {
		case *types.Const, *types.TypeName:
		default:
			continue
		}
		parent := o.Parent()
		if o.Pkg() == nil || parent == nil || parent == o.Pkg().Scope() || id.Pos() >= pos || !parent.Contains(pos) || e.u.s.symbol(o, e.src.checked) != nil {
			continue
		}
		if _, parameter := o.Type().(*types.TypeParam); !parameter {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b types.Object) int { return int(a.Pos()) - int(b.Pos()) })
	return list
}

// mayStopInside tells whether a statement, without its own statements, may run code that asks: by
// a call, or by ranging over a function. In the body of a loop whose header calls something, that
// runs behind the last statement.
func (e *emitter) mayStopInside(s ast.Stmt) bool {
	if r, ok := s.(*ast.RangeStmt); ok {
		if _, function := coreType(e.typeOf(r.X)).(*types.Signature); function {
			return true
		}
	}
	return e.callingLoops > 0 || e.headerCalls(s)
}

// headerCalls tells whether the parts of a statement that are no statements of its own call something.
func (e *emitter) headerCalls(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			for _, clause := range n.List {
				switch clause := clause.(type) {
				case *ast.CaseClause:
					for _, x := range clause.List {
						found = found || hasCall(e, &ast.ExprStmt{X: x})
					}
				case *ast.CommClause:
					found = found || clause.Comm != nil && hasCall(e, clause.Comm)
				}
			}
			return false
		case *ast.CallExpr:
			tv := e.src.info.Types[n.Fun]
			found = found || !tv.IsType() && !tv.IsBuiltin()
		}
		return !found
	})
	return found
}

// enterLoop notes that the body of a loop begins, and returns what notes its end.
func (e *emitter) enterLoop(s ast.Stmt) (leave func()) {
	if !e.asks() || !e.headerCalls(s) {
		return func() {}
	}
	e.callingLoops++
	return func() { e.callingLoops-- }
}

// shareAll lets all local variables of a function live on the heap, but for those of function types
// that mention themselves: the interpreter does not store a nil of these behind a pointer.
func (e *emitter) shareAll(root ast.Node) {
	within := func(n ast.Node) bool { return n.Pos() >= root.Pos() && n.Pos() < root.End() }
	for id, o := range e.src.info.Defs {
		if v, ok := o.(*types.Var); ok && !v.IsField() && within(id) && !e.isSession(v) && !e.isForgedFunction(v.Type()) {
			e.shared[v] = true
		}
	}
	for n, o := range e.src.info.Implicits {
		if v, ok := o.(*types.Var); ok && within(n) {
			e.shared[v] = true
		}
	}
}

func (e *emitter) isForgedFunction(t types.Type) bool {
	named, ok := types.Unalias(e.typ(t)).(*types.Named)
	if !ok || !e.u.s.ours(named) {
		return false
	}
	_, function := named.Underlying().(*types.Signature)
	return function && e.u.s.recursive(e.u.s.record(e.u, named))
}

// Pointer returns a pointer to a session variable, for Real. No cell may be compiled meanwhile.
func (s *Session) Pointer(symbol *check.Symbol) (pointer any, ok bool) {
	name := s.variables[symbol]
	if name == "" {
		return nil, false
	}
	if p, known := s.pointers[name]; known {
		return p, true
	}
	address, err := s.engine.Eval("&" + name)
	if err != nil || address.Kind() != reflect.Pointer || address.IsNil() || !address.CanInterface() {
		return nil, false
	}
	s.pointers[name] = address.Interface()
	return s.pointers[name], true
}

// Real returns the variable that a pointer of emitted code points to as one of its real type.
// No cell may be compiled meanwhile.
func (s *Session) Real(t types.Type, pointer any) (v reflect.Value, err error) {
	to := types.NewPointer(t)
	if !s.boxed(to) || pointer == nil {
		return reflect.ValueOf(pointer).Elem(), nil
	}
	err = s.attempt(func() error {
		u := &unit{s: s}
		u.descriptor(to)
		u.emitQueued()
		if err := u.evaluate(); err != nil {
			return err
		}
		v = reflect.ValueOf(realtype.Box(s.descriptors[s.key(u, to)].value, pointer)).Elem()
		return nil
	})
	return v, err
}
