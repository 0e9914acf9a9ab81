package realtype

import (
	"fmt"
	"runtime"
	"testing"
)

// counter makes a function that captures a variable, which is noted.
func counter(h *Holds, v any) func() string {
	captured := v
	h.Add(&captured)
	return func() string { return fmt.Sprint(captured) }
}

func TestHoldsLeadToWhatFunctionsCapture(t *testing.T) {
	var h Holds
	_, v := old(t, "captured")
	f, g := counter(&h, v), counter(&h, []any{v})
	runtime.GC()
	Refresh(h.Pointers())
	wantSame(t, "what they say", f()+g(), "L1[L1]")
	h.Clear()
	wantSame(t, "pointers", len(h.Pointers()), 0)
}

func TestHoldsKeepNothingAlive(t *testing.T) {
	var h Holds
	kept := counter(&h, 1)
	for range 10_000 {
		_ = counter(&h, 2)
	}
	runtime.GC()
	runtime.GC()
	if n := len(h.Pointers()); n > 100 {
		t.Errorf("%d variables are known", n)
	}
	wantSame(t, "what it says", kept(), "1")
	runtime.KeepAlive(kept)
}

func TestHoldsOfOneVariableAreOne(t *testing.T) {
	var h Holds
	a, b := any(1), any(2)
	for range 10_000 {
		h.Add(&a, &b)
	}
	wantSame(t, "pointers", len(h.Pointers()), 2)
	h.Add(nil, (*any)(nil), 7)
	wantSame(t, "pointers", len(h.Pointers()), 2)
	runtime.KeepAlive(&a)
	runtime.KeepAlive(&b)
}
