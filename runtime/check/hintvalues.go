package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// overflowHint returns a hint that names a type for the constant at the error. Values of constants
// are exact in go/types, so the smallest type that holds one can be named.
func overflowHint(m *mistake) string {
	for _, n := range m.path {
		x, ok := n.(ast.Expr)
		if !ok || x.Pos() != m.error.Pos {
			continue
		}
		value := constant.ToInt(m.pass.info.Types[x].Value)
		if value == nil || value.Kind() != constant.Int {
			continue
		}
		source := types.ExprString(x)
		if _, fits := constant.Int64Val(value); fits {
			return fmt.Sprintf("the value does not fit; int and int64 hold it: int64(%s)", source)
		}
		if _, fits := constant.Uint64Val(value); fits {
			return fmt.Sprintf("the value does not fit; uint64 holds it: uint64(%s)", source)
		}
		return fmt.Sprintf("no integer type holds the value; float64(%s) rounds it, and big.Int of math/big has any number of digits", source)
	}
	return "the value does not fit into this type"
}

// severalResults returns a hint for a call with several results that is the only argument of
// another call with other parameters.
func severalResults(m *mistake) string {
	for i := len(m.path) - 1; i > 0; i-- {
		inner, ok := m.path[i].(*ast.CallExpr)
		if !ok {
			continue
		}
		outer, ok := m.path[i-1].(*ast.CallExpr)
		results, several := m.pass.info.TypeOf(inner).(*types.Tuple)
		if !ok || !several || results.Len() < 2 || len(outer.Args) != 1 || outer.Args[0] != inner {
			continue
		}
		list := types.TypeString(results, nil)
		return fmt.Sprintf("%s has %d results; assign them first: %s := %s", types.ExprString(inner.Fun), results.Len(), strings.Join(resultNames(list[1:len(list)-1]), ", "), types.ExprString(inner))
	}
	return ""
}
