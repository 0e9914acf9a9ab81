package fingerprint

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

type node struct {
	name string
	next *node
	tags map[string][]int
}

func of(v any) Print { return new(Reader).Of(reflect.ValueOf(v)) }

// states are values, no two of which are equal.
func states() []any {
	loop := &node{name: "a"}
	loop.next = loop
	longer := &node{name: "a", next: &node{name: "a"}}
	longer.next.next = longer
	type celsius []float64
	return []any{
		1, 2, -1, true, false, "", "a", "ab", 1.5, float32(1.25), complex(1, 2), complex(2, 1), nil,
		[]int(nil), []int{}, []int{1}, []int{1, 2}, []int{2, 1}, []float64{1, 2}, celsius{2, 1}, []byte("abc"), []byte("abd"), []string{"a", "b"}, []string{"ab", ""},
		[2]int{1, 3}, [2]int{3, 1}, map[string]int(nil), map[string]int{}, map[string]int{"a": 1, "b": 2}, map[string]int{"a": 2, "b": 1},
		&node{name: "a"}, &node{name: "b"}, loop, longer, node{tags: map[string][]int{"x": {1}}}, node{tags: map[string][]int{"x": {2}}},
		[]any{1, "a"}, []any{1, 'a'}, struct{ a, b any }{1, nil}, struct{ a, b any }{nil, 1},
	}
}

func TestDifferentValuesHaveDifferentFingerprints(t *testing.T) {
	first, second := states(), states()
	for i := range first {
		for j := range second {
			p, q := of(first[i]), of(second[j])
			if i == j && !p.Equal(q) || i != j && !p.Differs(q) {
				t.Errorf("%#v has %v, %#v has %v", first[i], p, second[j], q)
			}
		}
	}
}

func TestEachElementCounts(t *testing.T) {
	xs, ys := make([]float64, 300), map[int]float32{}
	for i := range 300 {
		ys[i] = float32(i)
	}
	before, entries := of(xs), of(ys)
	for range 50 {
		i := rand.IntN(300)
		xs[i]++
		ys[i] += 0.5
		if !of(xs).Differs(before) || !of(ys).Differs(entries) {
			t.Fatalf("element %d does not count", i)
		}
		xs[i]--
		ys[i] -= 0.5
	}
	if !of(xs).Equal(before) || !of(ys).Equal(entries) {
		t.Error("equal values have different fingerprints")
	}
}

// TestLargeAndOpaqueValuesHaveNoExactFingerprint has values of which a part is not read. What is
// read of them must nevertheless be the same each time.
func TestLargeAndOpaqueValuesHaveNoExactFingerprint(t *testing.T) {
	var deep any = 1
	for range MaxDepth + 5 {
		deep = []any{deep}
	}
	numbers := map[int]int{}
	for i := range MaxItems {
		numbers[i] = i
	}
	for _, v := range []any{make([]float64, MaxItems*perItem/8+64), make([]node, MaxItems), make([]byte, perItem*MaxItems+perItem), make([]string, MaxItems+1), numbers, deep, func() {}, make(chan int), []func(){func() {}}} {
		if p := of(v); p.Exact || of(v).Differs(p) {
			t.Errorf("%T has the prints %v and %v", v, p, of(v))
		}
	}
	if !of((func())(nil)).Exact || !of((chan int)(nil)).Exact {
		t.Error("nil is not exact")
	}
	r := new(Reader)
	if xs := reflect.ValueOf(make([]float64, MaxItems*perItem/8/2+64)); !r.Of(xs).Exact || r.Of(xs).Exact {
		t.Error("the bound does not apply to all values of a reader together")
	}
}

func BenchmarkNumbers(b *testing.B) {
	v := reflect.ValueOf(make([]float64, MaxItems*perItem/8-10))
	for b.Loop() {
		new(Reader).Of(v)
	}
}

func BenchmarkRecords(b *testing.B) {
	v := reflect.ValueOf(make([]node, MaxItems/4-10))
	for b.Loop() {
		new(Reader).Of(v)
	}
}
