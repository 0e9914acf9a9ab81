package realtype

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// Compiled types for comparison with forged ones, one of each kind.
type (
	point    struct{ x, Y int }
	scores   []int
	grid     [2][3]int8
	ages     map[string]int
	toggle   bool
	word     string
	wave     complex128
	feed     chan int
	source   <-chan int
	handler  func(int, ...string) error
	link     *int
	nothing  struct{}
	byteWord []byte
)

var verbs = []string{"%v", "%+v", "%#v", "%T", "%d", "%s", "%q", "%x", "%6v|", "%p"}

func TestForgedTypesPrintLikeCompiledOnes(t *testing.T) {
	type pointLayout struct{ X, Y int }
	structure := mustDeclare(t, "point", typ[pointLayout]())
	structure.CompleteStruct([]Field{{Name: "x", Type: typ[int]()}, {Name: "Y", Type: typ[int]()}})
	empty := mustDeclare(t, "nothing", typ[struct{ Pad [0]byte }]())
	empty.CompleteStruct(nil)
	channel, function, number := make(chan int), func(int, ...string) error { return nil }, 3

	for _, c := range []struct {
		forged any
		want   any
	}{
		{box(structure, pointLayout{1, 2}), point{1, 2}},
		{box(empty, struct{ Pad [0]byte }{}), nothing{}},
		{box(mustDeclare(t, "scores", typ[[]int]()), []int{1, 2}), scores{1, 2}},
		{box(mustDeclare(t, "scores", typ[[]int]()), []int(nil)), scores(nil)},
		{box(mustDeclare(t, "grid", typ[[2][3]int8]()), [2][3]int8{{1}, {2, 3}}), grid{{1}, {2, 3}}},
		{box(mustDeclare(t, "ages", typ[map[string]int]()), map[string]int{"a": 1}), ages{"a": 1}},
		{box(mustDeclare(t, "toggle", typ[bool]()), true), toggle(true)},
		{box(mustDeclare(t, "word", typ[string]()), "go"), word("go")},
		{box(mustDeclare(t, "wave", typ[complex128]()), 2i), wave(2i)},
		{box(mustDeclare(t, "feed", typ[chan int]()), channel), feed(channel)},
		{box(mustDeclare(t, "source", typ[<-chan int]()), (<-chan int)(channel)), source(channel)},
		{box(mustDeclare(t, "handler", typ[func(int, ...string) error]()), function), handler(function)},
		{box(mustDeclare(t, "link", typ[*int]()), &number), link(&number)},
		{box(mustDeclare(t, "byteWord", typ[[]byte]()), []byte("go")), byteWord("go")},
	} {
		for _, verb := range verbs {
			if verb == "%p" && reflect.TypeOf(c.want).Kind() == reflect.Map {
				continue // two maps have different addresses
			}
			if verb == "%p" && reflect.TypeOf(c.want).Kind() == reflect.Slice {
				continue
			}
			wantSame(t, fmt.Sprintf("%T %s", c.want, verb), fmt.Sprintf(verb, c.forged), fmt.Sprintf(verb, c.want))
		}
		got, want := reflect.TypeOf(c.forged), reflect.TypeOf(c.want)
		for _, ask := range []func(reflect.Type) any{
			func(t reflect.Type) any {
				return []any{t.Name(), t.String(), t.Kind(), t.Comparable(), t.Size(), t.Align()}
			},
			func(t reflect.Type) any { return reflect.PointerTo(t).String() },
			func(t reflect.Type) any { return reflect.SliceOf(t).String() },
			func(t reflect.Type) any { return reflect.PointerTo(t).Elem() == t },
			func(t reflect.Type) any { return reflect.Zero(t).IsZero() },
			func(t reflect.Type) any { return t.NumMethod() },
		} {
			wantSame(t, want.String(), ask(got), ask(want))
		}
	}
}

