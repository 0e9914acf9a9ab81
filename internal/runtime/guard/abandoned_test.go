package guard

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// processorsBecome waits until GOMAXPROCS has the given value.
func processorsBecome(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(deadline); runtime.GOMAXPROCS(0) != want; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d processors, want %d", runtime.GOMAXPROCS(0), want)
		}
	}
}

func TestCallsThatWereLeftBehindTakeNoProcessorFromOthers(t *testing.T) {
	g := New()
	before := runtime.GOMAXPROCS(0)
	var over atomic.Bool
	const calls = 3
	for range calls {
		c := testCell(g)
		began := make(chan struct{})
		outcomes := make(chan Outcome)
		go func() {
			outcomes <- c.Run(func() {
				close(began)
				for !over.Load() { // no poll, as in compiled code
				}
			})
		}()
		<-began
		c.Stop()
		if o := <-outcomes; o.Kind != Interrupted {
			t.Errorf("outcome %+v", o)
		}
	}
	processorsBecome(t, before+calls)
	over.Store(true)
	processorsBecome(t, before)
}

func TestSpareProcessorsAreBoundedAndLeaveTheSettingOfACell(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, step := range []struct{ more, want int }{
		{1, before + 1}, {maxExtraProcessors + 3, before + maxExtraProcessors}, {-3, before + maxExtraProcessors}, {-2, before + maxExtraProcessors - 1},
	} {
		if addProcessors(step.more); runtime.GOMAXPROCS(0) != step.want {
			t.Errorf("%+d: %d processors, want %d", step.more, runtime.GOMAXPROCS(0), step.want)
		}
	}
	runtime.GOMAXPROCS(before + maxExtraProcessors + 2) // as a cell may
	if addProcessors(1 - maxExtraProcessors); runtime.GOMAXPROCS(0) != before+3 {
		t.Errorf("%d processors at the end, want the 3 that were added otherwise", runtime.GOMAXPROCS(0)-before)
	}
}
