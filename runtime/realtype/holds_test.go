package realtype

import (
	"fmt"
	"runtime"
	"testing"
)

// counter makes a function that captures a variable and keeps the note of it.
func counter(h *Holds, v any) func() string {
	captured := v
	note := h.Add(&captured)
	return func() string {
		runtime.KeepAlive(note)
		return fmt.Sprint(captured)
	}
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

func TestHoldsForgetWhatIsGone(t *testing.T) {
	var h Holds
	for range 20 {
		for range 1000 {
			_ = counter(&h, 2)
		}
		runtime.GC()
	}
	if n := len(h.list); n > 10_000 {
		t.Errorf("%d notes of 20000 are in the list", n)
	}
}

func TestHoldsOfOneVariableAreOne(t *testing.T) {
	var h Holds
	a, b := any(1), any(2)
	var notes []*Note
	for range 1000 {
		notes = append(notes, h.Add(&a), h.Add(&b), h.Add(&b))
	}
	wantSame(t, "pointers", len(h.Pointers()), 2)
	wantSame(t, "notes", notes[1] == notes[2], true)
}
