package realtype

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"
	"testing"
	"text/template"
)

func TestFmtFindsMethodsInsideComposites(t *testing.T) {
	forged := forgedTemperature(t)
	values := []float64{1, 2.5}
	for _, verb := range []string{"%v", "%+v", "%s", "%d", "%#v", "%T", "%q", "%5.2f"} {
		wantSame(t, verb, fmt.Sprintf(verb, box(forged, 3.5)), fmt.Sprintf(verb, temperature(3.5)))
		wantSame(t, "slice "+verb, fmt.Sprintf(verb, box(sliceOf(forged), values)), fmt.Sprintf(verb, []temperature{1, 2.5}))
	}
	byName := mapOf(plain[string](), forged)
	wantSame(t, "map", fmt.Sprint(box(byName, map[string]float64{"a": 1})), fmt.Sprint(map[string]temperature{"a": 1}))
}

func TestStructsWithMethodsAndEmbeddingAgreeWithTheirTwins(t *testing.T) {
	forged, _ := forgedReading(t)
	limits := map[string]float64{"low": -1}
	got := box(forged, readingLayout{36.6, "lab", []int{1}, &readingLayout{Place: "next"}, limits})
	want := reading{36.6, "lab", []int{1}, &reading{Place: "next"}, map[string]temperature{"low": -1}}
	wantSame(t, "%v", fmt.Sprintf("%v|%T", got, got), fmt.Sprintf("%v|%T", want, want))

	gotText, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	wantText, _ := json.Marshal(want)
	wantSame(t, "json", string(gotText), string(wantText))

	var back readingLayout
	pointer := box(pointerTo(forged), &back)
	if err := json.Unmarshal([]byte(`{"place":"roof","Next":{"place":"cellar"},"Limits":{"high":9}}`), pointer); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "decoded", fmt.Sprint(back.Place, back.Next.Place, back.Limits), "roofcellarmap[high:9]")
	if !reflect.DeepEqual(got, box(forged, readingLayout{36.6, "lab", []int{1}, &readingLayout{Place: "next"}, limits})) {
		t.Error("equal values are not deeply equal")
	}
}

func TestMarshalersAreFoundByEncoders(t *testing.T) {
	level := mustDeclare(t, "level", typ[int]())
	if err := level.SetMethods([]Method{
		onValue("MarshalText", func(v *int) ([]byte, error) { return fmt.Appendf(nil, "L%d", *v), nil },
			func(v int) ([]byte, error) { return fmt.Appendf(nil, "L%d", v), nil }),
		onPointer("UnmarshalText", func(v *int, text []byte) error { _, err := fmt.Sscanf(string(text), "L%d", v); return err }),
	}); err != nil {
		t.Fatal(err)
	}
	levels := box(sliceOf(level), []int{1, 2})
	text, err := json.Marshal(levels)
	wantSame(t, "json", fmt.Sprint(string(text), err), `["L1","L2"]<nil>`)
	text, err = json.Marshal(box(mapOf(level, plain[int]()), map[int]int{3: 4}))
	wantSame(t, "json keys", fmt.Sprint(string(text), err), `{"L3":4}<nil>`)
	var decoded []int
	err = json.Unmarshal([]byte(`["L7","L8"]`), box(pointerTo(sliceOf(level)), &decoded))
	wantSame(t, "decoded", fmt.Sprint(decoded, err), "[7 8] <nil>")
	text, err = xml.Marshal(levels)
	wantSame(t, "xml", fmt.Sprint(string(text), err), "<level>L1</level><level>L2</level><nil>")
}

