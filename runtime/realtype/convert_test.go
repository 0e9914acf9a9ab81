package realtype

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestValuesComeBackAndStayShared(t *testing.T) {
	forged := mustDeclare(t, "shared", typ[[]int]())
	xs := []int{3, 1, 2}
	boxed := Box(forged, xs)
	reflect.ValueOf(boxed).Index(0).SetInt(9)
	if back := Unbox(forged, boxed).([]int); back[0] != 9 || &back[0] != &xs[0] {
		t.Errorf("%v is a copy", back)
	}
	again := Box(forged, boxed)
	if !Is(forged, again) {
		t.Error("boxing twice changed the type")
	}
	if _, ok := Unbox(forged, xs).([]int); ok {
		t.Error("a value of the layout type was taken for one of the real type")
	}
	for _, other := range []any{nil, 1, "x", []string{}, Box(mustDeclare(t, "other", typ[[]int]()), xs)} {
		if Is(forged, other) {
			t.Errorf("%T is taken for the type", other)
		}
		if _, ok := Unbox(forged, other).([]int); ok {
			t.Errorf("%T was accepted", other)
		}
	}
}

func TestPlainTypesNeedNoOtherForm(t *testing.T) {
	integers := descriptorOf(typ[[]int](), typ[[]int]())
	xs := []int{1}
	wantSame(t, "there and back", Unbox(integers, Box(integers, xs)), xs)
	if _, ok := Unbox(integers, Box(mustDeclare(t, "named", typ[[]int]()), xs)).([]int); ok {
		t.Error("a named slice passed as []int")
	}
}

func TestNilBecomesTheNilOfPointerShapedTypes(t *testing.T) {
	for _, layout := range []reflect.Type{typ[map[string]int](), typ[chan int](), typ[func()](), typ[*int]()} {
		forged := mustDeclare(t, "nilable", layout)
		v := Box(forged, nil)
		if v == nil || !reflect.ValueOf(v).IsNil() || !Is(forged, v) {
			t.Errorf("%v: %#v", layout, v)
		}
	}
	if text := panicText(func() { Box(mustDeclare(t, "slice", typ[[]int]()), nil) }); !strings.HasPrefix(text, "realtype: value of type <nil>") {
		t.Error(text)
	}
}

func TestBoxPanicsForValuesOfAnotherType(t *testing.T) {
	text := panicText(func() { Box(mustDeclare(t, "strict", typ[int]()), "no") })
	wantSame(t, "text", text, "realtype: value of type string where int is expected for realtype.strict")
	if text := panicText(func() { Box(descriptorOf(typ[error](), typ[error]()), 1) }); text == "" {
		t.Error("int boxed as error")
	}
	wantSame(t, "nil interface", Box(descriptorOf(typ[error](), typ[error]()), nil), nil)
	wantSame(t, "interface", Box(descriptorOf(typ[error](), typ[error]()), io.EOF), io.EOF)
}

func TestFailedAssertionsHaveTheTextOfGo(t *testing.T) {
	forged := forgedTemperature(t)
	var number, none any = 1, nil
	var stringer fmt.Stringer = reflect.ValueOf(3)
	wantSame(t, "any", panicText(func() { Must(forged, number) }), panicText(func() { _ = number.(temperature) }))
	wantSame(t, "nil", panicText(func() { Must(forged, none) }), panicText(func() { _ = none.(temperature) }))
	wantSame(t, "interface", panicText(func() { MustFrom(forged, typ[fmt.Stringer](), stringer) }), panicText(func() { _ = stringer.(temperature) }))
	wantSame(t, "value", Must(forged, Box(forged, 2.0)), 2)

	func() {
		defer func() {
			err, _ := recover().(error)
			var failed *runtime.TypeAssertionError
			if !errors.As(err, &failed) {
				t.Errorf("%T is no runtime error", err)
			}
		}()
		Must(forged, number)
	}()

	wantSame(t, "implement", panicText(func() { MustImplement(typ[io.ReadWriter](), typ[any](), strings.NewReader("")) }),
		panicText(func() { var v any = strings.NewReader(""); _ = v.(io.ReadWriter) }))
	wantSame(t, "implement nil", panicText(func() { MustImplement(typ[error](), typ[any](), nil) }), panicText(func() { _ = none.(error) }))
	wantSame(t, "missing", panicText(func() { MustImplement(typ[error](), typ[any](), Box(forged, 1.0)) }),
		panicText(func() { var v any = temperature(1); _ = v.(error) }))
	wantSame(t, "implemented", MustImplement(typ[error](), typ[any](), io.EOF), io.EOF)
	if text := panicText(func() { MustImplement(typ[interface{ hidden() }](), typ[any](), 1) }); !strings.HasSuffix(text, "missing method hidden") {
		t.Error(text)
	}
}

