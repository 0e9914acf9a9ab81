package engine

import (
	"bytes"
	"reflect"
	"testing"
)

func TestConversionsToTheTypeOfAnOperationRunIt(t *testing.T) {
	type twice struct{ V int }
	type other struct{ V int }
	e := New(nil, &bytes.Buffer{})
	e.Operation(reflect.TypeFor[twice](), func(from, to reflect.Value) { to.Field(0).SetInt(2 * from.Int()) })
	e.Export("own", "own", map[string]reflect.Value{
		"Any": reflect.ValueOf((*any)(nil)), "Twice": reflect.ValueOf((*twice)(nil)), "Other": reflect.ValueOf((*other)(nil)),
	})
	mustEval(t, e, `import o "own"`, "func f(n int) int { s := 0; for i := 0; i < n; i++ { s += o.Twice(o.Any(i)).V + o.Twice(o.Any(i+1)).V }; return s }",
		"type pair struct { V int }", "func g(p pair) int { return o.Other(p).V }")
	if v := mustEval(t, e, "f(10)"); v.Int() != 2*45+2*55 {
		t.Errorf("got %v", v)
	}
	if v := mustEval(t, e, "g(pair{7})"); v.Int() != 7 {
		t.Errorf("another conversion gives %v", v)
	}
}