func TestErrorsAreFoundInChains(t *testing.T) {
	type failureLayout struct {
		Code  int
		Cause error
	}
	failure := mustDeclare(t, "failure", typ[failureLayout]())
	failure.CompleteStruct([]Field{{Name: "code", Type: typ[int]()}, {Name: "cause", Type: typ[error]()}})
	if err := failure.SetMethods([]Method{
		onPointer("Error", func(f *failureLayout) string { return fmt.Sprintf("code %d: %v", f.Code, f.Cause) }),
		onPointer("Unwrap", func(f *failureLayout) error { return f.Cause }),
		onPointer("Is", func(f *failureLayout, target error) bool { return f.Code == 404 && target == io.ErrNoProgress }),
	}); err != nil {
		t.Fatal(err)
	}
	pointer := pointerTo(failure)
	err := fmt.Errorf("outer: %w", box(pointer, &failureLayout{404, io.EOF}).(error))
	wantSame(t, "text", err, "outer: code 404: EOF")
	if !errors.Is(err, io.EOF) || !errors.Is(err, io.ErrNoProgress) || errors.Is(err, io.ErrClosedPipe) {
		t.Error("errors.Is disagrees")
	}
	var found *failureLayout
	if !errors.As(err, box(pointerTo(pointer), &found)) || found.Code != 404 {
		t.Errorf("errors.As found %v", found)
	}
	// errors.Is finds an error with a comparable value by ==.
	code := mustDeclare(t, "code", typ[int]())
	if err := code.SetMethods([]Method{onValue("Error", func(c *int) string { return "code" }, func(c int) string { return "code" })}); err != nil {
		t.Fatal(err)
	}
	if joined := errors.Join(io.EOF, box(code, 3).(error)); !errors.Is(joined, box(code, 3).(error)) || errors.Is(joined, box(code, 4).(error)) {
		t.Error("a comparable error is not found by value")
	}
}

func TestStandardPackagesCallForgedMethods(t *testing.T) {
	byLength := mustDeclare(t, "byLength", typ[[]string]())
	less := func(v []string, i, j int) bool { return len(v[i]) < len(v[j]) }
	swap := func(v []string, i, j int) { v[i], v[j] = v[j], v[i] }
	if err := byLength.SetMethods([]Method{
		onValue("Len", func(v *[]string) int { return len(*v) }, func(v []string) int { return len(v) }),
		onValue("Less", func(v *[]string, i, j int) bool { return less(*v, i, j) }, less),
		onValue("Swap", func(v *[]string, i, j int) { swap(*v, i, j) }, swap),
	}); err != nil {
		t.Fatal(err)
	}
	words := []string{"three", "a", "of"}
	sort.Sort(box(byLength, words).(sort.Interface))
	wantSame(t, "sorted", words, "[a of three]")

	degrees := forgedTemperature(t)
	var out strings.Builder
	parsed := template.Must(template.New("").Parse(`{{.}} {{.String}} {{(.Plus .).String}}`))
	if err := parsed.Execute(&out, box(degrees, 2.0)); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "template", out.String(), "2.0 °C 2.0 °C 4.0 °C")

	set, number := flag.NewFlagSet("x", flag.ContinueOnError), 0.0
	set.Var(box(pointerTo(degrees), &number).(flag.Value), "t", "")
	if err := set.Parse([]string{"-t", "4.5"}); err != nil || number != 4.5 {
		t.Error(err, number)
	}
}

func TestReflectionListsAndCallsMethods(t *testing.T) {
	forged, twin := forgedTemperature(t), typ[temperature]()
	for _, types := range [][2]reflect.Type{{forged.Real(), twin}, {reflect.PointerTo(forged.Real()), reflect.PointerTo(twin)}} {
		got, want := types[0], types[1]
		wantSame(t, "number of methods", got.NumMethod(), want.NumMethod())
		for i := range want.NumMethod() {
			wantSame(t, "method", []any{got.Method(i).Name, got.Method(i).Type, got.Method(i).Index}, []any{want.Method(i).Name, want.Method(i).Type, want.Method(i).Index})
		}
	}
	v := reflect.ValueOf(box(forged, 1.5))
	plus := v.MethodByName("Plus")
	wantSame(t, "call", plus.Call([]reflect.Value{v})[0], "3.0 °C")
	wantSame(t, "method value", plus.Interface() != nil, true)
	m, _ := forged.Real().MethodByName("Plus")
	wantSame(t, "method expression", m.Func.Call([]reflect.Value{v, v})[0], "3.0 °C")
	if m, ok := v.Interface().(interface{ String() string }); !ok || m.String() != "1.5 °C" {
		t.Error("the method value fails")
	}
}

