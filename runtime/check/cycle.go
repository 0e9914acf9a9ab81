package check

import (
	"go/ast"
	"go/types"
)

// addInterfaceCycles reports unnamed interface types that refer to themselves, such as J in type J
// interface{ M() interface{ J } }. gc rejects them, but go/types does not. See go.dev/issue/56103.
//
// The linker could not finish such a type: it makes run-time types of unnamed interfaces from their
// parts, and this one would be a part of itself.
func (p *pass) addInterfaceCycles() {
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			t, ok := types.Unalias(p.info.TypeOf(x)).(*types.Interface)
			if ok && methodsMention(t, map[*types.Interface]bool{}) {
				p.errors = append(p.errors, types.Error{Fset: p.work.fset, Pos: x.Pos(), Msg: "invalid recursive type: anonymous interface refers to itself"})
			}
			// If the outer type is sound, its parts are as well.
			return !ok
		})
	}
}

// methodsMention reports whether the methods of an interface type lead to an unnamed interface type
// that contains itself. above contains the interface types being examined.
func methodsMention(t *types.Interface, above map[*types.Interface]bool) bool {
	for m := range t.Methods() {
		if returnsTo(m.Type(), above) {
			return true
		}
	}
	return false
}

// returnsTo reports whether a type leads to one of the interface types in above without passing a
// named type. The search may be exponential in theory, but such types are small. An interface type
// is removed from above when it has been examined, because only a path that returns to itself is a
// cycle.
func returnsTo(t types.Type, above map[*types.Interface]bool) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Interface:
		if above[t] {
			return true
		}
		above[t] = true
		defer delete(above, t)
		return methodsMention(t, above)
	case *types.Map:
		return returnsTo(t.Key(), above) || returnsTo(t.Elem(), above)
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		return returnsTo(t.Elem(), above)
	case *types.Signature:
		return returnsTo(t.Params(), above) || returnsTo(t.Results(), above)
	case *types.Tuple:
		for v := range t.Variables() {
			if returnsTo(v.Type(), above) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if returnsTo(f.Type(), above) {
				return true
			}
		}
	}
	return false // a named type ends the search
}
