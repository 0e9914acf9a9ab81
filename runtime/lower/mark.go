package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The interpreter knows only where the function begins in which something panics. So
// emitted code notes the line before each statement that may panic, or wait for a channel, by itself: what a
// function of a cell does is noted there. In a loop whose failing statements are all on one
// line, and in which nothing else runs that notes lines, the line is noted once before it.

// mark notes the line of a statement that may panic.
func (e *emitter) mark(s ast.Stmt) string {
	if raceDetector || e.src.checked == nil || e.steadyLine != 0 || !wantsLine(e, s) {
		return ""
	}
	return e.noteLine(e.lineOf(s))
}

func (e *emitter) lineOf(n ast.Node) int { return e.src.fset.Position(n.Pos()).Line }

func (e *emitter) noteLine(line int) string {
	if line == e.line {
		return ""
	}
	e.line = line
	return fmt.Sprintf("%s = %d\n", lineMark, line)
}

// noteAgain notes the line of a loop before its head runs again, if that may take long: the body may have noted others.
func (e *emitter) noteAgain(s ast.Stmt) string {
	if raceDetector || e.src.checked == nil || e.steadyLine != 0 {
		return ""
	}
	long := false
	switch s := s.(type) {
	case *ast.ForStmt:
		long = e.takesLong(present(s.Cond, s.Post)...)
	case *ast.RangeStmt:
		long = isChannel(coreType(e.typeOf(s.X)))
	}
	if !long {
		return ""
	}
	return fmt.Sprintf("%s = %d\n", lineMark, e.lineOf(s))
}

// afterStatement forgets the line when something else may have changed the mark.
func (e *emitter) afterStatement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.DeclStmt, *ast.ReturnStmt:
		if e.disturbs(s) {
			e.line = 0
		}
	default:
		e.line = 0
	}
}

// withSteadyLine emits a statement that may be a loop. If its lines need no marks inside, the mark stands before it.
func (e *emitter) withSteadyLine(s ast.Stmt, emit func() string) string {
	if e.steadyLine != 0 || raceDetector || e.src.checked == nil {
		return emit()
	}
	line := e.onlyLine(s)
	if line == 0 {
		return emit()
	}
	text := e.noteLine(line)
	e.steadyLine = line
	defer func() { e.steadyLine, e.line = 0, 0 }()
	return text + emit()
}

// onlyLine is the line of all statements in a loop that may panic, 0 if there are several,
// or if something in the loop may change the mark.
func (e *emitter) onlyLine(s ast.Stmt) int {
	if l, ok := s.(*ast.LabeledStmt); ok {
		s = l.Stmt
	}
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	default:
		return 0
	}
	if e.disturbs(s) {
		return 0
	}
	line := 0
	ast.Inspect(s, func(n ast.Node) bool {
		inner, ok := n.(ast.Stmt)
		if !ok || line < 0 {
			return line >= 0
		}
		if wantsLine(e, inner) {
			if here := e.lineOf(inner); line != 0 && line != here {
				line = -1
			} else {
				line = here
			}
		}
		return line >= 0
	})
	return max(line, 0)
}

// disturbs tells whether something may run within n that notes lines itself: functions of
// cells, and other goroutines while this one waits.
func (e *emitter) disturbs(n ast.Node) bool {
	found := false
	w := &quietWalk{e: e}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt, *ast.LabeledStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch coreType(e.typeOf(n.X)).(type) {
			case *types.Signature, *types.Chan:
				found = true
			}
		case *ast.CallExpr:
			if tv := e.src.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				if e.formula(n) != nil {
					return true
				}
				f := w.callee(n)
				found = found || f == nil || e.u.s.symbol(f, e.src.checked) != nil || !w.compiled(n, f)
			}
		}
		return !found
	})
	return found
}

