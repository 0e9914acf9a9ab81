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
