package rand

import (
	"fmt"
	standard "math/rand/v2"
	"testing"
	"time"
)

func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestNStaysInRangeAndReachesIt(t *testing.T) {
	seen := map[int8]int{}
	for range 2000 {
		v := N(int8(5))
		if v < 0 || v >= 5 {
			t.Fatalf("N(5) = %d", v)
		}
		seen[v]++
	}
	// The probability that a value does not occur in 2000 samples is 0.8²⁰⁰⁰, less than 1e−190.
	if len(seen) != 5 {
		t.Errorf("values %v", seen)
	}
	if d := N(time.Hour); d < 0 || d >= time.Hour {
		t.Errorf("N(time.Hour) = %v", d)
	}
	if v := N(uint64(1)); v != 0 {
		t.Errorf("N(1) = %d", v)
	}
	N(^uint64(0))
}

func TestNPanicsAsTheStandardOne(t *testing.T) {
	for _, n := range []int{0, -1} {
		if got, want := panicking(func() { N(n) }), panicking(func() { standard.N(n) }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheMethodDrawsAsTheStandardOne(t *testing.T) {
	own, std := standard.New(standard.NewPCG(1, 2)), standard.New(standard.NewPCG(1, 2))
	for i := range 200 {
		if got, want := Rand_N(own, i+1), std.N(i+1); got != want {
			t.Fatalf("N(%d) = %d, want %d", i+1, got, want)
		}
		if got, want := Rand_N(own, int8(100)), std.N(int8(100)); got != want {
			t.Fatalf("N(int8(100)) = %d, want %d", got, want)
		}
		if got, want := Rand_N(own, ^uint64(0)-uint64(i)), std.N(^uint64(0)-uint64(i)); got != want {
			t.Fatalf("N of a large uint64 = %d, want %d", got, want)
		}
	}
	if got, want := panicking(func() { Rand_N(own, -time.Second) }), panicking(func() { std.N(-time.Second) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
