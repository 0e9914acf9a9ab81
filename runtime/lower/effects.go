package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// An effectsWalk looks for what a function changes. One that only computes, and assigns to
// variables of its own, has no effects; it may fail.
type effectsWalk struct {
	e    *emitter
	seen map[*types.Func]bool // functions that are being looked at, or have been
}

// call tells whether a call may have effects. Those of what cannot be looked at are taken for
// granted.
func (w *effectsWalk) call(x *ast.CallExpr) bool {
	f := (&quietWalk{e: w.e}).callee(x)
	if f == nil {
		return true
	}
	symbol := w.e.u.s.symbol(f, w.e.src.checked)
	if symbol == nil {
		return !computes(f) || f.Pkg().Path() == "fmt"
	}
	if effects, known := w.e.u.s.effects[symbol]; known {
		return effects
	}
	d := w.e.u.declarationOf(f)
	if d == nil || d.Body == nil || generic(f) {
		return true
	}
	if w.seen[f] {
		return false // it has none if the rest has none
	}
	w.seen[f] = true
	inner := &effectsWalk{e: w.e.u.emitter(w.e.u.source(d)), seen: w.seen}
	return inner.any(d.Body)
}

// withoutEffects are the builtin functions that change nothing.
var withoutEffects = map[string]bool{
	"len": true, "cap": true, "min": true, "max": true, "make": true, "new": true, "real": true, "imag": true, "complex": true,
}

// any tells whether the code of a function may have effects.
func (w *effectsWalk) any(body ast.Node) bool {
	effects := false
	info := w.e.src.info
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt:
			effects = true
		case *ast.UnaryExpr:
			effects = effects || n.Op == token.ARROW
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				effects = effects || !w.isOwn(x)
			}
		case *ast.IncDecStmt:
			effects = effects || !w.isOwn(n.X)
		case *ast.RangeStmt:
			t := w.e.typeOf(n.X)
			if t == nil {
				break
			}
			switch coreType(t).(type) {
			case *types.Signature, *types.Chan:
				effects = true
			}
			effects = effects || n.Key != nil && !w.isOwn(n.Key) || n.Value != nil && !w.isOwn(n.Value)
		case *ast.CallExpr:
			switch tv := info.Types[n.Fun]; {
			case tv.IsType():
			case tv.IsBuiltin():
				id, ok := ast.Unparen(n.Fun).(*ast.Ident)
				effects = effects || !ok || !withoutEffects[id.Name]
			default:
				effects = effects || w.call(n)
			}
		}
		return !effects
	})
	return effects
}

// isOwn tells whether an expression is a variable of the function itself, or a part of one.
func (w *effectsWalk) isOwn(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if x.Name == "_" {
			return true
		}
		v, ok := w.e.objectOf(x).(*types.Var)
		return ok && !w.e.isSession(v) && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
	case *ast.SelectorExpr:
		s := w.e.src.info.Selections[x]
		if s == nil || s.Indirect() {
			return false
		}
		_, pointer := s.Recv().Underlying().(*types.Pointer)
		return !pointer && w.isOwn(x.X)
	case *ast.IndexExpr:
		t := w.e.typeOf(x.X)
		if t == nil {
			return false
		}
		_, array := coreType(t).(*types.Array)
		return array && w.isOwn(x.X)
	}
	return false
}
