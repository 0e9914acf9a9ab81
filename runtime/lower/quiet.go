package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// quiet tells whether running the code cannot start a goroutine that runs code of cells: it
// makes no function literals, and calls only functions of which that is known.
func (e *emitter) quiet(n ast.Node) bool {
	w := &quietWalk{e: e, seen: map[*types.Func]bool{}}
	return w.quiet(n)
}

type quietWalk struct {
	e    *emitter
	seen map[*types.Func]bool // functions that are being looked at, or have been
}

func (w *quietWalk) quiet(n ast.Node) bool {
	quiet := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.LabeledStmt:
			quiet = false
		case *ast.EmptyStmt:
			quiet = quiet && (w.e.src.checked == nil || n != w.e.src.checked.Initialized) // a call of init
		case *ast.RangeStmt:
			if t := w.e.typeOf(n.X); t != nil {
				_, function := coreType(t).(*types.Signature)
				quiet = quiet && !function
			}
		case *ast.BranchStmt:
			quiet = quiet && n.Tok != token.GOTO
		case *ast.CallExpr:
			quiet = quiet && w.call(n)
		}
		return quiet
	})
	return quiet
}

func (w *quietWalk) call(x *ast.CallExpr) bool {
	tv := w.e.src.info.Types[x.Fun]
	if tv.IsType() || tv.IsBuiltin() {
		return true
	}
	f := w.callee(x)
	if f == nil {
		return false
	}
	if symbol := w.e.u.s.symbol(f, w.e.src.checked); symbol != nil {
		if quiet, known := w.e.u.s.quiet[symbol]; known {
			return quiet
		}
		d := w.e.u.declarationOf(f)
		if d == nil || d.Body == nil || generic(f) {
			return false
		}
		if w.seen[f] {
			return true // it is quiet if the rest is
		}
		w.seen[f] = true
		inner := &quietWalk{e: w.e.u.emitter(w.e.u.source(d)), seen: w.seen}
		return inner.quiet(d.Body)
	}
	return w.compiled(x, f)
}

// callee is the function or method that a call names; nil if it is found at run time only.
func (w *quietWalk) callee(x *ast.CallExpr) *types.Func {
	fun := ast.Unparen(x.Fun)
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if found := w.e.src.info.Selections[s]; found != nil {
			f, ok := found.Obj().(*types.Func)
			if !ok || found.Kind() != types.MethodVal || w.e.env != nil || isInterface(f.Signature().Recv().Type()) {
				return nil
			}
			return f
		}
	}
	f, _ := w.e.calledObject(fun).(*types.Func)
	return f
}

// compiled tells whether a compiled function cannot call back into cells: it gets no
// functions, no interfaces, and nothing that may have methods of cells.
func (w *quietWalk) compiled(x *ast.CallExpr, f *types.Func) bool {
	if f.Pkg() == nil || f.Pkg().Path() == "main" || sharing[f.Pkg().Path()] {
		return false
	}
	for _, a := range x.Args {
		if w.e.src.info.Types[a].Value != nil {
			continue
		}
		t := w.e.typeOf(a)
		if t == nil || w.e.u.s.boxed(t) || !carriesNoCode(t) {
			return false
		}
	}
	return true
}

func carriesNoCode(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic, *types.Chan:
		return true
	case *types.Pointer:
		_, named := types.Unalias(t.Elem()).(*types.Named)
		return named || carriesNoCode(t.Elem())
	case *types.Slice:
		return carriesNoCode(t.Elem())
	case *types.Array:
		return carriesNoCode(t.Elem())
	case *types.Map:
		return carriesNoCode(t.Key()) && carriesNoCode(t.Elem())
	}
	return false
}

// callsLast tells whether a statement is a call whose parts are quiet: what it starts
// cannot disturb what the statement has done with maps before.
func (e *emitter) callsLast(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return e.isLastCall(s.X)
	case *ast.ReturnStmt:
		return len(s.Results) == 1 && e.isLastCall(s.Results[0]) && !e.fn.through
	}
	return false
}

func (e *emitter) isLastCall(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || !e.quiet(call.Fun) {
		return false
	}
	for _, a := range call.Args {
		if !e.quiet(a) {
			return false
		}
	}
	return true
}

// sharing are compiled packages that call functions of cells from goroutines of their own.
// A function of another package is named with it.
var sharing = map[string]bool{
	"net/http": true, "net/http/httptest": true, "net/rpc": true, "os/exec": true, "testing": true,
	"gonum.org/v1/gonum/optimize": true, "runtime.SetFinalizer": true, "runtime.AddCleanup": true,
}