// A call through an interface passes the receiver in one word: the value itself if the type is one
// pointer, and otherwise a pointer to the value.
func TestMethodsOfEveryKindOfReceiver(t *testing.T) {
	number, channel := 7, make(chan int, 3)
	type wrapLayout struct{ P *int }
	for _, c := range []struct {
		name           string
		layout         any
		pointer, value any
	}{
		{"aMap", map[string]int{"a": 1, "b": 2}, func(v *map[string]int) int { return len(*v) }, func(v map[string]int) int { return len(v) }},
		{"aChan", channel, func(v *chan int) int { return cap(*v) }, func(v chan int) int { return cap(v) }},
		{"aFunc", func() int { return 5 }, func(v *func() int) int { return (*v)() }, func(v func() int) int { return v() }},
		{"aWrap", wrapLayout{&number}, func(v *wrapLayout) int { return *v.P }, func(v wrapLayout) int { return *v.P }},
		{"anArray", [1]*int{&number}, func(v *[1]*int) int { return *v[0] }, func(v [1]*int) int { return *v[0] }},
		{"aSlice", []int{1, 2}, func(v *[]int) int { return len(*v) }, func(v []int) int { return len(v) }},
		{"aString", "four", func(v *string) int { return len(*v) }, func(v string) int { return len(v) }},
		{"aByte", byte(9), func(v *byte) int { return int(*v) }, func(v byte) int { return int(v) }},
		{"aLong", [9]int{3: 4}, func(v *[9]int) int { return v[3] }, func(v [9]int) int { return v[3] }},
		{"aWave", 2 + 3i, func(v *complex128) int { return int(imag(*v)) }, func(v complex128) int { return int(imag(v)) }},
		{"anEmpty", struct{}{}, func(*struct{}) int { return 1 }, func(struct{}) int { return 1 }},
	} {
		forged := mustDeclare(t, c.name, reflect.TypeOf(c.layout))
		if err := forged.SetMethods([]Method{onValue("Count", c.pointer, c.value)}); err != nil {
			t.Fatal(err)
		}
		want := int(reflect.ValueOf(c.value).Call([]reflect.Value{reflect.ValueOf(c.layout)})[0].Int())
		v := box(forged, c.layout)
		wantSame(t, c.name, v.(interface{ Count() int }).Count(), want)
		wantSame(t, c.name+" by reflection", reflect.ValueOf(v).Method(0).Call(nil)[0], want)
		wantSame(t, c.name+" as function", forged.Real().Method(0).Func.Call([]reflect.Value{reflect.ValueOf(v)})[0], want)
		address := reflect.New(forged.Real())
		address.Elem().Set(reflect.ValueOf(v))
		wantSame(t, c.name+" through pointer", address.Interface().(interface{ Count() int }).Count(), want)
	}
}

// Stubs must preserve all registers and the stack.
func TestArgumentsOfEveryClassArrive(t *testing.T) {
	type many interface {
		Join(a int, b string, c float64, d []int, e any, f complex128, g [2]int, h int8, i, j, k, l string, m float32, n ...string) (string, float64, error)
	}
	join := func(v int, a int, b string, c float64, d []int, e any, f complex128, g [2]int, h int8, i, j, k, l string, m float32, n ...string) (string, float64, error) {
		return fmt.Sprint(v, a, b, c, d, e, f, g, h, i, j, k, l, m, n), c, io.EOF
	}
	forged := mustDeclare(t, "joiner", typ[int]())
	err := forged.SetMethods([]Method{onValue("Join",
		func(v *int, a int, b string, c float64, d []int, e any, f complex128, g [2]int, h int8, i, j, k, l string, m float32, n ...string) (string, float64, error) {
			return join(*v, a, b, c, d, e, f, g, h, i, j, k, l, m, n...)
		}, join)})
	if err != nil {
		t.Fatal(err)
	}
	text, number, err := box(forged, 42).(many).Join(1, "b", 2.5, []int{3}, 4, 5i, [2]int{6, 7}, 8, "i", "j", "k", "l", 9.5, "n", "o")
	wantSame(t, "arguments", text, fmt.Sprint(42, 1, "b", 2.5, []int{3}, 4, 5i, [2]int{6, 7}, int8(8), "i", "j", "k", "l", float32(9.5), []string{"n", "o"}))
	wantSame(t, "results", fmt.Sprint(number, err), "2.5 EOF")
}

