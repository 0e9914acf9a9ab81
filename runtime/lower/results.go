package lower

import (
	"fmt"
	"go/ast"
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
	fails, tellsSize := e.u.checked.ResultsShown()
	return fmt.Sprintf("{\n%s := %s\n%s.Results(%t, %t, %s)\n}", strings.Join(names, ", "), text, support, fails,
		tellsSize, strings.Join(values, ", "))
}
