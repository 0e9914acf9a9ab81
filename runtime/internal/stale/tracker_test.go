package stale

import (
	"runtime"
	"testing"
	"weak"
)

// Each cell reads what the one before it has written, as x++ does.
func TestForgottenCellsAreFreed(t *testing.T) {
	tracker := New()
	n := tracker.number("x")
	var first weak.Pointer[cell]
	for i := range maxCells + 10 {
		c := tracker.enter(Run{Number: i + 1})
		if i == 0 {
			first = weak.Make(c)
		}
		c.reads = []read{{name: n, saw: tracker.current[n], certain: true}}
		w := &write{cell: c, certain: true, below: tracker.current[n]}
		c.writes = []written{{n, w}}
		tracker.current[n] = w
	}
	runtime.GC()
	if first.Value() != nil {
		t.Error("the first cell is reachable")
	}
	runtime.KeepAlive(tracker)
}
