package session

import "testing"

func TestFinalizersOfCellsRunAndMayPanic(t *testing.T) {
	s := newTestSession(t)
	for i, code := range []string{
		`import "runtime"
type T struct{ n int; name string }
ran := make(chan int, 3)
func() { p := &T{n: 7}; runtime.SetFinalizer(p, func(p *T) { ran <- p.n }) }()
func() { p := &T{n: 8}; runtime.SetFinalizer(p, func(p *T) { ran <- p.n; panic("late") }) }()
func() {
	p := &T{n: 9}
	runtime.SetFinalizer(p, func(p *T) { ran <- p.n })
	captures := []func() int{func() int { return p.n }}
	captures[0]()
}()`,
		"sum := 0\nfor range 3 { for len(ran) == 0 { runtime.GC() }; sum += <-ran }\nsum",
	} {
		end, _, ok := playCell(s, i+1, code)
		if !ok || end.failure != nil {
			t.Fatalf("cell %d: %v", i+1, end.failure)
		}
		if i == 1 && end.shown.data["text/plain"] != "24" {
			t.Errorf("got %v, want 24", end.shown.data["text/plain"])
		}
	}
}

// The runtime puts small variables without pointers into common blocks, and releases a block when
// nothing in it is alive. What a session stores for them must not be in such a block.
func TestFinalizersOfSmallVariablesRun(t *testing.T) {
	s := newTestSession(t)
	for i, code := range []string{
		`import "runtime"
ran := make(chan int, 400)
func() {
	for i := range 200 {
		x := new(int32)
		*x = int32(i)
		runtime.SetFinalizer(x, func(p *int32) { ran <- int(*p) })
	}
	for i := range 200 {
		x := new(int64)
		*x = int64(i)
		runtime.SetFinalizer(x, func(p *int64) { ran <- int(*p) })
	}
}()`,
		"for range 100 { runtime.GC(); runtime.Gosched(); if len(ran) >= 300 { break } }\nlen(ran) >= 300",
	} {
		end, _, ok := playCell(s, i+1, code)
		if !ok || end.failure != nil {
			t.Fatalf("cell %d: %v", i+1, end.failure)
		}
		if i == 1 && end.shown.data["text/plain"] != "true" {
			t.Error("fewer than 300 of 400 finalizers have run")
		}
	}
}

