package hostcall

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"
)

type shape interface {
	Eight(a, b, c, d, e, f, g, h int) int
	Floats(a, b float64, s string) (string, float64)
	Nine(a, b, c, d, e, f, g, h, i int) (int, string)
	Variadic(prefix string, rest ...int) string
}

type number int

func (n number) Eight(a, b, c, d, e, f, g, h int) int {
	return int(n) + a - b + c - d*e + f - g*h
}
func (n number) Floats(a, b float64, s string) (string, float64) { return s + "!", float64(n)*a - b }
func (n number) Nine(a, b, c, d, e, f, g, h, i int) (int, string) {
	return int(n) + a - b + c - d*e + f - g*h + i, "nine"
}
func (n number) Variadic(prefix string, rest ...int) string { return fmt.Sprint(prefix, n, rest) }

type record struct {
	number
	name string
}

func (r *record) Variadic(prefix string, rest ...int) string {
	return fmt.Sprint(prefix, r.name, rest)
}

func TestCallMethodCallsTheCodeOfInterfaceTables(t *testing.T) {
	type iface struct {
		table *struct {
			_    [3]uintptr
			code [4]uintptr
		}
		data unsafe.Pointer
	}
	args := []any{
		[]any{1, 2, 3, 4, 5, 6, 7, 8},
		[]any{2.5, 1.25, "text"},
		[]any{1, 2, 3, 4, 5, 6, 7, 8, 9},
		[]any{"prefix", []int{3, 4}},
	}
	for _, s := range []shape{number(7), &record{5, "name"}, record2{record{6, "other"}}} {
		x := (*iface)(unsafe.Pointer(&s))
		typ := reflect.TypeFor[shape]()
		for i := range typ.NumMethod() {
			var in []reflect.Value
			for _, a := range args[i].([]any) {
				in = append(in, reflect.ValueOf(a))
			}
			m := reflect.ValueOf(&s).Elem().Method(i)
			var want []reflect.Value
			if m.Type().IsVariadic() {
				want = m.CallSlice(in)
			} else {
				want = m.Call(in)
			}
			got := make([]reflect.Value, len(want))
			for i := range got {
				got[i] = reflect.New(m.Type().Out(i)).Elem()
			}
			Of(m.Type()).CallMethod(x.table.code[i], x.data, pointers(in), pointers(got))
			sameValues(t, fmt.Sprintf("%T.%s", s, typ.Method(i).Name), got, want)
		}
	}
}

// record2 has the methods of an embedded struct, for which the compiler makes wrappers.
type record2 struct{ record }

func (r record2) Variadic(prefix string, rest ...int) string {
	return r.record.Variadic(prefix, rest...)
}
