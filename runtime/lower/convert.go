package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// convert emits x as a value of type to, to which it is assignable. All conversions to
// interfaces come through here, so that interface values hold real types only.
func (e *emitter) convert(x ast.Expr, to types.Type) string {
	to = e.typ(to)
	tv := e.src.info.Types[x]
	if tv.Value != nil && !isInterface(to) {
		return e.constantFor(x, to)
	}
	if tv.IsNil() || isUntypedNil(e.typeOf(x)) {
		return e.null(to)
	}
	if !isInterface(to) {
		return e.convertText(e.alone(x), e.typeOf(x), to)
	}
	if tv.Value != nil {
		return e.convertConstant(e.x(x), e.typeOf(x), to)
	}
	return e.convertText(e.x(x), e.typeOf(x), to)
}

// isFile tells whether t is *os.File. Its values are interface values of a type of package
// guard where they are the streams of the process, because cells have streams of their own.
func isFile(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "File" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "os"
}

func (e *emitter) constantFor(x ast.Expr, to types.Type) string {
	return literal(e, e.src.info.Types[x].Value, to)
}

// null emits nil of a type. The interpreter loses the type of a nil in some assignments.
func (e *emitter) null(to types.Type) string {
	if to == nil || isUntypedNil(to) {
		return "nil"
	}
	return e.converter(to) + "(nil)"
}

// forgedFunction converts a function to a recursive function type, which the interpreter
// knows as a compiled type only and does not give its own functions.
func (e *emitter) forgedFunction(text string, from, to types.Type) string {
	if from == nil || to == nil || isUntypedNil(from) || types.Identical(from, to) {
		return text
	}
	named, ok := types.Unalias(to).(*types.Named)
	if !ok || !e.u.s.ours(named) {
		return text
	}
	if _, function := named.Underlying().(*types.Signature); !function || !e.u.s.recursive(e.u.s.record(e.u, named)) {
		return text
	}
	return fmt.Sprintf("%s.Reshape((*%s)(nil), %s).(%s)", support, e.spell(to), text, e.spell(to))
}

// convertConstant is convertText for constants, which operations cannot take.
func (e *emitter) convertConstant(text string, from, to types.Type) string {
	if basic, ok := from.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		from = types.Default(from)
	}
	if isInterface(from) || !e.u.s.boxed(from) {
		return e.convertText(text, from, to)
	}
	return e.boxed(text, from, to)
}

// boxed emits a conversion to an interface type by a call.
func (e *emitter) boxed(text string, from, to types.Type) string {
	text = support + ".Box(" + e.u.descriptor(from) + ", " + text + ")"
	if isEmptyInterface(to) {
		return text
	}
	return text + ".(" + e.spell(to) + ")"
}

// convertText converts the value that the text stands for, which is no constant.
func (e *emitter) convertText(text string, from, to types.Type) string {
	text = e.forgedFunction(text, from, to)
	if from == nil || to == nil || !isInterface(to) || isInterface(from) {
		return text
	}
	if isUntypedNil(from) {
		return e.null(to)
	}
	if basic, ok := from.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		from = types.Default(from)
	}
	if isFile(from) {
		text = support + ".File(" + text + ")"
		if !isEmptyInterface(to) {
			text += ".(" + e.spell(to) + ")"
		}
		return text
	}
	if !e.u.s.boxed(from) {
		if _, function := from.Underlying().(*types.Signature); function {
			// The interpreter's own functions become Go functions when they pass
			// through compiled code.
			text = support + ".Same(" + text + ")"
			if !isEmptyInterface(to) {
				text += ".(" + e.spell(to) + ")"
			}
		}
		return text
	}
	if isPlain(from) {
		return e.u.box(from, to).on(text)
	}
	return e.boxed(text, from, to)
}

// conversion emits T(x).
func (e *emitter) conversion(x *ast.CallExpr) string {
	to, from := e.typeOf(x.Fun), e.typeOf(x.Args[0])
	operand := x.Args[0]
	if isInterface(to) {
		if isUntypedNil(from) {
			return e.null(to)
		}
		if isInterface(from) {
			return e.converter(to) + "(" + e.x(operand) + ")"
		}
		text := e.convert(operand, to)
		if e.u.s.boxed(from) {
			return text
		}
		return e.converter(to) + "(" + text + ")"
	}
	if isUntypedNil(from) {
		return e.null(to)
	}
	if s, ok := to.Underlying().(*types.Struct); ok && s.NumFields() == 0 {
		return "func(interface{}) " + e.spell(to) + " { return " + e.spell(to) + "{} }(" + e.x(operand) + ")"
	}
	spelled := e.spell(to)
	if text := e.x(operand); e.forgedFunction(text, from, to) != text {
		return e.forgedFunction(text, from, to)
	}
	if e.src.info.Types[operand].Value == nil && spelled == e.spell(from) {
		if literal, ok := ast.Unparen(operand).(*ast.FuncLit); ok {
			return e.x(literal) // in parentheses the interpreter cannot return it
		}
		if e.isDeclared(operand) {
			return e.x(operand) // in parentheses it is not found where it stands in a literal
		}
		text := e.x(operand)
		if token.IsIdentifier(text) {
			return text // in parentheses the interpreter takes it for a condition where && or || begin with it
		}
		return "(" + text + ")"
	}
	if tv := e.src.info.Types[operand]; tv.Value != nil {
		if _, basic := to.Underlying().(*types.Basic); !basic || e.env != nil {
			return e.converter(to) + "(" + literal(e, tv.Value, from) + ")"
		}
	}
	if e.isReinterpreted(from, to) {
		return fmt.Sprintf("%s.Reshape((*%s)(nil), %s).(%s)", support, spelled, e.x(operand), spelled)
	}
	return e.converter(to) + "(" + e.x(operand) + ")"
}

// isReinterpreted tells whether a conversion between types that are spelled in two ways is beyond the interpreter: it takes a
// compiled struct and one of cells, whose fields have other names, for different, and so pointers to them.
func (e *emitter) isReinterpreted(from, to types.Type) bool {
	if p, ok := from.Underlying().(*types.Pointer); ok {
		_, both := to.Underlying().(*types.Pointer)
		return both && !types.Identical(p, to.Underlying())
	}
	s, ok := from.Underlying().(*types.Struct)
	return ok && s.NumFields() > 0 && (e.isCompiledType(from) || e.isCompiledType(to))
}

// isCompiledType tells whether t is a named type of a compiled package.
func (e *emitter) isCompiledType(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && !e.u.s.ours(named)
}

// converter spells a type for a conversion, with parentheses where the syntax wants them.
func (e *emitter) converter(t types.Type) string {
	spelled := e.spell(t)
	for _, prefix := range []string{"*", "<-", "chan"} {
		if strings.HasPrefix(spelled, prefix) {
			return "(" + spelled + ")"
		}
	}
	if strings.Contains(spelled, "func(") { // the operand would be its result
		return "(" + spelled + ")"
	}
	return spelled
}

// zero emits the zero value of a type.
func (e *emitter) zero(t types.Type) string {
	switch b := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case b.Info()&types.IsBoolean != 0:
			return "false"
		case b.Info()&types.IsString != 0:
			return e.spell(t) + `("")`
		case b.Info()&types.IsNumeric != 0:
			return e.spell(t) + "(0)"
		}
	case *types.Struct, *types.Array:
		return e.spell(t) + "{}"
	}
	return e.null(t)
}
