package lower

import (
	"go/ast"
	"go/types"
)

// In the kernel a print first asks the system whether something was written to the process's
// descriptors, by a child process or a compiled library, because that comes before it. In a
// loop that does nothing but compute and print, nobody whom the loop could have waited for has
// written there. So the loop asks once before it begins, and its prints do not.

// withCalmOutput emits a statement that may be such a loop.
func (e *emitter) withCalmOutput(s ast.Stmt, emit func() string) string {
	if e.calm != nil || e.src.checked == nil {
		return emit()
	}
	if e.calm = e.calmPrints(s); e.calm == nil {
		return emit()
	}
	defer func() { e.calm = nil }()
	return support + ".Drain()\n" + emit()
}

// following is the function for a print of a calm loop; "" for other uses of functions.
func (e *emitter) following(x *ast.Ident, f *types.Func) string {
	arguments, ok := e.calm[x]
	if !ok {
		return ""
	}
	return support + "." + e.u.s.options.Following(f.Pkg().Path(), f.Name(), arguments)
}

// calmPrints finds the printing functions in a loop that calls only functions that compute or
// print; nil if there are none, or if it is no such loop.
// With each comes how many arguments its call has, -1 for one whose values are a slice or the
// results of another call.
func (e *emitter) calmPrints(s ast.Stmt) map[*ast.Ident]int {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	default:
		return nil
	}
	prints, calm := map[*ast.Ident]int{}, true
	w := &quietWalk{e: e}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // may be called where it is not calm
			calm = false
		case *ast.ExprStmt: // whose results nobody wants
			if name, f := e.calledByName(n.X); f != nil && e.u.s.options.Following(f.Pkg().Path(), f.Name(), -1) != "" {
				prints[name] = e.countArguments(ast.Unparen(n.X).(*ast.CallExpr))
			}
		case *ast.CallExpr:
			if tv := e.src.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				f := w.callee(n)
				calm = calm && f != nil && computes(f)
			}
		}
		return calm
	})
	if !calm || len(prints) == 0 || e.disturbs(s) {
		return nil
	}
	return prints
}

// countArguments counts the values that a call hands over; -1 for a slice or the results of a call.
func (e *emitter) countArguments(call *ast.CallExpr) int {
	if call.Ellipsis.IsValid() {
		return -1
	}
	if len(call.Args) == 1 {
		if _, several := e.src.info.TypeOf(call.Args[0]).(*types.Tuple); several {
			return -1
		}
	}
	return len(call.Args)
}

// calledByName is the function of another package that a call names, and its name; nil for
// other expressions.
func (e *emitter) calledByName(x ast.Expr) (*ast.Ident, *types.Func) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		name = fun.Sel
	case *ast.Ident:
		name = fun
	}
	f, ok := e.src.info.Uses[name].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return nil, nil
	}
	return name, f
}

// computing are the compiled packages whose functions do nothing but compute, and
// computingText those functions of package fmt of which that can be said, and which print.
var (
	computing = map[string]bool{
		"math": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true,
		"strconv": true, "strings": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
	}
	computingText = map[string]bool{
		"Print": true, "Printf": true, "Println": true, "Sprint": true, "Sprintf": true, "Sprintln": true,
	}
)

// computes tells whether a function does nothing but compute, or prints to the cell. Methods
// may do more: that of a replacer writes to what it is given.
func computes(f *types.Func) bool {
	if f.Pkg() == nil || f.Signature().Recv() != nil {
		return false
	}
	path := f.Pkg().Path()
	return computing[path] || path == "fmt" && computingText[f.Name()]
}
