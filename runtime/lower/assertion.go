package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// assertion emits x.(T), with commaOk for the form with two results.
func (e *emitter) assertion(x *ast.TypeAssertExpr, commaOk bool) string {
	to, from := e.typeOf(x.Type), e.typeOf(x.X)
	if isInterface(to) && !isEmptyInterface(to) && !commaOk {
		return fmt.Sprintf("%s.MustImplement((*%s)(nil), (*%s)(nil), %s).(%s)", support, e.spell(to), e.spell(from), e.x(x.X), e.spell(to))
	}
	if isFile(to) || isEmptyInterface(to) || e.assertsAlone(x, from, to) {
		return e.assert(e.x(x.X), from, to, commaOk)
	}
	if !isInterface(to) {
		return e.unbox(e.x(x.X), from, to, commaOk)
	}
	return fmt.Sprintf("func(v interface{}) (%s, bool) { if v == nil { return %s, false }; w, ok := v.(%s); return w, ok }(%s)",
		e.spell(to), e.null(to), e.spell(to), e.x(x.X))
}

// assertsAlone tells whether the interpreter asserts rightly by itself. On a value that comes from
// compiled code, or has a compiled interface type, it looks for a struct's first field, which an
// empty struct has not.
func (e *emitter) assertsAlone(x *ast.TypeAssertExpr, from, to types.Type) bool {
	_, variable := ast.Unparen(x.X).(*ast.Ident)
	return variable && !isInterface(to) && !e.u.s.boxed(to) && assertsExactly(to) && e.env == nil &&
		(isEmptyInterface(from) || types.Identical(from, errorInterface))
}

// tests tells whether an assertion with two results is an operation.
func (e *emitter) tests(x *ast.TypeAssertExpr) bool {
	to, from := e.typeOf(x.Type), e.typeOf(x.X)
	s, ok := types.Unalias(to).(*types.Struct)
	return !isInterface(to) && !isFile(to) && isPlain(to) && !(ok && s.NumFields() == 0) && !e.assertsAlone(x, from, to)
}

// unpackTest emits the assignment of such an assertion.
func (e *emitter) unpackTest(left []place, names []*ast.Ident, x *ast.TypeAssertExpr) string {
	to, result := e.typeOf(x.Type), e.temporary("t")
	lines := []string{result + " := " + e.u.test(to).on(e.x(x.X))}
	if names != nil {
		e.bindFresh(left, names)
	}
	for i, l := range left {
		if l.typ == nil {
			continue
		}
		text, t := result+".V", to
		if i == 1 {
			text, t = result+".OK", types.Typ[types.Bool]
		}
		lines = append(lines, e.storeOne(l, e.convertText(text, t, l.typ)))
	}
	return strings.Join(lines, "\n")
}

var errorInterface = types.Universe.Lookup("error").Type()

// assert emits an assertion on an interface value. The interpreter's own test is whether
// the value can be assigned, which takes a named slice for a plain one; where the two
// differ, the real types are compared.
func (e *emitter) assert(text string, from, to types.Type, commaOk bool) string {
	if isInterface(to) && isEmptyInterface(to) {
		if commaOk {
			return support + ".AnyOrNil(" + text + ")"
		}
		return support + ".NotNil(" + text + ")"
	}
	if isFile(to) {
		if commaOk {
			return support + ".AsFile(" + text + ")"
		}
		return support + ".MustFile(" + text + ")"
	}
	spelled := e.spell(to)
	if isInterface(to) || !e.u.s.boxed(to) && assertsExactly(to) {
		return text + ".(" + spelled + ")"
	}
	return e.unbox(text, from, to, commaOk)
}

// unbox emits an assertion that compares real types.
func (e *emitter) unbox(text string, from, to types.Type, commaOk bool) string {
	spelled, operands := e.spell(to), "("+e.u.descriptor(to)+", "+text+")"
	if s, ok := types.Unalias(to).(*types.Struct); ok && s.NumFields() == 0 {
		if commaOk { // an assertion of the interpreter looks for the first field
			return fmt.Sprintf("func(ok bool) (%s, bool) { return %s{}, ok }(%s.Is%s)", spelled, spelled, support, operands)
		}
		return fmt.Sprintf("func(v interface{}) %s { return %s{} }(%s.Must%s)", spelled, spelled, support, operands)
	}
	if !commaOk && isPlain(to) {
		if text = e.u.unbox(from, to).on(text); mentionsNamed(to) {
			text = e.resultOf(to) + "(" + text + ")" // the result has the compiled form
		}
		return text
	}
	if commaOk {
		return support + ".Unbox" + operands + ".(" + spelled + ")"
	}
	return support + ".Must" + operands + ".(" + spelled + ")"
}

// resultOf emits the type of a result for a conversion. In parentheses the interpreter takes the name of one for a condition,
// where && or || begin with it.
func (e *emitter) resultOf(t types.Type) string {
	if spelled := e.spell(t); !token.IsIdentifier(spelled) {
		return "(" + spelled + ")"
	}
	return e.spell(t)
}

// mentionsNamed tells whether the interpreter takes a type for another one than its compiled
// form, because it knows it, or a part of it, by a name, or as a struct or channel of its own.
func mentionsNamed(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		switch t.Underlying().(type) {
		case *types.Basic, *types.Interface:
			return false
		}
		return t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == "main"
	case *types.Pointer:
		return mentionsNamed(t.Elem())
	case *types.Slice:
		return mentionsNamed(t.Elem())
	case *types.Array:
		return mentionsNamed(t.Elem())
	case *types.Map:
		return mentionsNamed(t.Key()) || mentionsNamed(t.Elem())
	case *types.Struct, *types.Chan:
		return true
	}
	return false
}

// assertsExactly tells whether only identical types can be assigned to t.
func assertsExactly(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return true
	case *types.Pointer:
		_, named := types.Unalias(t.Elem()).(*types.Named)
		return named
	case *types.Named:
		_, basic := t.Underlying().(*types.Basic)
		return basic
	}
	return false
}
