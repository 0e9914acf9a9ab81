package maps

import (
	"fmt"
	"iter"
	standard "maps"
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

func random(r *rand.Rand) map[int]string {
	if r.IntN(10) == 0 {
		return nil
	}
	m := map[int]string{}
	for range r.IntN(12) {
		m[r.IntN(8)] = fmt.Sprint(r.IntN(3))
	}
	return m
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

// panicking runs f and returns the value of its panic.
func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// sorted returns the sorted values that an iterator yields, because maps have no order.
func sorted[V any](seq iter.Seq[V]) []string {
	list := []string{}
	for v := range seq {
		list = append(list, fmt.Sprint(v))
	}
	sort.Strings(list)
	return list
}

func entries[K, V any](seq iter.Seq2[K, V]) []string {
	list := []string{}
	for k, v := range seq {
		list = append(list, fmt.Sprint(k, "=", v))
	}
	sort.Strings(list)
	return list
}

func TestMapsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		a, b := random(r), random(r)
		if r.IntN(2) == 0 {
			b = standard.Clone(a)
		}
		same(t, "Equal", Equal(a, b), standard.Equal(a, b))
		longer := func(v, w string) bool { return v >= w }
		same(t, "EqualFunc", EqualFunc(a, b, longer), standard.EqualFunc(a, b, longer))
		same(t, "Clone", Clone(a), standard.Clone(a))
		same(t, "All", entries(All(a)), entries(standard.All(a)))
		same(t, "Keys", sorted(Keys(a)), sorted(standard.Keys(a)))
		same(t, "Values", sorted(Values(a)), sorted(standard.Values(a)))
		same(t, "Collect", Collect(standard.All(a)), standard.Collect(standard.All(a)))
		odd := func(k int, v string) bool { return k%2 == 1 || v == "0" }
		own, std := Clone(a), standard.Clone(a)
		DeleteFunc(own, odd)
		standard.DeleteFunc(std, odd)
		same(t, "DeleteFunc", own, std)

		own, std = standard.Clone(a), standard.Clone(a)
		same(t, "panic of Copy", panicking(func() { Copy(own, b) }), panicking(func() { standard.Copy(std, b) }))
		same(t, "Copy", own, std)
		same(t, "panic of Insert", panicking(func() { Insert(own, standard.All(a)) }), panicking(func() { standard.Insert(std, standard.All(a)) }))
		same(t, "Insert", own, std)
	}
}

func TestIteratorsStopWhenAsked(t *testing.T) {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	steps := 0
	for range All(m) {
		steps++
		break
	}
	for range Keys(m) {
		steps++
		break
	}
	for range Values(m) {
		steps++
		break
	}
	same(t, "steps", steps, 3)
}

func TestNaNKeysAreNeverEqual(t *testing.T) {
	m := map[float64]int{math.NaN(): 1}
	same(t, "Equal", Equal(m, m), standard.Equal(m, m))
	same(t, "Clone", len(Clone(m)), 1)
}

type ages map[string]int

func TestCloneKeepsTheMapType(t *testing.T) {
	var clone any = Clone(ages{"a": 1})
	if _, ok := clone.(ages); !ok {
		t.Errorf("%T", clone)
	}
}
