package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Cells of several shells take turns. One that stays in compiled code, or waits for a channel,
// loses its turn, and has to wait for it before it does anything else. So a poll stands behind
// whatever may take so long: behind the statement, at the head of its blocks, and before its
// results go where other cells see them. Loops poll at their heads.

// takesLong tells whether code may be in compiled functions, or wait, for long. Those of which
// that is not so, and those that poll themselves, are the Brief ones of Options.
func (e *emitter) takesLong(nodes ...ast.Node) bool {
	if e.src.checked == nil || e.u.s.options.Brief == nil {
		return false
	}
	found := false
	w := &quietWalk{e: e}
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.SendStmt:
				found = true
			case *ast.UnaryExpr:
				found = found || n.Op == token.ARROW
			case *ast.CallExpr:
				found = found || e.callTakesLong(w, n)
			}
			return !found
		})
	}
	return found
}

func (e *emitter) callTakesLong(w *quietWalk, x *ast.CallExpr) bool {
	if tv := e.src.info.Types[x.Fun]; tv.IsType() || tv.IsBuiltin() || e.formula(x) != nil {
		return false
	}
	if f := w.callee(x); f != nil {
		if f.Pkg() == nil || f.Pkg().Path() == "main" || e.u.s.symbol(f, e.src.checked) != nil {
			return false // polls where it takes long
		}
		return !e.u.s.options.Brief(f.Pkg().Path(), f.Name())
	}
	// A method of an interface of a compiled package.
	s := e.src.info.Selections[selectorOf(x.Fun)]
	return s != nil && s.Kind() == types.MethodVal && s.Obj().Pkg() != nil && s.Obj().Pkg().Path() != "main"
}

// pollsInside tells whether a poll must stand between a call or receive in a statement and what is
// left of the statement: in straight code where there is something left, and before a return. In
// loops that would cost more than it is worth.
func (e *emitter) pollsInside(s ast.Stmt, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		if !e.callTakesLong(&quietWalk{e: e}, x) {
			return false
		}
	case *ast.UnaryExpr:
	default:
		return false
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		return e.fn.loops == 0 && ast.Unparen(s.X) != x
	case *ast.AssignStmt:
		return e.fn.loops == 0 && (len(s.Rhs) > 1 || ast.Unparen(s.Rhs[0]) != x)
	case *ast.DeclStmt:
		spec, ok := s.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		return e.fn.loops == 0 && ok && (len(spec.Values) > 1 || len(spec.Values) == 1 && ast.Unparen(spec.Values[0]) != x)
	}
	return e.fn.loops == 0
}

// pollAtHead is the poll at the head of the blocks of a statement.
func (e *emitter) pollAtHead(header ...ast.Node) string {
	if e.takesLong(header...) {
		return e.poll(header[0])
	}
	return ""
}

// pollBehind is the poll behind a statement.
func (e *emitter) pollBehind(s ast.Stmt) string {
	if e.polled {
		return ""
	}
	header := headerOf(s)
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.ForStmt:
	case *ast.RangeStmt:
		if isChannel(coreType(e.typeOf(s.X))) {
			return e.poll(s)
		}
	case *ast.IfStmt:
		for other, ok := s.Else.(*ast.IfStmt); ok; other, ok = other.Else.(*ast.IfStmt) {
			header = append(header, headerOf(other)...)
		}
	case *ast.SwitchStmt:
	default:
		return ""
	}
	if leaves(s) {
		return ""
	}
	return e.pollAtHead(header...)
}

// leaves tells whether nothing comes behind a statement, as far as that is seen from its form.
func leaves(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return len(s.List) > 0 && leaves(s.List[len(s.List)-1])
	case *ast.IfStmt:
		return s.Else != nil && leaves(s.Body) && leaves(s.Else)
	}
	return false
}

// pollBeforeStore is the poll between an expression and the assignment of its values.
func (e *emitter) pollBeforeStore(x ast.Expr) string {
	if e.inHeader > 0 || !e.takesLong(x) {
		return ""
	}
	e.polled = true
	return e.poll(x)
}

// storeLater emits the assignment of what takes long to a variable of the session that is not
// stored in one step; "" for others.
func (e *emitter) storeLater(to place, x ast.Expr, value string) string {
	if !to.session || to.typ == nil || oneWord(to.typ) {
		return ""
	}
	before := e.pollBeforeStore(x)
	if before == "" {
		return ""
	}
	t := e.temporary("t")
	return strings.Join([]string{"var " + t + " " + e.spell(to.typ), t + " = " + value, before + e.storeOne(to, t)}, "\n")
}

// oneWord tells whether values of a type are never seen half stored.
func oneWord(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsString|types.IsComplex) == 0
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return false
}
