package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"

	"gosphere/runtime/realtype"
)

// unsafeBuiltin emits a use of a function of package unsafe that is no constant. Those that
// measure depend on type parameters, which are known by now; the others are compiled, and
// give their results as interface values because they have no type of their own.
func (e *emitter) unsafeBuiltin(x *ast.CallExpr, name string) string {
	first := x.Args[0]
	switch name {
	case "Sizeof":
		return e.measure(layout.Sizeof(e.measured(first)))
	case "Alignof":
		return e.measure(layout.Alignof(e.measured(first)))
	case "Offsetof":
		return e.measure(e.offset(ast.Unparen(first).(*ast.SelectorExpr)))
	case "Add":
		return fmt.Sprintf("%s.AddToPointer(%s, int(%s))", support, e.x(first), e.x(x.Args[1]))
	case "Slice":
		return fmt.Sprintf("%s.SliceAt(%s, int(%s)).(%s)", support, e.x(first), e.x(x.Args[1]), e.spell(e.typeOf(x)))
	case "SliceData":
		return fmt.Sprintf("%s.SliceData(%s).(%s)", support, e.x(first), e.spell(e.typeOf(x)))
	case "String":
		return fmt.Sprintf("%s.StringAt(%s, int(%s))", support, e.x(first), e.x(x.Args[1]))
	case "StringData":
		return fmt.Sprintf("%s.StringData(string(%s))", support, e.x(first))
	}
	panic(refuse(x.Pos(), "unsafe.%s is not available in cells", name))
}

func (e *emitter) measure(n int64) string {
	return fmt.Sprintf("%s.Measure(%d)", support, n) // a constant would be folded where Go computes
}

// measured is the type of the operand of Sizeof or Alignof; an untyped one has its default.
func (e *emitter) measured(x ast.Expr) types.Type { return types.Default(e.typeOf(x)) }

// offset is the offset of a field in the struct that the selector begins with, or in the
// last struct reached without following a pointer.
func (e *emitter) offset(x *ast.SelectorExpr) int64 {
	found, t := e.selection(x)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	var sum int64
	for _, i := range found.index {
		s := t.Underlying().(*types.Struct)
		var fields []*types.Var
		for j := range s.NumFields() {
			fields = append(fields, s.Field(j))
		}
		sum += layout.Offsetsof(fields)[i]
		t = s.Field(i).Type()
	}
	return sum
}

// pointerSupport are the compiled functions behind those of package unsafe.
func pointerSupport() map[string]reflect.Value {
	return map[string]reflect.Value{
		"NotNilPointer": reflect.ValueOf(notNilPointer),
		"AddToPointer":  reflect.ValueOf(realtype.AddToPointer),
		"Measure":       reflect.ValueOf(func(n uintptr) uintptr { return n }),
		"SliceAt":       reflect.ValueOf(realtype.SliceAt),
		"SliceData":     reflect.ValueOf(realtype.SliceData),
		"StringAt":      reflect.ValueOf(realtype.StringAt),
		"StringData":    reflect.ValueOf(realtype.StringData),
	}
}

// notNilPointer gives a pointer back, and panics for nil as reading through it does.
func notNilPointer(p any) any {
	if reflect.ValueOf(p).IsNil() {
		var nothing *int
		_ = *nothing
	}
	return p
}
