package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// showResults emits the last call of a cell that has several results, and hands all of them to the session: an error
// among them must not be lost.
func (e *emitter) showResults(x ast.Expr) string {
	text, kinds := e.results2(x)
	var names, values []string
	for _, kind := range kinds {
		name := e.temporary("t")
		names = append(names, name)
		values = append(values, e.convertText(name, kind, universeAny))
	}
	fails := types.Identical(kinds[len(kinds)-1], types.Universe.Lookup("error").Type())
	return fmt.Sprintf("{\n%s := %s\n%s.Results(%t, %t, %s)\n}", strings.Join(names, ", "), text, support, fails,
		fails && tellsSize(x, kinds), strings.Join(values, ", "))
}

// writers begin the names of functions that are called for what they do, and tell how much that was.
var writers = []string{"Print", "Fprint", "Write", "Scan", "Fscan", "Sscan"}

// tellsSize tells whether a call such as fmt.Println(x) gives nothing but how much it has written or read, and an error.
func tellsSize(x ast.Expr, kinds []types.Type) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || len(kinds) != 2 {
		return false
	}
	if basic, ok := kinds[0].Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 {
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
