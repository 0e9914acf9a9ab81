package realtype

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestFailedAssertionsHaveTheTextOfGo(t *testing.T) {
	forged := forgedTemperature(t)
	var number, none any = 1, nil
	var stringer fmt.Stringer = reflect.ValueOf(3)
	anyType := typ[any]()
	wantSame(t, "any", AssertionError(anyType, typ[int](), forged.Real()), panicText(func() { _ = number.(temperature) }))
	wantSame(t, "nil", AssertionError(anyType, nil, forged.Real()), panicText(func() { _ = none.(temperature) }))
	wantSame(t, "interface", AssertionError(typ[fmt.Stringer](), typ[reflect.Value](), forged.Real()), panicText(func() { _ = stringer.(temperature) }))
	wantSame(t, "implement", AssertionError(anyType, typ[*strings.Reader](), typ[io.ReadWriter]()),
		panicText(func() { var v any = strings.NewReader(""); _ = v.(io.ReadWriter) }))
	wantSame(t, "implement nil", AssertionError(anyType, nil, typ[error]()), panicText(func() { _ = none.(error) }))
	wantSame(t, "missing", AssertionError(anyType, forged.Real(), typ[error]()), panicText(func() { var v any = temperature(1); _ = v.(error) }))
	if err := AssertionError(anyType, typ[int](), typ[interface{ hidden() }]()); !strings.HasSuffix(err.Error(), "missing method hidden") {
		t.Error(err)
	}
}
