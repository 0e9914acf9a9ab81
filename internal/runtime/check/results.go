package check

import (
	"go/ast"
	"go/types"
	"strings"
)

// ResultsShown tells what of the values of Results is shown. Fails: the last one is an error, which is left out while it is nil.
// TellsSize: the others only tell how much was written or read, as those of fmt.Println do, and are shown beside an error alone.
func (c *Checked) ResultsShown() (fails, tellsSize bool) {
	results, ok := c.Info.TypeOf(c.Results).(*types.Tuple)
	if !ok {
		return false, false
	}
	fails = types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
	return fails, fails && onlySize(c.Results, results)
}

// OnlyFails reports whether Value is a call that gives nothing but an error, which is not shown while it is nil either.
func (c *Checked) OnlyFails() bool {
	call, ok := ast.Unparen(c.Value).(*ast.CallExpr)
	return ok && !c.Info.Types[call.Fun].IsType() && types.Identical(c.Info.TypeOf(call), types.Universe.Lookup("error").Type())
}

// writers begin the names of functions that are called for what they do, and tell how much that was.
var writers = []string{"Print", "Fprint", "Write", "Scan", "Fscan", "Sscan"}

// onlySize reports whether a call such as fmt.Println(x) gives nothing but how much it has written or read, and an error.
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
