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
