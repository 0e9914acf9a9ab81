package lower

import (
	"go/ast"
	"go/token"
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
	kinds, ok := e.calm[x]
	if !ok {
		return ""
	}
	return support + "." + e.u.s.options.Following(f.Pkg().Path(), f.Name(), kinds)
}

// calmPrints finds the printing functions in a loop that calls only functions that compute or
// print; nil if there are none, or if it is no such loop.
// With each come the kinds of its call's arguments.
func (e *emitter) calmPrints(s ast.Stmt) map[*ast.Ident][]string {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	default:
		return nil
	}
	prints, calm := map[*ast.Ident][]string{}, true
	w := &quietWalk{e: e}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // may be called where it is not calm
			calm = false
		case *ast.ExprStmt: // whose results nobody wants
			if name, f := e.calledByName(n.X); f != nil && e.u.s.options.Following(f.Pkg().Path(), f.Name(), nil) != "" {
				prints[name] = e.kindsOfArguments(ast.Unparen(n.X).(*ast.CallExpr))
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

// kindsOfArguments lists the types of what a call of a printing function hands over, in the form
// of Options.Following; nil for a slice or the results of a call.
func (e *emitter) kindsOfArguments(call *ast.CallExpr) []string {
	if call.Ellipsis.IsValid() {
		return nil
	}
	if len(call.Args) == 1 {
		if _, several := e.src.info.TypeOf(call.Args[0]).(*types.Tuple); several {
			return nil
		}
	}
	kinds := []string{}
	for _, a := range call.Args {
		kinds = append(kinds, e.plainKind(a))
	}
	return kinds
}

// plainKind is the type of an expression whose value the interpreter has in just that type: int,
// string or float64; "" for others.
func (e *emitter) plainKind(x ast.Expr) string {
	if e.src.info.Types[x].Value == nil && !e.isPlain(x) {
		return ""
	}
	switch types.Default(types.Unalias(e.typeOf(x))) {
	case types.Typ[types.Int]:
		return "int"
	case types.Typ[types.String]:
		return "string"
	case types.Typ[types.Float64]:
		return "float64"
	}
	return ""
}

// isPlain tells whether an expression is made of variables, their parts, sums, products and calls.
func (e *emitter) isPlain(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return true
	case *ast.ParenExpr:
		return e.isPlain(x.X)
	case *ast.CallExpr:
		return !e.src.info.Types[x.Fun].IsType()
	case *ast.BinaryExpr:
		return x.Op != token.SHL && x.Op != token.SHR
	}
	return false
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
