package machine_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gosphere/runtime/internal/machine"
)

// TestAppendedStringsNeverChange appends to strings that other variables have, in random order, and
// compares all strings that have existed with copies.
func TestAppendedStringsNeverChange(t *testing.T) {
	m, _ := newMachine()
	enter(t, m, nil, func(f machine.Frame, _ *machine.Code, _ []machine.Slot) {
		r := rand.New(rand.NewPCG(1, 2))
		var variables [20]string
		var all, copies []string
		for range 20_000 {
			i, k := r.IntN(len(variables)), r.IntN(len(variables))
			s, x := variables[i], strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(4))
			switch r.IntN(8) {
			case 0:
				variables[i] = variables[k]
				continue
			case 1:
				variables[i] = s[:r.IntN(len(s)+1)]
				continue
			case 2:
				variables[i] = s[r.IntN(len(s)+1):]
				continue
			case 3:
				x = s[:min(len(s), 5)]
			case 4:
				more := []string{x, "", variables[k][:min(len(variables[k]), 3)], x}
				want := s + x + more[2] + x
				if variables[i] = machine.AppendAll(f, &machine.Site{}, s, more); variables[i] != want {
					t.Fatalf("appending %q to %q gives %q", more, s, variables[i])
				}
				continue
			}
			want := s + x
			variables[i] = machine.Append(f, &machine.Site{}, s, x)
			if variables[i] != want {
				t.Fatalf("appending %q to %q gives %q", x, s, variables[i])
			}
			if len(variables[i]) > 200 {
				variables[i] = ""
			}
			all, copies = append(all, variables[i]), append(copies, strings.Clone(want[:len(variables[i])]))
		}
		for i, s := range all {
			if s != copies[i] {
				t.Fatalf("string %d has become %q, was %q", i, s, copies[i])
			}
		}
	})
}

// Two goroutines have a string with room after it. Both append to it.
func TestGoroutinesDoNotShareTheRoomBehindAString(t *testing.T) {
	m, _ := newMachine()
	enter(t, m, nil, func(f machine.Frame, code *machine.Code, _ []machine.Slot) {
		s := "s"
		for range 5 {
			s = machine.Append(f, &machine.Site{}, s, "x")
		}
		other := make(chan string)
		go m.Call(func() {
			other <- machine.Append(code.Enter(machine.Current().Base(), nil), &machine.Site{}, s, "1")
		})
		a := machine.Append(f, &machine.Site{}, s, "2")
		if b := <-other; a != "sxxxxx2" || b != "sxxxxx1" || s != "sxxxxx" {
			t.Errorf("the strings are %q, %q and %q", a, b, s)
		}
	})
}

func TestAppendingCopiesAConstantNumberOfTimes(t *testing.T) {
	m, _ := newMachine()
	const n = 100_000
	build := func() int {
		s, at := "", &machine.Site{}
		enter(t, m, nil, func(f machine.Frame, _ *machine.Code, _ []machine.Slot) {
			for range n {
				s = machine.Append(f, at, s, "x")
			}
		})
		return len(s)
	}
	// The number of allocations is that of growing by half from the first bytes on.
	if got := testing.AllocsPerRun(3, func() {
		if got := build(); got != n {
			t.Errorf("the string has %d bytes", got)
		}
	}); got > 100 {
		t.Errorf("%v allocations", got)
	}
}

// A string that is appended to once or twice has no memory for more.
func TestFewAppendedStringsNeedNoMoreMemory(t *testing.T) {
	m, _ := newMachine()
	enter(t, m, []reflect.Type{reflect.TypeFor[int]()}, func(f machine.Frame, _ *machine.Code, _ []machine.Slot) {
		half := strings.Repeat("x", 1<<19)
		bytes := func(appends int) uint64 {
			const rounds = 10
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range rounds {
				s := half
				for range appends {
					s = machine.Append(f, &machine.Site{}, s, half)
				}
			}
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) / rounds
		}
		if one := bytes(1); one > 1<<20+1<<14 {
			t.Errorf("one string of 1 MB takes %d bytes", one)
		}
		if two := bytes(2); two > 5<<19+1<<14 {
			t.Errorf("one string of 1 MB and one of 1.5 MB take %d bytes", two)
		}
	})
}