func TestIdentityInMapsAndComparisons(t *testing.T) {
	type squareLayout struct {
		Side float64
		Tag  any
	}
	level, square := mustDeclare(t, "level", typ[int]()), mustDeclare(t, "square", typ[squareLayout]())
	square.CompleteStruct([]Field{{Name: "side", Type: typ[float64]()}, {Name: "Tag", Type: typ[any]()}})
	m := map[any]string{1: "int", Box(level, 1): "level", Box(square, squareLayout{1, Box(level, 2)}): "square"}
	wantSame(t, "keys", m[1]+m[Box(level, 1)]+m[Box(square, squareLayout{1, Box(level, 2)})]+m[Box(square, squareLayout{1, 2})], "intlevelsquare")
	if Equal(1, Box(level, 1)) || !Equal(Box(level, 1), Box(level, 1)) || Equal(Box(level, 1), Box(level, 2)) || !Equal(nil, nil) {
		t.Error("Equal disagrees with ==")
	}
	functions := mustDeclare(t, "functions", typ[func()]())
	wantSame(t, "uncomparable", panicText(func() { Equal(Box(functions, func() {}), Box(functions, func() {})) }),
		"runtime error: comparing uncomparable type realtype.functions")
}

func TestTypeSwitchesPickTheFirstClauseThatFits(t *testing.T) {
	level, degrees := mustDeclare(t, "level", typ[int]()), forgedTemperature(t)
	built := 0
	s := NewSwitch(func() [][]reflect.Type {
		built++
		return [][]reflect.Type{
			{nil}, {typ[int](), typ[string]()}, {level.Real()}, {typ[error]()}, {typ[fmt.Stringer]()},
			{degrees.Real()}, {reflect.SliceOf(level.Real())},
		}
	})
	for range 2 { // the second time from the cache
		for i, v := range []any{true, nil, 1, Box(level, 1), io.EOF, Box(degrees, 1.0), "text", Box(sliceOf(level), []int{}), []int{}, Box(pointerTo(degrees), new(float64))} {
			want := []int{0, 1, 2, 3, 4, 5, 2, 7, 0, 5}[i]
			if got := Pick(s, v); got != want {
				t.Errorf("%T takes clause %d, want %d", v, got, want)
			}
		}
	}
	wantSame(t, "built", built, 1)
}

func TestConversionsFromManyGoroutines(t *testing.T) {
	forged := forgedTemperature(t)
	s := NewSwitch(func() [][]reflect.Type { return [][]reflect.Type{{typ[int]()}, {forged.Real()}} })
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for i := range 500 {
				v := Box(forged, float64(i))
				if Unbox(forged, v) != any(float64(i)) || Pick(s, v) != 2 || Pick(s, i) != 1 || v.(fmt.Stringer).String() != temperature(i).String() {
					t.Errorf("%v is wrong", v)
					return
				}
				local, err := Declare("realtype", fmt.Sprint("local", n), typ[int]())
				if err != nil || !Is(local, Box(local, i)) {
					t.Errorf("%v: %v", local, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestDropFirstKeepsTheRest(t *testing.T) {
	wantSame(t, "variadic", DropFirst(typ[func(int, string, ...bool) error]()), "func(string, ...bool) error")
	wantSame(t, "alone", DropFirst(typ[func(int)]()), "func()")
}

func TestBoxTakesTheCompiledTypeThatItStandsFor(t *testing.T) {
	seq, err := Declare("iter", "Seq[int]", typ[func(func(int) bool)]())
	if err != nil {
		t.Fatal(err)
	}
	v := Box(seq, slices.Values([]int{1, 2}))
	wantSame(t, "type", reflect.TypeOf(v), seq.Real())
	var got []int
	Unbox(seq, v).(func(func(int) bool))(func(x int) bool { got = append(got, x); return true })
	wantSame(t, "values", len(got), 2)
	defer func() {
		if recover() == nil {
			t.Error("another type was taken")
		}
	}()
	Box(seq, func() {})
}
