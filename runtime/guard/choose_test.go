package guard

import (
	"sync"
	"testing"
)

func TestChooseSendsAndReceivesWhatTheClauseSays(t *testing.T) {
	full, empty, closed := make(chan int, 1), make(chan string, 1), make(chan int)
	full <- 7
	close(closed)
	var never chan int
	send, value, ok := "sent", -1, true
	for _, c := range []struct {
		name, clauses string
		arguments     []any
		want          int
		check         func() bool
	}{
		{"default where nothing is ready", "rd", []any{never}, 2, func() bool { return true }},
		{"a receive that throws away", "rr", []any{never, closed}, 2, func() bool { return true }},
		{"a value", "dv", []any{full, &value}, 2, func() bool { return value == 7 }},
		{"a send", "rsd", []any{never, empty, &send}, 2, func() bool { return <-empty == "sent" }},
		{"both of a closed channel", "vb", []any{never, &value, closed, &value, &ok}, 2, func() bool { return value == 0 && !ok }},
		{"whether there is a value", "kv", []any{closed, &ok, never, &value}, 1, func() bool { return !ok }},
	} {
		if got := choose(c.clauses, c.arguments...); got != c.want || !c.check() {
			t.Errorf("%s: clause %d, want %d; value %d, ok %v", c.name, got, c.want, value, ok)
		}
	}
}

func TestChooseSendsNilInterfaces(t *testing.T) {
	errors := make(chan error, 1)
	var none error
	if choose("s", errors, &none); <-errors != nil {
		t.Error("another value arrived")
	}
}

func TestChoosePanicsWhereASendToAClosedChannelIsChosen(t *testing.T) {
	closed := make(chan int)
	close(closed)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	one := 1
	choose("s", closed, &one)
}

func TestGoroutinesThatChooseAtOnceKeepTheirChannels(t *testing.T) {
	var all sync.WaitGroup
	for id := range 8 {
		in := make(chan int)
		all.Go(func() {
			for range 2000 {
				choose("s", in, &id)
			}
		})
		all.Go(func() {
			var never chan int
			for range 2000 {
				got := -1
				if choose("vr", in, &got, never) != 1 || got != id {
					t.Errorf("goroutine %d got %d", id, got)
				}
			}
		})
	}
	all.Wait()
}
