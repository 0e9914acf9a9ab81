package realtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
)

func stringMethod(text func(float64) string) Method {
	return onValue("String", func(v *float64) string { return text(*v) }, text)
}

// The typical sequence in a notebook: a type is declared and shown, and a later cell adds a method.
func TestAMethodAddedLaterIsFoundEverywhere(t *testing.T) {
	level := mustDeclare(t, "level", typ[float64]())
	type boxLayout struct {
		Inside float64
		All    []float64
		Next   *boxLayout
	}
	holder := mustDeclare(t, "holder", typ[boxLayout]())
	holder.CompleteStruct([]Field{
		{Name: "Inside", Type: level.Real()}, {Name: "all", Type: reflect.SliceOf(level.Real())}, {Name: "Next", Type: reflect.PointerTo(holder.Real())},
	})
	list, byName := sliceOf(level), mapOf(plain[string](), level)
	unnamed, err := UnnamedStruct("main", typ[struct{ L float64 }](), []Field{{Name: "L", Type: level.Real()}})
	if err != nil {
		t.Fatal(err)
	}
	embedding, err := UnnamedStruct("main", typ[struct{ Holder boxLayout }](), []Field{{Name: "holder", Embedded: true, Type: holder.Real()}})
	if err != nil {
		t.Fatal(err)
	}
	function := composite(func() reflect.Type {
		return reflect.FuncOf([]reflect.Type{level.Real()}, []reflect.Type{list.Real()}, false)
	})

	show := func() string {
		return fmt.Sprintf("%v %v %v %+v %+v %v %T", box(level, 1.0), box(list, []float64{2}), box(byName, map[string]float64{"a": 3}),
			box(holder, boxLayout{4, []float64{5}, nil}), box(unnamed, struct{ L float64 }{6}), box(embedding, struct{ Holder boxLayout }{}), box(function, func(float64) []float64 { return nil }))
	}
	const types = "func(realtype.level) []realtype.level"
	wantSame(t, "before", show(), "1 [2] map[a:3] {Inside:4 all:[5] Next:<nil>} {L:6} {{0 [] <nil>}} "+types)
	old, oldHolder := box(level, 7.0), box(holder, boxLayout{})

	if err := level.SetMethods([]Method{stringMethod(func(v float64) string { return fmt.Sprintf("L%v", v) })}); err != nil {
		t.Fatal(err)
	}
	// fmt does not call methods of values in unexported fields.
	wantSame(t, "after", show(), "L1 [L2] map[a:L3] {Inside:L4 all:[5] Next:<nil>} {L:L6} {{L0 [] <nil>}} "+types)

	// Values made earlier keep their methods, and otherwise still have the type.
	wantSame(t, "old value", fmt.Sprint(old), "7")
	wantSame(t, "old value renewed", fmt.Sprint(Current(old)), "L7")
	if reflect.TypeOf(Current(oldHolder)) != holder.Real() || Current(old) != box(level, 7.0) {
		t.Error("an old value cannot be brought up to date")
	}

	same, err := UnnamedStruct("main", typ[struct{ Holder boxLayout }](), []Field{{Name: "holder", Embedded: true, Type: holder.Real()}})
	if err != nil || same != embedding {
		t.Error("after the renewal an identical struct is another type", err)
	}
}

func TestMethodsAddedBeforeAnyUseNeedNoNewType(t *testing.T) {
	fresh := mustDeclare(t, "fresh", typ[float64]())
	real := fresh.Real()
	for n := 1; n <= 3; n++ {
		var methods []Method
		for i := range n {
			methods = append(methods, onValue(fmt.Sprint("M", i), func(*float64) int { return i }, func(float64) int { return i }))
		}
		if err := fresh.SetMethods(methods); err != nil {
			t.Fatal(err)
		}
	}
	if fresh.Real() != real || real.NumMethod() != 3 {
		t.Errorf("%v was renewed or has %d methods", real, real.NumMethod())
	}
}

func TestRedefinedMethodsServeValuesMadeEarlier(t *testing.T) {
	forged := forgedTemperature(t)
	before := box(forged, 20.0)
	stringer := before.(fmt.Stringer)
	methods := forgedMethods(forged, func(v float64) string { return fmt.Sprintf("%g K", v+273) })
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "interface value", stringer.String(), "293 K")
	wantSame(t, "printed", fmt.Sprint(before, box(pointerTo(forged), new(float64)) != nil), "293 K true")
	if reflect.TypeOf(before) != forged.Real() {
		t.Error("a new body made a new type")
	}

	// The same holds across a renewal: the bodies of the old type's methods can still be replaced.
	methods = append(methods, onValue("Extra", func(*float64) int { return 1 }, func(float64) int { return 1 }))
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	if reflect.TypeOf(before) == forged.Real() {
		t.Error("a new method made no new type")
	}
	methods[0] = stringMethod(func(v float64) string { return "third" })
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "old type, newest body", stringer.String(), "third")
	plus := reflect.ValueOf(Current(before)).MethodByName("Plus")
	wantSame(t, "signature follows the renewal", plus.Type().In(0) == forged.Real(), true)
	wantSame(t, "call", plus.Call([]reflect.Value{reflect.ValueOf(Current(before))})[0], "third")
}

// forgedMethods returns the methods of temperature with another String method.
func forgedMethods(forged *Type, text func(float64) string) []Method {
	plus := onValue("Plus", func(v *float64, d float64) float64 { return *v + d }, func(v, d float64) float64 { return v + d })
	plus.Type = reflect.FuncOf([]reflect.Type{forged.Real()}, []reflect.Type{forged.Real()}, false)
	return []Method{stringMethod(text), plus, onPointer("Set", func(v *float64, s string) error { return errors.New("unset") })}
}

