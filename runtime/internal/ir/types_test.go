package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"testing"
)

func TestKindsOfTypes(t *testing.T) {
	type kinds struct{ isInterface, isText, isSlice, isPointer, isUntyped bool }
	name := func(under types.Type) types.Type { return declaredType("main", "T", under) }
	alias := func(of types.Type) types.Type {
		return types.NewAlias(types.NewTypeName(0, types.NewPackage("main", "main"), "A", nil), of)
	}
	for _, c := range []struct {
		typ  types.Type
		want kinds
	}{
		{intType, kinds{}}, {boolType, kinds{}}, {arrayType, kinds{}}, {mapType, kinds{}}, {emptySig, kinds{}}, {pointType, kinds{}}, {channelType, kinds{}}, {rawType, kinds{}}, {types.NewTuple(), kinds{}},
		{StringType, kinds{isText: true}}, {name(StringType), kinds{isText: true}}, {alias(StringType), kinds{isText: true}}, {types.NewSlice(uint8Type), kinds{isSlice: true}}, {name(sliceType), kinds{isSlice: true}},
		{AnyType, kinds{isInterface: true}}, {errorType, kinds{isInterface: true}}, {readerType, kinds{isInterface: true}}, {alias(readerType), kinds{isInterface: true}},
		{pointerType, kinds{isPointer: true}}, {name(pointerType), kinds{isPointer: true}}, {alias(pointerType), kinds{isPointer: true}},
		{types.Typ[types.UntypedInt], kinds{isUntyped: true}}, {types.Typ[types.UntypedNil], kinds{isUntyped: true}}, {types.Typ[types.UntypedString], kinds{isUntyped: true, isText: true}},
	} {
		got := kinds{IsInterface(c.typ), IsText(c.typ), IsSlice(c.typ), IsPointer(c.typ), IsUntyped(c.typ)}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.typ, got, c.want)
		}
	}
	if IsPointer(nil) {
		t.Error("the type nil is a pointer type")
	}
}

func TestElementsOfTypes(t *testing.T) {
	for _, c := range []struct{ typ, want types.Type }{
		{sliceType, intType}, {types.NewArray(pointType, 2), pointType}, {types.NewPointer(arrayType), intType}, {StringType, uint8Type}, {declaredType("main", "T", StringType), uint8Type},
		{declaredType("main", "T", types.NewPointer(declaredType("main", "A", arrayType))), intType},
		{intType, nil}, {pointerType, nil}, {types.NewPointer(sliceType), nil}, {mapType, nil}, {channelType, nil}, {AnyType, nil}, {nil, nil},
	} {
		if got := elemType(c.typ); got != c.want {
			t.Errorf("an element of %v has the type %v, want %v", c.typ, got, c.want)
		}
	}
}

func TestPairsHaveAValueAndABool(t *testing.T) {
	pair := Pair(pointType)
	if text := TypeText(pair); text != "(Point, bool)" {
		t.Errorf("the type of a pair is %s", text)
	}
	if !types.Identical(pair, Pair(pointType)) || types.Identical(pair, Pair(intType)) {
		t.Error("pairs are not identical exactly if their values are")
	}
}

func TestResultTypes(t *testing.T) {
	for _, c := range []struct {
		results []types.Type
		want    string
		tuple   bool
	}{{nil, "()", true}, {[]types.Type{errorType}, "error", false}, {[]types.Type{intType, errorType}, "(int, error)", true}} {
		got := ResultType(signature([]types.Type{boolType}, c.results...))
		if _, tuple := got.(*types.Tuple); TypeText(got) != c.want || tuple != c.tuple {
			t.Errorf("a call with the results %v has the type %s, want %s", c.results, TypeText(got), c.want)
		}
	}
}

func TestTextsOfTypesNameTheirPackages(t *testing.T) {
	for _, c := range []struct {
		typ  types.Type
		want string
	}{
		{nil, "nil"}, {pointType, "Point"}, {durationType, "time.Duration"}, {types.NewMap(pointType, readerType), "map[Point]io.Reader"}, {declaredType("example.com/main", "T", intType), "T"},
		{declaredType("net/http", "Client", structOf()), "http.Client"}, {rawType, "unsafe.Pointer"}, {types.NewPointer(pairType), "*Pair[string, int]"},
		{types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "args", types.NewSlice(durationType))), nil, true), "func(args ...time.Duration)"},
	} {
		if got := TypeText(c.typ); got != c.want {
			t.Errorf("the type %v is shown as %s, want %s", c.typ, got, c.want)
		}
	}
}

