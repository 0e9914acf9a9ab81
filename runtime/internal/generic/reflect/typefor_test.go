package reflect

import (
	"fmt"
	standard "reflect"
	"testing"
)

func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestTypeForAgrees(t *testing.T) {
	if TypeFor[int]() != standard.TypeFor[int]() || TypeFor[error]() != standard.TypeFor[error]() || TypeFor[any]() != standard.TypeFor[any]() ||
		TypeFor[[]func()]() != standard.TypeFor[[]func()]() {
		t.Error("types differ")
	}
}

func TestTypeAssertAgrees(t *testing.T) {
	var holder struct {
		A      any
		hidden int
	}
	holder.A, holder.hidden = 3, 4
	values := []standard.Value{
		standard.ValueOf(1), standard.ValueOf("a"), standard.ValueOf(fmt.Errorf("e")), standard.ValueOf(holder).Field(0), standard.ValueOf(&holder).Elem().Field(0),
		standard.ValueOf(new(error)).Elem(),
	}
	for _, v := range values {
		agree[int](t, v)
		agree[string](t, v)
		agree[error](t, v)
		agree[any](t, v)
		agree[fmt.Stringer](t, v)
	}
	if got, want := panicking(func() { TypeAssert[int](standard.Value{}) }), panicking(func() { standard.TypeAssert[int](standard.Value{}) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if panicking(func() { TypeAssert[int](standard.ValueOf(holder).Field(1)) }) == "<nil>" {
		t.Error("an unexported field was read")
	}
}

func agree[T any](t *testing.T, v standard.Value) {
	t.Helper()
	got, ok := TypeAssert[T](v)
	want, found := standard.TypeAssert[T](v)
	if fmt.Sprint(got, ok) != fmt.Sprint(want, found) {
		t.Errorf("TypeAssert[%v](%v) = %v, %v, want %v, %v", standard.TypeFor[T](), v, got, ok, want, found)
	}
}
