package lower

import (
	"go/types"
	"reflect"
	"strings"

	"gosphere/runtime/realtype"
)

// Calling compiled code costs the interpreter 200 ns and more, because it goes through package
// reflect. Conversions are a way around it: the interpreter asks for compiled code when it
// compiles one. So compiled code with one operand that is needed often is a conversion to a
// struct type of its own, whose field is the result:
//
//	cells.Oˑ7(gs.Any(x)).V
//
// The conversion in between does nothing at run time. It lets the interpreter take any operand.

// An operation is the name of such a type in emitted code.
type operation string

// operation makes one with results of a type. The letter begins its name.
func (s *Session) operation(letter string, result reflect.Type, run func(from, to reflect.Value)) operation {
	name := letter + localMark + strings.TrimPrefix(s.global(""), globalMark)
	marker := reflect.StructOf([]reflect.StructField{{Name: "V", Type: result, Tag: reflect.StructTag(name)}})
	s.engine.Operation(marker, func(from, to reflect.Value) { run(from, to.Field(0)) })
	s.engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{name: reflect.Zero(reflect.PointerTo(marker))})
	return operation(cells + "." + name)
}

// on emits the operation on an operand, which must be a value and no constant.
func (o operation) on(operand string) string {
	return string(o) + "(" + support + ".Any(" + operand + ")).V"
}

// box is the operation that makes values of a type interface values.
func (u *unit) box(from, to types.Type) operation {
	d, text := u.describe(from), u.spell(to)
	if found, ok := d.boxes[text]; ok {
		return found
	}
	target := anyType
	if !isEmptyInterface(to) {
		target = u.real(to)
	}
	if d.boxes == nil {
		d.boxes = map[string]operation{}
	}
	d.boxes[text] = u.s.operation("O", target, realtype.Boxing(d.value, target))
	return d.boxes[text]
}

// unbox is the operation that asserts that an interface value of a static type holds one of
// another type.
func (u *unit) unbox(from, to types.Type) operation {
	d, text := u.describe(to), u.spell(from)
	if found, ok := d.unboxed[text]; ok {
		return found
	}
	static := anyType
	if !isEmptyInterface(from) {
		static = u.real(from)
	}
	if d.unboxed == nil {
		d.unboxed = map[string]operation{}
	}
	d.unboxed[text] = u.s.operation("O", u.layout(to), realtype.Unboxing(d.value, static))
	return d.unboxed[text]
}

// test is unbox for assertions with two results, which are fields V and OK of its own result.
func (u *unit) test(to types.Type) operation {
	d := u.describe(to)
	if d.tested == "" {
		result := reflect.StructOf([]reflect.StructField{{Name: "V", Type: u.layout(to)}, {Name: "OK", Type: reflect.TypeFor[bool]()}})
		d.tested = u.s.operation("O", result, realtype.Testing(d.value))
	}
	return d.tested
}

// isPlain tells whether the interpreter keeps values of a type as they are. Its functions are
// of a form of their own.
func isPlain(t types.Type) bool {
	_, function := t.Underlying().(*types.Signature)
	return !function
}