func TestStructFieldsHaveNamesTagsAndEmbedding(t *testing.T) {
	forged, _ := forgedReading(t)
	twin := typ[reading]()
	for i := range twin.NumField() {
		got, want := forged.Real().Field(i), twin.Field(i)
		wantSame(t, want.Name, []any{got.Name, got.Tag, got.Anonymous, got.Offset, got.Type, got.IsExported()},
			[]any{want.Name, want.Tag, want.Anonymous, want.Offset, want.Type, want.IsExported()})
	}
	if forged.Real().Field(2).PkgPath != "realtype" {
		t.Errorf("unexported field of package %q", forged.Real().Field(2).PkgPath)
	}
}

func TestDeclaringANameAgainMakesAnotherType(t *testing.T) {
	first, second := mustDeclare(t, "again", typ[int]()), mustDeclare(t, "again", typ[int]())
	if first.Real() == second.Real() || box(first, 1) == box(second, 1) {
		t.Error("two declarations are one type")
	}
	if err := AssertionError(typ[any](), second.Real(), first.Real()); !strings.Contains(err.Error(), "types from different scopes") {
		t.Error(err)
	}
}

func TestGenericInstancesKeepTheirArgumentsInTheName(t *testing.T) {
	pair := mustDeclare(t, "Pair[string,realtype.temperature]", typ[struct{ A string }]())
	wantSame(t, "name", pair.Real().Name(), "Pair[string,realtype.temperature]")
	wantSame(t, "text", pair.Real().String(), "realtype.Pair[string,realtype.temperature]")
}

func TestRecursiveTypesAreCompletedAfterDeclaration(t *testing.T) {
	type nodeLayout struct {
		Left, Right *nodeLayout
		Value       int
	}
	node := mustDeclare(t, "node", typ[nodeLayout]())
	pointer := reflect.PointerTo(node.Real())
	node.CompleteStruct([]Field{{Name: "Left", Type: pointer}, {Name: "Right", Type: pointer}, {Name: "value", Type: typ[int]()}})
	v := box(pointerTo(node), &nodeLayout{&nodeLayout{Value: 1}, nil, 2})
	left := reflect.ValueOf(v).Elem().Field(0).Elem()
	wantSame(t, "left", fmt.Sprintf("%+v %T", left, left.Interface()), "{Left:<nil> Right:<nil> value:1} realtype.node")
}

func TestUnnamedStructsAreIdenticalToCompiledOnes(t *testing.T) {
	real, err := UnnamedStruct("main", typ[struct{ A, B int }](), []Field{{Name: "A", Tag: `x:"y"`, Type: typ[int]()}, {Name: "B", Type: typ[int]()}})
	if err != nil {
		t.Fatal(err)
	}
	type compiled = struct {
		A int `x:"y"`
		B int
	}
	if real.Real() != typ[compiled]() {
		t.Errorf("%v is not the compiled type", real)
	}
	if _, err := UnnamedStruct("main", typ[struct{ A int }](), nil); err == nil {
		t.Error("a struct with fewer fields than its layout was accepted")
	}
	empty, err := UnnamedStruct("main", typ[struct{ Pad [0]byte }](), nil)
	wantSame(t, "empty", fmt.Sprint(empty, err), "struct {} <nil>")
}

func TestUnnamedStructsWithEmbeddedTypesPromoteMethods(t *testing.T) {
	inner := forgedTemperature(t)
	type layout struct {
		Temperature float64
		N           int
	}
	fields := []Field{{Name: "temperature", Embedded: true, Type: inner.Real()}, {Name: "N", Tag: `json:"n"`, Type: typ[int]()}}
	s, err := UnnamedStruct("main", typ[layout](), fields)
	if err != nil {
		t.Fatal(err)
	}
	again, err := UnnamedStruct("main", typ[layout](), fields)
	if err != nil || again != s {
		t.Errorf("identical structs are different types: %v", err)
	}
	err = s.SetMethods([]Method{onValue("String",
		func(v *layout) string { return fmt.Sprint(v.Temperature) }, func(v layout) string { return fmt.Sprint(v.Temperature) })})
	if err != nil {
		t.Fatal(err)
	}
	var want any = struct {
		temperature
		N int `json:"n"`
	}{3, 4}
	v := box(s, layout{3, 4})
	wantSame(t, "type", fmt.Sprintf("%T", v), fmt.Sprintf("%T", want))
	wantSame(t, "name", reflect.TypeOf(v).Name()+reflect.TypeOf(v).PkgPath(), "")
	wantSame(t, "String", fmt.Sprint(v), "3")
	wantSame(t, "pointer", fmt.Sprint(box(pointerTo(s), &layout{5, 6})), "5")
}

