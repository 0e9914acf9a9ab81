package engine

import (
	"errors"
	"reflect"
	"testing"
)

func mustEval(t *testing.T, e *Engine, sources ...string) reflect.Value {
	t.Helper()
	var v reflect.Value
	for _, source := range sources {
		var err error
		if v, err = e.Eval(source); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
	}
	return v
}

func TestExportAddsToAPackage(t *testing.T) {
	e := New()
	e.Export("own", "own", map[string]reflect.Value{"A": reflect.ValueOf(func() int { return 1 })})
	mustEval(t, e, `import o "own"`)
	e.Export("own", "own", map[string]reflect.Value{"B": reflect.ValueOf(func() int { return 2 })})
	if v := mustEval(t, e, "o.A() + o.B()"); v.Int() != 3 {
		t.Errorf("got %v, want 3", v)
	}
}

func TestErrorsAndPanicsOfTheInterpreterAreErrors(t *testing.T) {
	e := New()
	for _, source := range []string{"nope + 1", "func {", "func f() { return 1 }", `panic("p")`} {
		_, err := e.Eval(source)
		var evalError *EvalError
		if !errors.As(err, &evalError) || evalError.Source != source {
			t.Errorf("%s: error %v, want an EvalError with the source", source, err)
		}
	}
	if v := mustEval(t, e, "1 + 1"); v.Int() != 2 {
		t.Error("the engine is unusable after errors")
	}
}

func TestFunctionRunsCompiledCode(t *testing.T) {
	e := New()
	mustEval(t, e, "var n int", "func add() { n++ }\nfunc fail() { var p *int; *p = 1 }")
	add, err := e.Function("add")
	if err != nil {
		t.Fatal(err)
	}
	add()
	add()
	if v := mustEval(t, e, "n"); v.Int() != 2 {
		t.Errorf("n is %v, want 2", v)
	}
	fail, err := e.Function("fail")
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		fail()
	}()
	if _, err := e.Function("n"); err == nil {
		t.Error("a variable passes for a function")
	}
}