// A method whose signature has changed must not be called through the runtime's cache of the old
// one.
func TestAChangedSignatureDoesNotReachOldCallers(t *testing.T) {
	forged := mustDeclare(t, "changing", typ[float64]())
	if err := forged.SetMethods([]Method{stringMethod(func(float64) string { return "text" })}); err != nil {
		t.Fatal(err)
	}
	old := box(forged, 1.0)
	wantSame(t, "before", fmt.Sprint(old), "text")
	if err := forged.SetMethods([]Method{onValue("String", func(*float64) int { return 1 }, func(float64) int { return 1 })}); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "old value", fmt.Sprint(old), "text")
	if _, ok := box(forged, 1.0).(fmt.Stringer); ok {
		t.Error("String() int makes a Stringer")
	}
	if err := forged.SetMethods(nil); err != nil || forged.Real().NumMethod() != 0 {
		t.Error("methods cannot be taken away", err)
	}
}

// A type that mentions another one only in its methods is renewed with it, so that reflection can
// call them with new values.
func TestSignaturesFollowRenewedTypes(t *testing.T) {
	unit, user := mustDeclare(t, "unit", typ[float64]()), mustDeclare(t, "user", typ[int]())
	take := onValue("Take", func(_ *int, u float64) float64 { return u }, func(_ int, u float64) float64 { return u })
	take.Type = reflect.FuncOf([]reflect.Type{unit.Real()}, []reflect.Type{unit.Real()}, false)
	if err := user.SetMethods([]Method{take}); err != nil {
		t.Fatal(err)
	}
	box(unit, 1.0)
	box(user, 1)
	if err := unit.SetMethods([]Method{stringMethod(func(v float64) string { return fmt.Sprint(v, "u") })}); err != nil {
		t.Fatal(err)
	}
	result := reflect.ValueOf(box(user, 1)).Method(0).Call([]reflect.Value{reflect.ValueOf(box(unit, 5.0))})
	wantSame(t, "call", result[0], "5u")
}

func TestNamedTypesOfEveryKindAreRenewed(t *testing.T) {
	inner := mustDeclare(t, "inner", typ[float64]())
	pointer := reflect.PointerTo(inner.Real())
	aMap, aSlice, anArray := mustDeclare(t, "aMap", typ[map[float64]float64]()), mustDeclare(t, "aSlice", typ[[]*float64]()), mustDeclare(t, "anArray", typ[[2]float64]())
	aChan, aFunc, aLink := mustDeclare(t, "aChan", typ[chan float64]()), mustDeclare(t, "aFunc", typ[func(float64) float64]()), mustDeclare(t, "aLink", typ[*float64]())
	aMap.CompleteKey(inner.Real())
	aMap.CompleteElem(inner.Real())
	aSlice.CompleteElem(pointer)
	anArray.CompleteElem(inner.Real())
	aChan.CompleteElem(inner.Real())
	aLink.CompleteElem(inner.Real())
	aFunc.CompleteFunc(reflect.FuncOf([]reflect.Type{inner.Real()}, []reflect.Type{inner.Real()}, false))
	box(anArray, [2]float64{})
	if err := inner.SetMethods([]Method{stringMethod(func(v float64) string { return fmt.Sprint("<", v, ">") })}); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "map", box(aMap, map[float64]float64{1: 2}), "map[<1>:<2>]")
	wantSame(t, "array", box(anArray, [2]float64{1, 2}), "[<1> <2>]")
	for _, forged := range []*Type{aSlice, aChan, aLink} {
		elem := forged.Real().Elem()
		if elem != inner.Real() && elem != reflect.PointerTo(inner.Real()) {
			t.Errorf("%v has the old element", forged)
		}
	}
	if aFunc.Real().In(0) != inner.Real() || aFunc.Real().Out(0) != inner.Real() {
		t.Error("the function has the old parameters")
	}
}

func TestCompiledCachesSeeTheNewType(t *testing.T) {
	level := mustDeclare(t, "cached", typ[float64]())
	text, _ := json.Marshal(box(level, 2.0))
	if err := level.SetMethods([]Method{onValue("MarshalJSON",
		func(v *float64) ([]byte, error) { return []byte(`"two"`), nil }, func(float64) ([]byte, error) { return []byte(`"two"`), nil })}); err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(box(sliceOf(level), []float64{2}))
	wantSame(t, "json", fmt.Sprint(string(text), string(after), err), `2["two"]<nil>`)
}

func TestRenewalsWhileOthersAsk(t *testing.T) {
	level := mustDeclare(t, "raced", typ[float64]())
	old := box(sliceOf(level), []float64{1})
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if v := Current(old); fmt.Sprint(v) != "[1]" || fmt.Sprintf("%T", v) != "[]realtype.raced" {
					t.Error("a value was lost")
					return
				}
			}
		})
	}
	var methods []Method
	for n := range 20 {
		methods = append(methods, onValue(fmt.Sprint("M", n), func(*float64) {}, func(float64) {}))
		if err := level.SetMethods(methods); err != nil {
			t.Fatal(err)
		}
		level.MarkUsed()
	}
	close(done)
	group.Wait()
	wantSame(t, "methods", reflect.TypeOf(Current(old)) == reflect.SliceOf(level.Real()) && level.Real().NumMethod() == 20, true)
}
