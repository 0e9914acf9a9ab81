package guard

import (
	"strings"
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
	if stop.Load() || g.execLock.contended.Load() {
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

func TestCellThatLeavesGivesItsTurnOn(t *testing.T) {
	g := New()
	var stop atomic.Bool
	g.OnStop(func(now bool) { stop.Store(now) })
	a, b := testCell(g), testCell(g)
	for range 2 { // acquiring the lock again has no effect
		if !a.AcquireLock() {
			t.Fatal("the only cell does not get its turn")
		}
	}
	got := make(chan bool, 1)
	go func() { got <- b.AcquireLock() }()
	for g.waiters() == 0 {
		time.Sleep(time.Millisecond)
	}
	if !stop.Load() {
		t.Error("the one that has the turn is not told that another waits")
	}
	a.Discard()
	bounded(t, "the next cell", func() {
		if !<-got {
			t.Error("the next cell does not get its turn")
		}
	})
	b.Discard()
	if g.execLock.holder != nil || stop.Load() {
		t.Error("somebody has the turn when all have left")
	}
}

// waiters returns the number of cells that wait for the execution lock.
func (g *Guard) waiters() int {
	g.execLock.mu.Lock()
	defer g.execLock.mu.Unlock()
	return len(g.execLock.waiting)
}

func TestStoppedCellWaitsNoLonger(t *testing.T) {
	g := New()
	a, b := testCell(g), testCell(g)
	a.AcquireLock()
	got := make(chan bool, 1)
	go func() { got <- b.AcquireLock() }()
	for g.waiters() == 0 {
		time.Sleep(time.Millisecond)
	}
	b.Stop()
	bounded(t, "a stopped cell", func() {
		if <-got {
			t.Error("a stopped cell got its turn")
		}
	})
	b.Discard()
	if g.waiters() != 0 || !b.HasEnded() {
		t.Error("it still waits")
	}
	a.Discard()
}

func TestOutputOfDescriptorsGoesToTheLatestCellThatRuns(t *testing.T) {
	g := New()
	a, b := testCell(g), testCell(g)
	for _, step := range []struct {
		do   func()
		want *Cell
	}{
		{func() { g.runs(a) }, a}, {func() { g.runs(b) }, b}, {func() { g.ended(b) }, a}, {func() { g.ended(a) }, a},
	} {
		if step.do(); g.latest.Load() != step.want {
			t.Error("the wrong cell gets what is written")
		}
	}
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

// TestLooksTellWhoStaysInCompiledCode makes the goroutine of a cell wait and changes the reports of
// its activity between two samples.
func TestLooksTellWhoStaysInCompiledCode(t *testing.T) {
	for name, test := range map[string]struct {
		between func(c *Cell, f *fake)
		want    bool
	}{
		"waits":              {func(*Cell, *fake) {}, true},
		"has polled":         {func(c *Cell, _ *fake) { c.polls.Add(1) }, false},
		"is in another call": {func(_ *Cell, f *fake) { f.moves.Add(2) }, false},
		"is in none":         {func(_ *Cell, f *fake) { f.outside.Store(false) }, false},
	} {
		c, f := testCell(New()), new(fake)
		f.outside.Store(true)
		c.Follow(f)
		ids, release := make(chan uint64), make(chan struct{})
		go func() {
			ids <- goroutineID()
			<-release
		}()
		c.mainID.Store(<-ids)
		for !c.waits() {
			time.Sleep(time.Millisecond)
		}
		before := c.sample()
		test.between(c, f)
		now := c.sample()
		if got := now.staysInCall(before); got != test.want {
			t.Errorf("a cell that %s: %v, want %v", name, got, test.want)
		}
		if first := c.sample(); first.staysInCall(stackSample{}) {
			t.Errorf("a cell that %s stays at the first look", name)
		}
		close(release)
	}
}

func TestAComputingGoroutineStaysWhereItGetsOnAlone(t *testing.T) {
	c, f := testCell(New()), new(fake)
	f.outside.Store(true)
	c.Follow(f)
	ids := make(chan uint64)
	var over atomic.Bool
	go func() {
		ids <- goroutineID()
		for n := 0; !over.Load(); n++ {
			if n%2 == 0 {
				computed.Store(int64(compute(n)))
			} else {
				computed.Store(int64(computeMore(n)))
			}
		}
	}()
	c.mainID.Store(<-ids)
	defer over.Store(true)
	var before stackSample
	for range 10_000 {
		now := c.sample()
		if now.staysInCall(before) {
			return
		}
		before = now
	}
	t.Error("a goroutine that gets on does not count as staying")
}

// computed keeps the result of a computation alive.
var computed atomic.Int64

//go:noinline
func compute(n int) (sum int) {
	for i := range 100_000 {
		sum += i * n
	}
	return sum
}

//go:noinline
func computeMore(n int) int { return compute(n) + compute(n+1) }

func TestStackOfAGoroutineIsFound(t *testing.T) {
	ids, release := make(chan uint64), make(chan struct{})
	go func() {
		ids <- goroutineID()
		<-release
	}()
	id := <-ids
	for !waits(stackOf(id)) {
		time.Sleep(time.Millisecond)
	}
	stack := stackOf(id)
	if !strings.Contains(stack, "TestStackOfAGoroutineIsFound") || strings.Contains(stack, "\n\n") {
		t.Errorf("stack %s", stack)
	}
	close(release)
	if stackOf(1<<62) != "" {
		t.Error("a stack of a goroutine that is not there")
	}
}

func TestStatesThatWait(t *testing.T) {
	for state, want := range map[string]bool{
		"running": false, "runnable": false, "runnable, locked to thread": false, "GC assist wait": false, "sleep": true,
		"chan receive, 3 minutes": true, "select (no cases)": true, "IO wait": true, "sync.Mutex.Lock": true,
	} {
		if got := waits("goroutine 7 [" + state + "]:\nmain.f()\n"); got != want {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
	}
}
