package realtype

import (
	"fmt"
	"os"
	"reflect"
	"testing"
	"unsafe"
)

// The tests make a type from a layout and compare it with its twin, which is the type that the
// compiler makes from the same declaration. Forged types are declared in package realtype, so that
// even %T and %#v must agree.

func TestMain(m *testing.M) {
	if err := SelfCheck(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// typ returns the reflect.Type of T.
func typ[T any]() reflect.Type { return reflect.TypeFor[T]() }

// mustDeclare declares a type of package realtype.
func mustDeclare(t testing.TB, name string, layout reflect.Type) *Type {
	t.Helper()
	declared, err := Declare("realtype", name, layout, 0)
	if err != nil {
		t.Fatal(err)
	}
	return declared
}

// made returns a function made by reflect.MakeFunc.
func made(function any) reflect.Value {
	f := reflect.ValueOf(function)
	return reflect.MakeFunc(f.Type(), func(arguments []reflect.Value) []reflect.Value {
		if f.Type().IsVariadic() {
			return f.CallSlice(arguments)
		}
		return f.Call(arguments)
	})
}

// onValue returns a method with a value receiver and two bodies.
func onValue(name string, pointer, value any) Method {
	return Method{Name: name, Type: withoutReceiver(reflect.TypeOf(value)), OnValue: true, Pointer: made(pointer), Value: made(value)}
}

// onPointer returns a method with a pointer receiver.
func onPointer(name string, pointer any) Method {
	return Method{Name: name, Type: withoutReceiver(reflect.TypeOf(pointer)), Pointer: made(pointer)}
}

// A composite returns a type composed of others, in their current versions.
type composite func() reflect.Type

func (c composite) Real() reflect.Type { return c() }

// pointerTo returns *T.
func pointerTo(t interface{ Real() reflect.Type }) composite {
	return func() reflect.Type { return reflect.PointerTo(t.Real()) }
}

// sliceOf returns []T.
func sliceOf(t interface{ Real() reflect.Type }) composite {
	return func() reflect.Type { return reflect.SliceOf(t.Real()) }
}

// mapOf returns map[K]V.
func mapOf(k, v interface{ Real() reflect.Type }) composite {
	return func() reflect.Type { return reflect.MapOf(k.Real(), v.Real()) }
}

// plain returns a compiled type.
func plain[T any]() composite { return reflect.TypeFor[T] }

// box converts a value with the layout of a type to that type, and marks the type as used.
func box(t interface{ Real() reflect.Type }, v any) any {
	word := (*emptyInterface)(unsafe.Pointer(&v))
	use(t.Real())
	word.typ = abiOf(t.Real())
	return v
}

// wantSame reports texts that differ.
func wantSame(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got\n\t%v\nwant\n\t%v", what, got, want)
	}
}

// panicText runs f and returns the text of its panic.
func panicText(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// temperature is a number with methods, in compiled form. forgedTemperature makes the same type.
type temperature float64

func (v temperature) String() string                 { return fmt.Sprintf("%.1f °C", float64(v)) }
func (v temperature) Plus(d temperature) temperature { return v + d }
func (v *temperature) Set(s string) error {
	_, err := fmt.Sscan(s, (*float64)(v))
	return err
}

func forgedTemperature(t testing.TB) *Type {
	t.Helper()
	forged := mustDeclare(t, "temperature", typ[float64]())
	text := func(v float64) string { return fmt.Sprintf("%.1f °C", v) }
	plus := onValue("Plus", func(v *float64, d float64) float64 { return *v + d }, func(v, d float64) float64 { return v + d })
	plus.Type = reflect.FuncOf([]reflect.Type{forged.Real()}, []reflect.Type{forged.Real()}, false)
	err := forged.SetMethods([]Method{
		onValue("String", func(v *float64) string { return text(*v) }, text),
		plus,
		onPointer("Set", func(v *float64, s string) error { _, err := fmt.Sscan(s, v); return err }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return forged
}

// reading is a struct with a temperature and fields of every kind.
type reading struct {
	temperature `json:"degrees"`
	Place       string `json:"place,omitempty" xml:"p"`
	raw         []int
	Next        *reading
	Limits      map[string]temperature
}

type readingLayout struct {
	Temperature float64
	Place       string
	Raw         []int
	Next        *readingLayout
	Limits      map[string]float64
}

func forgedReading(t testing.TB) (forged, element *Type) {
	t.Helper()
	element = forgedTemperature(t)
	forged = mustDeclare(t, "reading", typ[readingLayout]())
	forged.CompleteStruct([]Field{
		{Name: "temperature", Tag: `json:"degrees"`, Embedded: true, Type: element.Real()},
		{Name: "Place", Tag: `json:"place,omitempty" xml:"p"`, Type: typ[string]()},
		{Name: "raw", Type: typ[[]int]()},
		{Name: "Next", Type: reflect.PointerTo(forged.Real())},
		{Name: "Limits", Type: reflect.MapOf(typ[string](), element.Real())},
	})
	err := forged.SetMethods([]Method{
		onValue("String", func(r *readingLayout) string { return fmt.Sprintf("%.1f °C", r.Temperature) },
			func(r readingLayout) string { return fmt.Sprintf("%.1f °C", r.Temperature) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return forged, element
}
