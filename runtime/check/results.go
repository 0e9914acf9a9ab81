package check

import (
	"go/ast"
	"go/types"
	"strings"
)

// ResultsShown reports which values of Results are shown. fails reports whether the last value is
// an error, which is not shown if it is nil. returnsSize reports whether the others only count what
// was written or read, as those of fmt.Println; they are shown only together with an error. For
// instance, os.ReadFile shows the bytes, and fmt.Println shows nothing unless writing fails.
func (c *Checked) ResultsShown() (fails, returnsSize bool) {
	results, ok := c.Info.TypeOf(c.Results).(*types.Tuple)
	if !ok {
		return false, false
	}
	fails = types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
	return fails, fails && onlySize(c.Results, results)
}

// OnlyFails reports whether Value is a call whose only result is an error. A nil error is not
// displayed. For instance os.Remove("x") shows nothing if it succeeds.
func (c *Checked) OnlyFails() bool {
	call, ok := ast.Unparen(c.Value).(*ast.CallExpr)
	return ok && !c.Info.Types[call.Fun].IsType() && types.Identical(c.Info.TypeOf(call), types.Universe.Lookup("error").Type())
}

// writers are prefixes of the names of functions that are called for their effect and return a
// count. The prefixes match methods as well, such as WriteString.
var writers = []string{"Print", "Fprint", "Write", "Scan", "Fscan", "Sscan"}

// onlySize reports whether a call such as fmt.Println(x) returns only a count of what it has
// written or read, and an error.
func onlySize(x ast.Expr, results *types.Tuple) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || results.Len() != 2 {
		return false
	}
	if basic, ok := results.At(0).Type().Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
		return false
	}
	name := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	for _, prefix := range writers {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
