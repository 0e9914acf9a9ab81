package maphash

import (
	"fmt"
	standard "hash/maphash"
	"math"
	"testing"
)

type record struct {
	Name  string
	inner [2]any
	_     int
}

func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestHashesAreEqualExactlyWhenValuesAre(t *testing.T) {
	pointer := new(int)
	values := []any{
		1, 2, int8(1), uint(1), true, false, "", "a", "ab", 1.5, 0.0, math.Copysign(0, -1), float32(1.5), 1i, pointer, new(int), make(chan int), nil,
		[2]int{1, 2}, [2]string{"a", "b"}, [2]string{"ab", ""}, record{Name: "a"}, record{Name: "a", inner: [2]any{1, "x"}}, struct{}{},
	}
	seed := standard.MakeSeed()
	for _, a := range values {
		for _, b := range values {
			// Two hashes of 64 bits agree by chance once in 10¹⁹ pairs.
			if equal := Comparable(seed, a) == Comparable(seed, b); equal != (a == b) {
				t.Errorf("hashes of %#v and %#v: equal is %v", a, b, equal)
			}
		}
	}
	if first, second := Comparable(seed, math.NaN()), Comparable(seed, math.NaN()); first == second {
		t.Error("two NaNs have one hash")
	}
}

func TestWriteComparableContinuesAHash(t *testing.T) {
	var a, b standard.Hash
	b.SetSeed(a.Seed())
	a.WriteString("x")
	WriteComparable(&a, 1)
	b.WriteString("x")
	if a.Sum64() == b.Sum64() {
		t.Error("the value was not written")
	}
	WriteComparable(&b, 1)
	if a.Sum64() != b.Sum64() {
		t.Error("equal data have two hashes")
	}
}

func TestUncomparableValuesPanic(t *testing.T) {
	var v any = []int{1}
	if got := panicking(func() { Comparable(standard.MakeSeed(), v) }); got != "hash of unhashable type []int" {
		t.Errorf("got %q; the standard package says %q", got, panicking(func() { standard.Comparable(standard.MakeSeed(), v) }))
	}
}
