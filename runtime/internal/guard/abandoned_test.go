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