// marksItself tells whether what a call runs cannot panic, or notes its lines: conversions
// and builtin functions that cannot, and functions and methods of cells that are known by name.
func (e *emitter) marksItself(x *ast.CallExpr) bool {
	tv := e.src.info.Types[x.Fun]
	if tv.IsType() {
		return true
	}
	if tv.IsBuiltin() {
		id, ok := ast.Unparen(x.Fun).(*ast.Ident)
		return ok && harmless[id.Name]
	}
	f := (&quietWalk{e: e}).callee(x)
	return f != nil && e.u.s.symbol(f, e.src.checked) != nil
}

// harmless are builtin functions that cannot panic.
var harmless = map[string]bool{
	"append": true, "cap": true, "complex": true, "copy": true, "imag": true, "len": true, "max": true, "min": true,
	"new": true, "real": true, "recover": true,
}

// operatorOf are the operators of assignments that may panic.
var operatorOf = map[token.Token]token.Token{
	token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM, token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR,
}

// mayFail tells whether an operation may panic: a division by a whole number that may be 0, a shift by a
// count that may be negative.
func (e *emitter) mayFail(operator token.Token, right ast.Expr) bool {
	if e.src.info.Types[right].Value != nil {
		return false
	}
	b, ok := e.typeOf(right).Underlying().(*types.Basic)
	switch operator {
	case token.QUO, token.REM:
		return !ok || b.Info()&types.IsInteger != 0
	case token.SHL, token.SHR:
		return !ok || b.Info()&types.IsUnsigned == 0
	}
	return false
}

// behindPointer tells whether a selector reads what a pointer points to.
func (e *emitter) behindPointer(x *ast.SelectorExpr) bool {
	t := e.src.info.TypeOf(x.X)
	if t == nil {
		return false
	}
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		return true
	}
	s := e.src.info.Selections[x]
	return s != nil && len(s.Index()) > 1 // of an embedded field, which may be a pointer
}

// headerOf lists the parts of a statement that run before its body.
func headerOf(s ast.Stmt) []ast.Node {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.LabeledStmt, *ast.SelectStmt, *ast.BranchStmt, *ast.EmptyStmt:
		return nil
	case *ast.IfStmt:
		return present(s.Init, s.Cond)
	case *ast.ForStmt:
		return present(s.Init, s.Cond)
	case *ast.RangeStmt:
		return present(s.X)
	case *ast.SwitchStmt:
		return present(s.Init, s.Tag)
	case *ast.TypeSwitchStmt:
		return present(s.Init, s.Assign)
	}
	return []ast.Node{s}
}

func present(nodes ...ast.Node) []ast.Node {
	var list []ast.Node
	for _, n := range nodes {
		switch n := n.(type) {
		case nil:
		case ast.Stmt:
			list = append(list, n)
		case ast.Expr:
			list = append(list, n)
		}
	}
	return list
}

// wantsLine tells whether a statement holds something that can panic, or that waits for a channel and may be interrupted there.
func wantsLine(e *emitter, s ast.Stmt) bool {
	found := false
	switch s := s.(type) {
	case *ast.SelectStmt:
		return true
	case *ast.RangeStmt:
		found = isChannel(coreType(e.typeOf(s.X)))
	}
	for _, n := range headerOf(s) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SendStmt:
				found = true
			case *ast.CallExpr:
				found = found || !e.marksItself(n)
			case *ast.SelectorExpr:
				found = found || e.behindPointer(n)
			case *ast.BinaryExpr:
				found = found || e.mayFail(n.Op, n.Y)
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			case *ast.AssignStmt:
				if operator, ok := operatorOf[n.Tok]; ok {
					found = found || e.mayFail(operator, n.Rhs[0])
				}
			}
			return !found
		})
	}
	return found
}

func hasCall(e *emitter, s ast.Node) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := e.src.info.Types[n.Fun]
			found = found || !tv.IsType() && !tv.IsBuiltin()
		}
		return !found
	})
	return found
}

func anyCall(e *emitter, list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(x ast.Expr) bool { return hasCall(e, x) })
}