func TestStandardTypesCanBeEmbedded(t *testing.T) {
	type readerLayout struct{ Reader io.Reader }
	wrapped := mustDeclare(t, "wrapped", typ[readerLayout]())
	wrapped.CompleteStruct([]Field{{Name: "Reader", Embedded: true, Type: typ[io.Reader]()}})
	if err := wrapped.SetMethods([]Method{onValue("Read",
		func(r *readerLayout, p []byte) (int, error) { return r.Reader.Read(p) },
		func(r readerLayout, p []byte) (int, error) { return r.Reader.Read(p) })}); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(box(wrapped, readerLayout{strings.NewReader("embedded")}).(io.Reader))
	wantSame(t, "read", fmt.Sprint(string(text), err), "embedded<nil>")

	type lockedLayout struct {
		Mutex sync.Mutex
		Buf   *bytes.Buffer
	}
	locked := mustDeclare(t, "locked", typ[lockedLayout]())
	locked.CompleteStruct([]Field{{Name: "Mutex", Embedded: true, Type: typ[sync.Mutex]()}, {Name: "Buffer", Embedded: true, Type: typ[*bytes.Buffer]()}})
	if err := locked.SetMethods([]Method{
		onPointer("Lock", func(l *lockedLayout) { l.Mutex.Lock() }), onPointer("Unlock", func(l *lockedLayout) { l.Mutex.Unlock() }),
		onPointer("String", func(l *lockedLayout) string { return l.Buf.String() }),
	}); err != nil {
		t.Fatal(err)
	}
	v := &lockedLayout{Buf: bytes.NewBufferString("held")}
	locker := box(pointerTo(locked), v).(sync.Locker)
	locker.Lock()
	if v.Mutex.TryLock() {
		t.Error("the embedded mutex is not the one that was locked")
	}
	locker.Unlock()
	wantSame(t, "String", locker, "held")
}

func TestDeclareRefusesWhatCannotBeForged(t *testing.T) {
	in := make([]reflect.Type, maxParameters+1)
	for i := range in {
		in[i] = typ[int]()
	}
	_, err := Declare("main", "F", reflect.FuncOf(in, nil, false), 0)
	wantSame(t, "parameters", err, "realtype: type main.F has 25 parameters and results, the limit is 24")
	_, err = Declare("main", "I", typ[error](), 0)
	wantSame(t, "interface", err, "realtype: main.I is an interface, which DeclareInterface makes")
}

func TestCompletingWithTheWrongShapePanics(t *testing.T) {
	number := mustDeclare(t, "number", typ[int]())
	function := mustDeclare(t, "function", typ[func(int)]())
	structure := mustDeclare(t, "structure", typ[struct{ A int }]())
	for _, complete := range []func(){
		func() { number.CompleteElem(typ[int]()) },
		func() { number.CompleteKey(typ[int]()) },
		func() { function.CompleteFunc(typ[func(int, int)]()) },
		func() { function.CompleteFunc(typ[func(...int)]()) },
		func() { structure.CompleteStruct(nil) },
	} {
		if text := panicText(complete); !strings.HasPrefix(text, "realtype: ") {
			t.Errorf("completed with a panic of %q", text)
		}
	}
}

func TestTextHasTheNameOfThePackage(t *testing.T) {
	for path, want := range map[string]string{
		"main": "main.P[int]", "sync/atomic": "atomic.P[int]", "math/rand/v2": "rand.P[int]", "a/vault": "vault.P[int]",
	} {
		if got := Text(path, "P[int]"); got != want {
			t.Errorf("a type of %s is %s, want %s", path, got, want)
		}
	}
}
