package vet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// notebook reports mistakes that are frequent in notebooks and that go vet leaves to other tools. A
// compiler accepts all of these, and in a program a reviewer would notice them; a beginner in a
// notebook sees only a wrong result.
var notebook = &analysis.Analyzer{
	Name: "notebook", Doc: "finds unused results, deferred calls in loops, divisions and powers of integer constants, and comparisons with NaN",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		// The inspector visits a call before the literal in its arguments, so the bodies are known
		// in time.
		timed := map[*ast.BlockStmt]bool{} // bodies run by %timeit
		pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Preorder(
			[]ast.Node{(*ast.CallExpr)(nil), (*ast.BlockStmt)(nil), (*ast.CaseClause)(nil), (*ast.CommClause)(nil), (*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.BinaryExpr)(nil)},
			func(n ast.Node) {
				switch n := n.(type) {
				case *ast.CallExpr:
					if body := timedBody(pass, n); body != nil {
						timed[body] = true
					}
				case *ast.BlockStmt:
					if !timed[n] {
						unusedResults(pass, n.List)
					}
				case *ast.CaseClause:
					unusedResults(pass, n.Body)
				case *ast.CommClause:
					unusedResults(pass, n.Body)
				case *ast.ForStmt:
					deferredInLoop(pass, n.Body)
				case *ast.RangeStmt:
					deferredInLoop(pass, n.Body)
				case *ast.BinaryExpr:
					integerDivision(pass, n)
					exclusiveOr(pass, n)
					comparedWithNaN(pass, n)
				}
			})
		return nil, nil
	},
}

// magicPackage contains the functions that magics call.
const magicPackage = "gosphere/runtime/magic"

// pure are packages whose functions have no effect besides their results.
var pure = map[string]bool{
	"strings": true, "math": true, "math/cmplx": true, "math/bits": true, "strconv": true, "errors": true, "unicode": true,
	"unicode/utf8": true, "path": true, "cmp": true, "slices": true, "maps": true, "bytes": true, "html": true,
}

// pureFunctions are functions without effects, in packages that have functions with effects as
// well. time.Now is among them because its result is the only reason to call it.
var pureFunctions = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Errorf": true, "fmt.Append": true, "fmt.Appendf": true,
	"fmt.Appendln": true, "sort.Reverse": true, "time.Now": true, "time.Since": true, "path/filepath.Join": true,
}

// unusedResults warns about statements that call a pure function. The last expression of a cell is
// displayed and therefore used. A function with a parameter of a function type may have an effect
// by calling it, as slices.SortFunc does. Methods are included only for the values of package time,
// such as t.Add, which return a new value. A typical mistake is strings.ToUpper(s) in a line of its
// own, in place of s = strings.ToUpper(s).
func unusedResults(pass *analysis.Pass, list []ast.Stmt) {
	for i, s := range list {
		statement, ok := s.(*ast.ExprStmt)
		if !ok || i == len(list)-1 && isCellBody(pass, list) || i > 0 && isMagic(pass, list[i-1], "Begin") {
			continue
		}
		call, ok := ast.Unparen(statement.X).(*ast.CallExpr)
		if !ok {
			continue
		}
		f, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
		if !ok || f.Pkg() == nil || f.Signature().Results().Len() == 0 || takesFunction(f.Signature()) {
			continue
		}
		name := f.Pkg().Name() + "." + f.Name()
		if receiver := f.Signature().Recv(); receiver != nil {
			if f.Pkg().Path() != "time" || !isValue(receiver.Type()) {
				continue
			}
			name = types.ExprString(call.Fun)
		} else if !pure[f.Pkg().Path()] && !pureFunctions[f.Pkg().Path()+"."+f.Name()] {
			continue
		}
		pass.Reportf(call.Pos(), "result of %s is not used: it changes nothing by itself", name)
	}
}

// timedBody returns the statements that %timeit runs, whose results are not needed, or nil for
// other calls.
func timedBody(pass *analysis.Pass, call *ast.CallExpr) *ast.BlockStmt {
	if !isMagic(pass, &ast.ExprStmt{X: call}, "Timeit") || len(call.Args) == 0 {
		return nil
	}
	if literal, ok := call.Args[0].(*ast.FuncLit); ok {
		return literal.Body
	}
	return nil
}