func TestExpressionsThatPassesMake(t *testing.T) {
	l := &Local{Name: "l", Type: pointType, Pos: 7}
	for _, c := range []struct {
		x    Expr
		typ  types.Type
		pos  token.Pos
		text string
	}{
		{Use(l), pointType, 7, "l"}, {ZeroOf(errorType, 8), errorType, 8, "zero[error]"}, {IntConst(-3, 9), intType, 9, "-3"}, {BoolConst(true, 10), boolType, 10, "true"}, {BoolConst(false, 0), boolType, 0, "false"},
	} {
		if text := (&printer{fn: &Func{}}).expr(c.x); text != c.text || c.x.Type() != c.typ || c.x.Pos() != c.pos {
			t.Errorf("got the expression %s of type %s at %d, want %s of type %s at %d", text, c.x.Type(), c.x.Pos(), c.text, c.typ, c.pos)
		}
	}
	if n, exact := constant.Int64Val(IntConst(1<<62, 0).(*Const).Value); n != 1<<62 || !exact {
		t.Errorf("got the constant %d", n)
	}
	if a, b := Use(l), Use(l); a.Local != l || b.Local != l || a == b {
		t.Error("uses of a local are not nodes of their own")
	}
}

func TestHooksHaveThePositionOfTheirValue(t *testing.T) {
	called := 0
	h := CallHook(func(values []reflect.Value) { called += len(values) }, IntConst(1, 5)).(*Hook)
	h.Run(make([]reflect.Value, 2))
	if h.Pos() != 5 || h.X.(*Const).P != 5 || called != 2 {
		t.Errorf("the hook has the position %d and the value %v, and was called with %d values", h.Pos(), h.X, called)
	}
}

func TestSizesAreThoseOf64Bits(t *testing.T) {
	for typ, want := range map[types.Type]int64{intType: 8, types.Typ[types.Uintptr]: 8, pointerType: 8, AnyType: 16, StringType: 16, sliceType: 24, pointType: 16, types.NewArray(runeType, 3): 12} {
		if got := Sizes.Sizeof(typ); got != want {
			t.Errorf("a %s has %d bytes, want %d", typ, got, want)
		}
	}
}

func TestTitlesAreTheNamesThatUsersKnow(t *testing.T) {
	for name, want := range map[string]string{
		"main.f": "f", "main.T.m": "T.m", "main.(*T).m": "T.m", "main.F[...]": "F", "main.(*T[...]).m": "T.m", "cell": "", "main.cell": "", "main.cells": "cells", "other.f": "other.f", "main.main.f": "main.f",
	} {
		f := declared(name)
		if got := f.Title(); got != want {
			t.Errorf("%s has the title %q, want %q", name, got, want)
		}
		if got := f.nested("func1").nested("2").Title(); got != want {
			t.Errorf("a literal in a literal in %s has the title %q, want %q", name, got, want)
		}
	}
}

// TestPlacesHaveTheVariableThatTheyAreAPartOf checks which expressions can be assigned to, and the
// variable whose memory they are in.
func TestPlacesHaveTheVariableThatTheyAreAPartOf(t *testing.T) {
	point, line, array, slice, pointer := use("point", pointType), use("line", lineType), use("array", arrayType), use("slice", types.NewSlice(pointType)), use("pointer", types.NewPointer(arrayType))
	table := use("table", types.NewMap(StringType, types.NewArray(pointType, 2)))
	global := &GlobalExpr{of(lineType), &Global{Name: "g"}}
	m := entry(table, use("k", StringType))
	element, behind := elemOf(slice, number(0)), elemOf(pointer, number(1))
	for _, c := range []struct{ place, root Expr }{
		{point, point}, {global, global}, {deref(pointer), nil}, {fieldOf(fieldOf(line, 1), 0), line}, {fieldOf(global, 3), global}, {elemOf(array, number(2)), array}, {element, element}, {fieldOf(element, 1), element},
		{behind, behind}, {m, m}, {elemOf(fieldOf(line, 3), number(0)), nil},
	} {
		root, ok := placeOf(c.place)
		if c.root == nil { // a place of its own
			c.root = c.place
		}
		if !ok || root != c.root {
			t.Errorf("the root of %T is %v, want %v", c.place, root, c.root)
		}
	}
	call := &Call{Typed: of(pointType), Ref: refOf()}
	for _, x := range []Expr{
		number(1), ZeroOf(pointType, 0), call, fieldOf(call, 0), fieldOf(elemOf(m, number(0)), 1), elemOf(m, number(0)), elemOf(use("s", StringType), number(0)), elemOf(ZeroOf(arrayType, 0), number(0)),
		&MapElem{of(Pair(intType)), table, use("k", StringType), true}, address(point), &SliceExpr{of(sliceType), slice, nil, nil, nil}, &Composite{Typed: of(pointType)}, fieldOf(&Composite{Typed: of(pointType)}, 0), literal(counting()),
	} {
		if root, ok := placeOf(x); ok {
			t.Errorf("%T is a place with the root %v", x, root)
		}
	}
}
