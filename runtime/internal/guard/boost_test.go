package guard

import (
	"runtime"
	"testing"

	"gosphere/runtime/internal/guard/schedule"
)

// Tests may change GOMAXPROCS, as the program of a kernel may.
func TestMain(m *testing.M) {
	schedule.PermitProcessors()
	m.Run()
}

func TestOnlyARequestBesideCellsHasAProcessorMore(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	g := New()
	g.BoostForRequest()()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d processors in an idle session, want %d", got, before)
	}
	testCell(g).Run(func() {
		defer g.BoostForRequest()()
		if got := runtime.GOMAXPROCS(0); got != before+1 {
			t.Errorf("%d processors beside a cell, want %d", got, before+1)
		}
	})
}
