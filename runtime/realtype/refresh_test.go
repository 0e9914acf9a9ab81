package realtype

import (
	"container/list"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
)

// old makes a boxed value of a type that then gets a method String, which compiled code has
// already looked for.
func old(t *testing.T, name string) (forged *Type, value any) {
	forged = mustDeclare(t, name, typ[float64]())
	value = Box(forged, 1.0)
	wantSame(t, "before", fmt.Sprint(value), "1")
	if err := forged.SetMethods([]Method{stringMethod(func(v float64) string { return fmt.Sprint("L", v) })}); err != nil {
		t.Fatal(err)
	}
	return forged, value
}

// openHere has structs of this package entered, as those of most compiled packages are.
func openHere(t *testing.T) {
	before := closedPackages
	closedPackages = slices.DeleteFunc(slices.Clone(before), func(p string) bool { return p == "gosphere/runtime" })
	t.Cleanup(func() { closedPackages = before })
}

func TestRefreshReachesInterfaceValuesWhereverTheyAre(t *testing.T) {
	openHere(t)
	type node struct {
		held any
		next *node
	}
	type tree struct {
		Kids  []tree
		Value any
	}
	forged, v := old(t, "reached")
	chain := &node{v, &node{v, nil}}
	chain.next.next = chain // a ring
	l := list.New()
	l.PushBack(v)
	var shared sync.Map
	shared.Store(v, v)
	inner := any([1]any{v})
	places := map[string]any{
		"variable":              &v,
		"slice":                 &[]any{v},
		"array":                 &[2]any{nil, v},
		"struct":                &struct{ x, y any }{v, v},
		"elements of a map":     &map[string]any{"k": v},
		"keys of a map":         &map[any]any{v: 1},
		"structs as keys":       &map[struct{ k any }]int{{v}: 1},
		"pointer to pointer":    func() any { p := &struct{ p *any }{&v}; return &p }(),
		"value in a value":      &inner,
		"pointer in a value":    func() any { w, x := v, any(nil); x = &w; return &x }(),
		"map in a value":        func() any { x := any(map[any]bool{v: true}); return &x }(),
		"one-pointer struct":    func() any { w := v; x := any(struct{ p *any }{&w}); return &x }(),
		"ring of pointers":      &chain,
		"tree of slices":        &tree{Kids: []tree{{Value: v}, {Kids: []tree{{Value: v}}}}},
		"list":                  &l,
		"sync.Map":              &shared,
		"errors of compiled Go": func() any { e := errors.Join(errors.New("e")); return &e }(),
	}
	var pointers []any
	for _, p := range places {
		pointers = append(pointers, p)
	}
	Refresh(pointers)

	now := Box(forged, 1.0)
	for what, p := range map[string]any{
		"variable": v, "chain": chain.held, "chain, second": chain.next.held, "list": l.Front().Value, "slice": (*places["slice"].(*[]any))[0],
		"array": places["array"].(*[2]any)[1], "value in a value": inner.([1]any)[0], "element": (*places["elements of a map"].(*map[string]any))["k"],
		"pointer in a value": *(*places["pointer in a value"].(*any)).(*any), "second in the tree": places["tree of slices"].(*tree).Kids[1].Kids[0].Value,
	} {
		if reflect.TypeOf(p) != forged.Real() || fmt.Sprint(p) != "L1" {
			t.Errorf("%s: %v", what, p)
		}
	}
	s := places["struct"].(*struct{ x, y any })
	wantSame(t, "unexported fields", fmt.Sprint(s.x, s.y), "L1 L1")
	wantSame(t, "key", (*places["keys of a map"].(*map[any]any))[now], 1)
	wantSame(t, "key in a struct", (*places["structs as keys"].(*map[struct{ k any }]int))[struct{ k any }{now}], 1)
	wantSame(t, "key of a boxed map", (*places["map in a value"].(*any)).(map[any]bool)[now], true)
	elem, ok := shared.Load(now)
	wantSame(t, "sync.Map", fmt.Sprint(elem, ok), "L1 true")
	shared.Range(func(key, _ any) bool { wantSame(t, "key of sync.Map", key, "L1"); return true })
	for _, m := range []any{*places["keys of a map"].(*map[any]any), *places["structs as keys"].(*map[struct{ k any }]int)} {
		wantSame(t, "number of entries", reflect.ValueOf(m).Len(), 1)
	}
}

// What has been refreshed is in use: another new method needs another new type, because
// compiled code has asked for it already.
func TestRefreshedValuesGetTheNextMethodToo(t *testing.T) {
	forged, v := old(t, "again")
	list := any([]any{v})
	Refresh([]any{&v, &list})
	methods := []Method{stringMethod(func(float64) string { return "text" })}
	for _, name := range []string{"Error", "GoString"} {
		wantSame(t, "before", fmt.Sprintf("%v %#v", v, v) != "", true)
		methods = append(methods, onValue(name, func(*float64) string { return name }, func(float64) string { return name }))
		if err := forged.SetMethods(methods); err != nil {
			t.Fatal(err)
		}
		Refresh([]any{&v, &list})
	}
	wantSame(t, "values", fmt.Sprintf("%v %v %#v", v, list, v), "Error [Error] GoString")
}

// An interface that the newest type does not implement any more keeps the old value.
func TestRefreshKeepsWhatAnInterfaceNeeds(t *testing.T) {
	forged := mustDeclare(t, "needed", typ[float64]())
	if err := forged.SetMethods([]Method{stringMethod(func(float64) string { return "text" })}); err != nil {
		t.Fatal(err)
	}
	s := Box(forged, 1.0).(fmt.Stringer)
	if err := forged.SetMethods([]Method{onValue("Other", func(*float64) int { return 1 }, func(float64) int { return 1 })}); err != nil {
		t.Fatal(err)
	}
	Refresh([]any{&s})
	wantSame(t, "interface", s.String(), "text")
	v := Box(forged, 2.0)
	Refresh([]any{&v, nil, (*int)(nil), 7})
	if _, ok := v.(interface{ Other() int }); !ok {
		t.Error("a new value lost its method")
	}
}

func TestRefreshLeavesClosedPackagesAlone(t *testing.T) {
	type compiled struct{ held any }
	_, v := old(t, "alone")
	c := compiled{v}
	Refresh([]any{&c})
	if reflect.TypeOf(c.held) != reflect.TypeOf(v) {
		t.Error("a struct of a closed package was entered")
	}
}

func TestRefreshOfLongChainsNeedsNoDeepStack(t *testing.T) {
	type node struct {
		next *node
		held any
	}
	openHere(t)
	_, v := old(t, "long")
	var first *node
	for range 300_000 {
		first = &node{first, v}
	}
	Refresh([]any{&first})
	for n := first; n != nil; n = n.next {
		if reflect.TypeOf(n.held) == reflect.TypeOf(v) {
			t.Fatal("a value kept its old type")
		}
	}
}
