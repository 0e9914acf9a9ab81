package guard

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// testCell makes a cell whose output is dropped.
func testCell(g *Guard) *Cell { return g.NewCell(1, func(string, string) {}) }

// deadline is how long tests wait for what must happen.
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
					g.Poll(0)
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
	if *g.stop || g.turns.contended.Load() {
		t.Error("the stop flag stays up")
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
				g.Poll(0)
			}
		})
	}()
	<-began
	bounded(t, "the second cell", func() { testCell(g).Run(func() { second.Store(true) }) })
	bounded(t, "the first cell", func() { <-first })
}

func TestCellThatLeavesGivesItsTurnOn(t *testing.T) {
	g := New()
	a, b := testCell(g), testCell(g)
	for range 2 { // taking it again changes nothing
		if !a.TakeTurn() {
			t.Fatal("the only cell does not get its turn")
		}
	}
	got := make(chan bool, 1)
	go func() { got <- b.TakeTurn() }()
	for g.waiters() == 0 {
		time.Sleep(time.Millisecond)
	}
	if !*g.stop {
		t.Error("the one that has the turn is not told that another waits")
	}
	a.Discard()
	bounded(t, "the next cell", func() {
		if !<-got {
			t.Error("the next cell does not get its turn")
		}
	})
	b.Discard()
	if g.turns.holder != nil || *g.stop {
		t.Error("somebody has the turn when all have left")
	}
}

// waiters tells how many cells wait.
func (g *Guard) waiters() int {
	g.turns.mu.Lock()
	defer g.turns.mu.Unlock()
	return len(g.turns.waiting)
}

func TestStoppedCellWaitsNoLonger(t *testing.T) {
	g := New()
	a, b := testCell(g), testCell(g)
	a.TakeTurn()
	got := make(chan bool, 1)
	go func() { got <- b.TakeTurn() }()
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

func TestLineMarkBelongsToTheCellThatHasItsTurn(t *testing.T) {
	g := New()
	a, b := testCell(g), testCell(g)
	a.TakeTurn()
	*g.line = 7
	got := make(chan bool, 1)
	go func() { got <- b.TakeTurn() }()
	for g.waiters() == 0 {
		time.Sleep(time.Millisecond)
	}
	g.turns.mu.Lock()
	g.pass()
	g.turns.mu.Unlock()
	<-got
	*g.line = 30
	b.LeaveTurns()
	a.TakeTurn()
	if *g.line != 7 {
		t.Errorf("the line is %d when the cell goes on, want 7", *g.line)
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

func TestLooksTellWhoStaysInCompiledCode(t *testing.T) {
	c := testCell(New())
	const call = "math.Slow"
	at := func(polls uint64, call string, waiting bool, inside string) look {
		return look{c, polls, call, waiting, inside}
	}
	for name, test := range map[string]struct {
		before, now look
		want        bool
	}{
		"waits twice":            {at(3, call, true, "x"), at(3, call, true, "x"), true},
		"gets on":                {at(3, call, false, "x"), at(3, call, false, "y"), true},
		"stands still":           {at(3, call, false, "x"), at(3, call, false, "x"), false},
		"has polled":             {at(3, call, true, "x"), at(4, call, true, "x"), false},
		"is in another call":     {at(3, call, true, "x"), at(3, "math.Fast", true, "x"), false},
		"waits for the 1st time": {at(3, call, false, "x"), at(3, call, true, "y"), false},
		"is in none":             {at(3, "", true, "x"), at(3, "", true, "x"), false},
		"was not looked at":      {look{}, at(3, call, true, "x"), false},
	} {
		if got := test.now.stays(test.before); got != test.want {
			t.Errorf("a cell that %s: %v, want %v", name, got, test.want)
		}
	}
}

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

func TestOutermostFunctionOfFrames(t *testing.T) {
	frames := "time.Sleep(0x1)\n\t/usr/time.go:1 +0x1\ngithub.com/a/b.(*T).Wait(...)\n\t/usr/b.go:2 +0x2"
	if got := lastFunction("goroutine 1 [sleep]:\n" + frames); got != "github.com/a/b.(*T).Wait" {
		t.Errorf("got %q", got)
	}
}
