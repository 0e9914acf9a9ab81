package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"runtime"
)

// smallSize is the number of bytes that make may ask for without a check, when it is known
// before the cell runs.
const smallSize = 1 << 20

var layout = types.SizesFor("gc", runtime.GOARCH)

// checkedSize is the number of bytes from which a size that is known only when the cell
// runs is compared with the memory; package guard lets smaller ones pass.
const checkedSize = 64 << 20

// sizeCheck emits the check of a make with a simple number of elements in front of its
// statement, where it costs a comparison and not a call.
func (e *emitter) sizeCheck(s ast.Stmt) string {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return ""
	}
	x, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok || len(x.Args) != 2 || !e.src.info.Types[x.Fun].IsBuiltin() || !isPure(x.Args[1]) || e.src.info.Types[x.Args[1]].Value != nil {
		return ""
	}
	t, slice := e.typeOf(x).(*types.Slice)
	b, basic := e.typeOf(x.Args[1]).Underlying().(*types.Basic)
	if id, ok := ast.Unparen(x.Fun).(*ast.Ident); !ok || id.Name != "make" || !slice || !basic || b.Kind() != types.Int {
		return ""
	}
	for _, l := range a.Lhs {
		if hasCall(e, &ast.ExprStmt{X: l}) || e.usesMaps(x) {
			return "" // it might change the number
		}
	}
	e.sized = x
	size, n := max(layout.Sizeof(t.Elem()), 1), e.x(x.Args[1])
	return fmt.Sprintf("if %s > %d { %s.Room(%s, %d, %q) }\n", n, checkedSize/size, support, n, size, "makeslice: len out of range")
}

// sizes emits the numbers of elements that make is given. Package guard compares them with
// the memory there is, because Go's runtime ends the process where there is none.
func (e *emitter) sizes(x *ast.CallExpr) []string {
	size, text := int64(1), "makeslice: len out of range"
	switch t := coreType(e.typeOf(x.Args[0])).(type) {
	case *types.Slice:
		size = layout.Sizeof(t.Elem())
	case *types.Chan:
		size, text = layout.Sizeof(t.Elem()), "makechan: size out of range"
	case *types.Map:
		size, text = 2*layout.Sizeof(t.Key())+2*layout.Sizeof(t.Elem()), "" // a table is half full at least
	}
	var out []string
	if e.sized == x {
		return e.list(x.Args[1:])
	}
	for i, a := range x.Args[1:] {
		if i == 1 {
			text = "makeslice: cap out of range"
		}
		if v := e.src.info.Types[a].Value; v != nil {
			if n, ok := constant.Int64Val(constant.ToInt(v)); ok && n <= smallSize/max(size, 1) {
				out = append(out, e.x(a))
				continue
			}
		}
		if size == 0 {
			out = append(out, e.x(a))
			continue
		}
		out = append(out, fmt.Sprintf("%s.Room(int(%s), %d, %q)", support, e.x(a), size, text))
	}
	return out
}