// isMagic reports whether a statement is the expansion of a magic. A line with %time becomes calls
// around a statement, whose result may then be unused on purpose.
func isMagic(pass *analysis.Pass, s ast.Stmt, name string) bool {
	statement, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
	return ok && f.Name() == name && f.Pkg() != nil && f.Pkg().Path() == magicPackage
}

// isCellBody reports whether statements are the top-level statements of the cell. Only these have a
// displayed last expression.
func isCellBody(pass *analysis.Pass, list []ast.Stmt) bool {
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && len(f.Body.List) > 0 && len(list) > 0 &&
				f.Body.List[0] == list[0] && f.Name.Name == "cell__body" {
				return true
			}
		}
	}
	return false
}

// isValue reports whether the receiver is not a pointer, so that a method cannot change it.
func isValue(t types.Type) bool {
	_, pointer := t.(*types.Pointer)
	return !pointer
}

// takesFunction reports whether a parameter is a function.
func takesFunction(s *types.Signature) bool {
	for parameter := range s.Params().Variables() {
		if _, ok := parameter.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

// deferredInLoop warns about deferred calls directly in the body of a loop. For instance "for _,
// name := range names { f, _ := os.Open(name); defer f.Close() }" keeps all files open until the
// cell ends.
func deferredInLoop(pass *analysis.Pass, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt: // inner loops are visited separately
			return false
		case *ast.DeferStmt:
			pass.Reportf(n.Pos(), "deferred in a loop: it runs when the function or the cell ends, not at the end of the round")
		}
		return true
	})
}

// exclusiveOr warns about 2 ^ 3 and 10 ^ 3, which are most likely meant as powers. The message
// contains the value, as in "10 ^ 3 is 9". Only the bases 2 and 10 are reported.
func exclusiveOr(pass *analysis.Pass, x *ast.BinaryExpr) {
	a, b := intLiteral(x.X), intLiteral(x.Y)
	if x.Op != token.XOR || a == nil || b == nil || a.ExactString() != types.ExprString(x.X) || b.ExactString() != types.ExprString(x.Y) {
		return // hexadecimal, octal and binary operands are intended
	}
	if base := a.ExactString(); base == "2" || base == "10" {
		pass.Reportf(x.Pos(), "%s is %s: ^ is exclusive or; the power is math.Pow(%s, %s)", types.ExprString(x), constant.BinaryOp(a, token.XOR, b), a, b)
	}
}

// integerDivision warns about 1 / 2, which is 0, also where a float is expected. Only literals are
// reported. A division of variables or of named constants is usually intended, and so is one
// without a remainder.
func integerDivision(pass *analysis.Pass, x *ast.BinaryExpr) {
	a, b := intLiteral(x.X), intLiteral(x.Y)
	if x.Op != token.QUO || a == nil || b == nil || constant.Sign(b) == 0 {
		return
	}
	if constant.Sign(constant.BinaryOp(a, token.REM, b)) != 0 {
		pass.Reportf(x.Pos(), "%s", divisionText(x, a, b))
	}
}

// divisionText returns the message, with the correction for these operands. QUO_ASSIGN requests
// integer division from package constant. For instance "1 / 2 is 0: both are integers; 1.0 / 2 has
// a fraction".
func divisionText(x *ast.BinaryExpr, a, b constant.Value) string {
	return fmt.Sprintf("%s is %s: both are integers; %s.0 / %s has a fraction", types.ExprString(x), constant.BinaryOp(a, token.QUO_ASSIGN, b), a, b)
}

// intLiteral returns the value of an integer literal, or nil for any other expression.
func intLiteral(x ast.Expr) constant.Value {
	literal, ok := ast.Unparen(x).(*ast.BasicLit)
	if !ok || literal.Kind != token.INT {
		return nil
	}
	return constant.MakeFromLiteral(literal.Value, token.INT, 0)
}

// comparedWithNaN warns about comparisons such as x == math.NaN(), which is always false, and x !=
// math.NaN(), which is always true.
func comparedWithNaN(pass *analysis.Pass, x *ast.BinaryExpr) {
	if x.Op != token.EQL && x.Op != token.NEQ {
		return
	}
	for _, side := range []ast.Expr{x.X, x.Y} {
		call, ok := ast.Unparen(side).(*ast.CallExpr)
		if !ok {
			continue
		}
		if f, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func); ok && f.FullName() == "math.NaN" {
			pass.Reportf(x.Pos(), "nothing equals NaN, not even itself: use math.IsNaN")
		}
	}
}
