package engine

import (
	"go/token"
	"reflect"
	"strings"
	"testing"
)

func TestThisInterpreterHasTheListsThatAreEmptied(t *testing.T) {
	e := New()
	mustEval(t, e, `var x int`, `func f() int { return x }`)
	if !e.memory.roots.IsValid() || e.memory.roots.Len() != 0 {
		t.Errorf("the list of trees is %v, want one without entries", e.memory.roots)
	}
	for name, want := range map[string]int{"child": 0, "sym": 2} {
		kind := map[string]any{"child": []int{}, "sym": map[string]int{}}[name]
		if field := e.memory.mainScope(name, reflect.TypeOf(kind).Kind()); !field.IsValid() || field.Len() != want {
			t.Errorf("the field %s of the scope is %v, want one of length %d", name, field, want)
		}
	}
}

func TestForgottenFunctionsGoOnWhereTheyAreKnown(t *testing.T) {
	e := New()
	before := e.Mark()
	mustEval(t, e, `func f() int { return 41 }`)
	after := e.Mark()
	mustEval(t, e, `var g = f`, `func h() int { return f() + 1 }`)
	e.Forget("f", before, after)
	if v := mustEval(t, e, `g() + h()`); v.Int() != 83 {
		t.Errorf("got %v, want 83", v)
	}
	if _, err := e.Eval(`f()`); err == nil || !strings.Contains(err.Error(), "undefined: f") {
		t.Errorf("a forgotten name gives %v", err)
	}
	mustEval(t, e, `func f() int { return 1 }`)
	if v := mustEval(t, e, `f() + h()`); v.Int() != 43 {
		t.Errorf("with a new function of the same name: %v, want 43", v)
	}
	if f := e.interpreter.FileSet().File(token.Pos(before)); f != nil {
		t.Errorf("the positions of the piece stay: %s", f.Name())
	}
	if f := e.interpreter.FileSet().File(token.Pos(after)); f == nil {
		t.Error("the positions of the next piece are gone")
	}
}

func TestLookingUpAFunctionLeavesNothingBehind(t *testing.T) {
	e := New()
	mustEval(t, e, `func f() {}`)
	before := e.Mark()
	for range 10 {
		if _, err := e.Function("f"); err != nil {
			t.Fatal(err)
		}
	}
	for at := before; at < e.Mark(); at++ {
		if f := e.interpreter.FileSet().File(token.Pos(at)); f != nil {
			t.Fatalf("the positions of a lookup stay at %d", at)
		}
	}
}
