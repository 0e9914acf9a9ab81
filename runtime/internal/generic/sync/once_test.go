package sync

import (
	"fmt"
	"sync"
	"testing"
)

func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestOnceValueCallsOnceFromManyGoroutines(t *testing.T) {
	calls := 0
	value := OnceValue(func() int { calls++; return 42 })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if v := value(); v != 42 {
				t.Errorf("got %d", v)
			}
		})
	}
	group.Wait()
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestOnceValuesKeepsBoth(t *testing.T) {
	calls := 0
	values := OnceValues(func() (string, error) { calls++; return "a", fmt.Errorf("e%d", calls) })
	for range 3 {
		if s, err := values(); s != "a" || err.Error() != "e1" {
			t.Errorf("got %q, %v", s, err)
		}
	}
}

func TestPanicsRepeatAsInTheStandardPackage(t *testing.T) {
	for _, value := range []any{"broken", 3} {
		calls, standardCalls := 0, 0
		own := OnceValue(func() int { calls++; panic(value) })
		std := sync.OnceValue(func() int { standardCalls++; panic(value) })
		own2 := OnceValues(func() (int, int) { panic(value) })
		for range 3 {
			want := panicking(func() { std() })
			if got := panicking(func() { own() }); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := panicking(func() { own2() }); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if calls != standardCalls {
			t.Errorf("%d calls, want %d", calls, standardCalls)
		}
	}
}