func TestHiddenMethodsServeInterfacesAndNotReflection(t *testing.T) {
	shape := DeclareInterface("main", "shape")
	signature := typ[func() float64]()
	shape.CompleteInterface([]InterfaceMethod{{HiddenName("main", "area"), signature}, {"Name", typ[func() string]()}, {HiddenName("main", "Grow"), typ[func(float64) float64]()}})
	square := mustDeclare(t, "square", typ[float64]())
	hidden := onValue(HiddenName("main", "area"), func(v *float64) float64 { return *v * *v }, func(v float64) float64 { return v * v })
	grow := onValue(HiddenName("main", "Grow"), func(v *float64, d float64) float64 { return *v + d }, func(v, d float64) float64 { return v + d })
	if square.Real().Implements(shape.Real()) {
		t.Error("a type without methods implements shape")
	}
	plain := hidden
	plain.Name = "area"
	if err := square.SetMethods([]Method{hidden, grow, plain, onValue("Name", func(*float64) string { return "square" }, func(float64) string { return "square" })}); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "listed", square.Real().NumMethod(), 1)
	if !square.Real().Implements(shape.Real()) {
		t.Fatal("square does not implement shape")
	}
	v := reflect.New(shape.Real()).Elem()
	v.Set(reflect.ValueOf(box(square, 3.0)))
	wantSame(t, "area", v.MethodByName(HiddenName("main", "area")).Call(nil)[0], 9)
	wantSame(t, "Grow", v.MethodByName(HiddenName("main", "Grow")).Call([]reflect.Value{reflect.ValueOf(1.0)})[0], 4)
	wantSame(t, "Name", v.MethodByName("Name").Call(nil)[0], "square")
	if typ[temperature]().Implements(shape.Real()) {
		t.Error("a compiled type implements a hidden method")
	}
	if !shape.Real().Comparable() || !v.Equal(v) {
		t.Error("values of a cell interface cannot be compared")
	}
}

func TestCompiledTypesImplementCellInterfaces(t *testing.T) {
	named := DeclareInterface("main", "Named")
	named.CompleteInterface([]InterfaceMethod{{"String", typ[func() string]()}})
	wantSame(t, "text", fmt.Sprint(named.Real(), named.Real().NumMethod(), named.Real().PkgPath()), "main.Named 1main")
	if !typ[temperature]().Implements(named.Real()) || typ[int]().Implements(named.Real()) || !named.Real().Implements(typ[fmt.Stringer]()) {
		t.Error("implementation is judged wrongly")
	}
	empty := DeclareInterface("main", "Any")
	empty.CompleteInterface(nil)
	if !typ[int]().Implements(empty.Real()) {
		t.Error("int does not implement an empty interface")
	}
}

func TestSetMethodsRefusesWhatCannotWork(t *testing.T) {
	forged := mustDeclare(t, "refused", typ[int]())
	good := onValue("M", func(*int) {}, func(int) {})
	noBody, wrongBody, wrongReceiver, noType := good, good, good, good
	noBody.Pointer = reflect.Value{}
	wrongBody.Value = reflect.ValueOf(func(int, int) {})
	wrongReceiver.Value = reflect.ValueOf(func(string) {})
	noType.Type = nil
	result := onValue("R", func(*int) fmt.Stringer { return nil }, func(int) fmt.Stringer { return nil })
	result.Type = typ[func() any]() // an empty interface has another layout
	var many []Method
	for i := range maxMethods + 1 {
		m := good
		m.Name = fmt.Sprintf("M%04d", i)
		many = append(many, m)
	}
	for _, methods := range [][]Method{{noBody}, {wrongBody}, {wrongReceiver}, {noType}, {good, good}, {result}, many} {
		if err := forged.SetMethods(methods); err == nil {
			t.Errorf("%d methods were accepted: %v", len(methods), methods[0].Name)
		}
	}
	wantSame(t, "too many", forged.SetMethods(many), "realtype: type realtype.refused has more methods than the limit (1024)")
	wantSame(t, "untouched", forged.Real().NumMethod(), 0)
	if err := forged.SetMethods(many[1:]); err != nil || forged.Real().NumMethod() != maxMethods {
		t.Error(err, forged.Real().NumMethod())
	}
	standard, err := UnnamedStruct("main", typ[struct{ A int }](), []Field{{Name: "A", Type: typ[int]()}})
	if err != nil || standard.SetMethods([]Method{good}) == nil {
		t.Error("a struct without embedded fields got methods", err)
	}
}

func TestUnnamedInterfacesHaveTheirMethodsForAName(t *testing.T) {
	unnamed := DeclareInterface("", "interface { Area() float64 }")
	unnamed.CompleteInterface([]InterfaceMethod{{Name: "Area", Type: typ[func() float64]()}})
	twin := typ[interface{ Area() float64 }]()
	wantSame(t, "text", unnamed.Real().String(), twin.String())
	wantSame(t, "name", unnamed.Real().Name()+unnamed.Real().PkgPath(), "")
	wantSame(t, "pointer", reflect.PointerTo(unnamed.Real()).String(), reflect.PointerTo(twin).String())
}
