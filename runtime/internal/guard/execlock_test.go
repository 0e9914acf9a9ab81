package guard

import (
	"sync/atomic"
	"testing"
	"time"
)

// testCell returns a cell whose output is discarded.
func testCell(g *Guard) *Cell { return g.NewCell(1, func(string, string) {}) }

// deadline is how long tests wait for an expected event.
const deadline = 2 * time.Minute

// bounded fails the test if f does not return.
func bounded(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Fatalf("%s does not end", what)
	}
}

func TestOneCellAtATimeHasItsTurn(t *testing.T) {
	g := New()
	var stop atomic.Bool
	g.OnStop(func(now bool) { stop.Store(now) })
	var inside, most atomic.Int64
	var done [4]chan Outcome
	for i := range done {
		done[i] = make(chan Outcome, 1)
		go func() {
			done[i] <- testCell(g).Run(func() {
				for range 2000 {
					if n := inside.Add(1); n > 1 {
						most.Store(n)
					}
					inside.Add(-1)
					g.Poll()
				}
			})
		}()
	}
	bounded(t, "a cell", func() {
		for _, d := range done {
			if o := <-d; o.Kind != Finished {
				t.Errorf("outcome %+v", o)
			}
		}
	})
	if most.Load() != 0 {
		t.Errorf("%d cells were inside at once", most.Load())
	}
	if stop.Load() || g.lock.Contended() {
		t.Error("cells go on polling")
	}
}

func TestTheTurnGoesRoundWhileCellsPoll(t *testing.T) {
	g := New()
	var second atomic.Bool
	first := make(chan Outcome, 1)
	began := make(chan struct{})
	go func() {
		first <- testCell(g).Run(func() {
			close(began)
			for !second.Load() {
				g.Poll()
			}
		})
	}()
	<-began
	bounded(t, "the second cell", func() { testCell(g).Run(func() { second.Store(true) }) })
	bounded(t, "the first cell", func() { <-first })
}

// A fake is an Activity that reports the position set by the test.
type fake struct {
	moves   atomic.Uint64
	outside atomic.Bool
}

func (f *fake) Timed() bool { return false }

func (f *fake) Outside() (uint64, bool) { return f.moves.Load(), f.outside.Load() }

func (f *fake) Observed() (call string, calls []string, ok bool) {
	return "time.Sleep", []string{"Cell [1], line 3"}, f.outside.Load()
}

func (f *fake) Calls() (call string, calls []string) { return "", []string{"Cell [1], line 2"} }