// Each call would end the process: the runtime has no panics for wrong finalizers, and takes the
// first to be wrong, since run-time types that are made later differ from compiled ones in what the
// runtime examines.
func TestFinalizersNeverEndTheProcess(t *testing.T) {
	s := newTestSession(t)
	for i, c := range []struct{ code, want string }{
		{"import \"runtime\"\ntype N struct{ v int; s string }\ntype P *N\nran := make(chan int, 10)", ""},
		{"func() { var p P = &N{v: 1}; runtime.SetFinalizer(p, func(p *N) { ran <- p.v }) }()", ""},
		{"func() { runtime.SetFinalizer(&N{v: 2}, func(p P) { ran <- p.v }) }()", ""},
		{"func() { runtime.SetFinalizer(&N{v: 3}, func(p any) { ran <- p.(*N).v }) }()", ""},
		{"func() { runtime.SetFinalizer(&N{v: 4}, func(p *N) (int, error) { ran <- p.v; return 1, nil }) }()", ""},
		{"func() { p := new([80]*N); p[0] = &N{v: 5}; runtime.SetFinalizer(p, func(p *[80]*N) { ran <- p[0].v }) }()", ""},
		{"func() { p := new([9000]*N); p[0] = &N{v: 6}; runtime.SetFinalizer(p, func(p *[9000]*N) { ran <- p[0].v }) }()", ""},
		{"func() { p := new([900]int); p[0] = 7; runtime.SetFinalizer(p, func(p *[900]int) { ran <- p[0] }) }()", ""},
		{"sum := 0\nfor range 7 { for len(ran) == 0 { runtime.GC() }; sum += <-ran }\nif sum != 28 { panic(sum) }", ""},
		{"kept := &N{}; runtime.SetFinalizer(kept, func(*N) {}); runtime.SetFinalizer(kept, nil); runtime.SetFinalizer(kept, func(*N) {})", ""},
		{"runtime.SetFinalizer(kept, func(*N) {})", "runtime.SetFinalizer: finalizer already set"},
		{"runtime.SetFinalizer(nil, nil)", "runtime.SetFinalizer: first argument is nil"},
		{"runtime.SetFinalizer(3, nil)", "runtime.SetFinalizer: first argument is int, not pointer"},
		{"runtime.SetFinalizer((*N)(nil), func(*N) {})", "runtime.SetFinalizer: pointer not in allocated block"},
		{"runtime.SetFinalizer(&N{}, 3)", "runtime.SetFinalizer: second argument is int, not a function"},
		{"runtime.SetFinalizer(&N{}, func() {})", "runtime.SetFinalizer: cannot pass *main.N to finalizer func()"},
		{"runtime.SetFinalizer(&N{}, func(*int) {})", "runtime.SetFinalizer: cannot pass *main.N to finalizer func(*int)"},
		{"runtime.SetFinalizer(&N{}, func(a, b *N) {})", "runtime.SetFinalizer: cannot pass *main.N to finalizer func(*main.N, *main.N)"},
		{"runtime.SetFinalizer(&N{}, func(...*N) {})", "runtime.SetFinalizer: cannot pass *main.N to finalizer func(...*main.N) because dotdotdot"},
		{"runtime.SetFinalizer(&N{}, func(error) {})", "runtime.SetFinalizer: cannot pass *main.N to finalizer func(error)"},
		{"runtime.SetFinalizer(&kept.s, func(*string) {})", "runtime.SetFinalizer: pointer not at beginning of allocated block"},
		{"runtime.SetFinalizer(&new([900]*N)[1], func(**N) {})", "runtime.SetFinalizer: pointer not at beginning of allocated block"},
		{"runtime.SetFinalizer(&struct{}{}, func(*struct{}) {})", ""},
		{"runtime.AddCleanup((*N)(nil), func(int) {}, 1)", "runtime.AddCleanup: ptr is nil"},
		{"runtime.AddCleanup(kept, func(*N) {}, kept)", "runtime.AddCleanup: ptr is equal to arg, cleanup will never run"},
		{"func() { p := &N{}; runtime.AddCleanup(p, func(n int) { ran <- n; panic(`late`) }, 9) }()\nfor len(ran) == 0 { runtime.GC() }; <-ran", ""},
	} {
		end, _, ok := playCell(s, i+1, c.code)
		switch {
		case !ok:
			t.Fatalf("%s: no end", c.code)
		case c.want == "" && end.failure != nil, c.want != "" && (end.failure == nil || end.failure.value != c.want):
			t.Errorf("%s\ngot  %v\nwant %s", c.code, end.failure, c.want)
		}
	}
}

// A program begins with one goroutine. The session's own do not count.
func TestOnlyGoroutinesOfCellsAreCounted(t *testing.T) {
	s := newTestSession(t)
	for i, c := range []struct{ code, want string }{
		{"import (\"runtime\"; \"runtime/metrics\"; \"runtime/pprof\")\nruntime.NumGoroutine()", "1"},
		{"release := make(chan int); for range 4 { go func() { <-release }() }\nruntime.NumGoroutine()", "5"},
		{"sample := []metrics.Sample{{Name: \"/sched/goroutines:goroutines\"}}; metrics.Read(sample); sample[0].Value.Uint64()", "5"},
		{"pprof.Lookup(\"goroutine\").Count()", "5"},
		{"close(release); for runtime.NumGoroutine() > 1 { runtime.Gosched() }; runtime.NumGoroutine()", "1"},
	} {
		end, _, ok := playCell(s, i+1, c.code)
		switch {
		case !ok || end.failure != nil:
			t.Errorf("%s: %+v, want %s", c.code, end, c.want)
		case end.shown.data["text/plain"] != c.want:
			t.Errorf("%s: %v, want %s", c.code, end.shown.data["text/plain"], c.want)
		}
	}
}
