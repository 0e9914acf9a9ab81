package engine

import (
	"bytes"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// An engine with functions that call one another down to one that keeps its goroutine's stack.
func stackEngine(t *testing.T, stack *string) *Engine {
	t.Helper()
	e := New(nil, &bytes.Buffer{})
	e.Export("own", "own", map[string]reflect.Value{"Keep": reflect.ValueOf(func() {
		text := make([]byte, 1<<20)
		*stack = string(text[:runtime.Stack(text, false)])
	}), "Call": reflect.ValueOf(func(f func()) { f() })})
	mustEval(t, e, `import o "own"`,
		"func keep() { o.Keep() }",
		"func deep(n int) { if n == 0 { keep(); return }; deep(n-1) }",
		"func literal() { f := func() { keep() }; f() }",
		"func back() { o.Call(func() { literal() }) }",
		"func low() { deep(2) }", "func far() { deep(200) }")
	return e
}

func TestCallsAreThoseOfTheStack(t *testing.T) {
	var stack string
	e := stackEngine(t, &stack)
	for name, want := range map[string][]string{
		"keep": {"keep"}, "low": {"keep", "deep", "deep", "deep", "low"},
		"literal": {"keep", "literal.func", "literal"}, "back": {"keep", "literal.func", "literal", "back.func", "back"},
	} {
		f, err := e.Function(name)
		if err != nil {
			t.Fatal(err)
		}
		f()
		if got := e.Calls(stack); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q in\n%s", name, got, want, stack)
		}
	}
}

func TestCallsTellWhatALongStackLeavesOut(t *testing.T) {
	var stack string
	e := stackEngine(t, &stack)
	f, err := e.Function("far")
	if err != nil {
		t.Fatal(err)
	}
	f()
	got := e.Calls(stack)
	if len(got) < 10 || got[0] != "keep" || got[len(got)-1] != "far" || !slices.Contains(got, Left) {
		t.Errorf("%q", got)
	}
}

func TestCallsOfForgottenFunctionsAndOtherTextAreNone(t *testing.T) {
	var stack string
	e := stackEngine(t, &stack)
	f, err := e.Function("low")
	if err != nil {
		t.Fatal(err)
	}
	f()
	e.Forget("deep", 0, 0)
	if got := e.Calls(stack); !slices.Equal(got, []string{"keep", "low"}) {
		t.Errorf("%q", got)
	}
	if got := e.Calls(strings.ReplaceAll(stack, ", ", "?, ")); got != nil { // registers that may hold anything
		t.Errorf("%q", got)
	}
	for _, text := range []string{"", "goroutine 1 [running]:\nmain.main()", runOfFunction, runOfFunction + "0x0)", runOfFunction + "zero, 0x1)", runOfFunction + "0x10, 0x20)"} {
		if got := e.Calls(text); got != nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
