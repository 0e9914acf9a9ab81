package guard

import (
	"strings"
	"testing"
	"time"
)

func TestTheOutcomeOfAStoppedCellTellsItsLine(t *testing.T) {
	for name, test := range map[string]struct {
		want int
		body func(g *Guard)
	}{
		"line of the poll":       {7, func(g *Guard) { spin(func() { g.Poll(7) }) }},
		"function that began":    {Entered, func(g *Guard) { spin(g.Entry("f")) }},
		"line noted last":        {5, func(g *Guard) { *g.line = 5; sleep(time.Hour) }},
		"noted by another":       {0, func(g *Guard) { *g.line = 5; g.Go(func() {}); sleep(time.Hour) }},
		"noted by one unknown":   {0, func(g *Guard) { *g.line = 5; g.Share("net/http"); sleep(time.Hour) }},
		"line and not the note":  {7, func(g *Guard) { *g.line = 5; spin(func() { g.Poll(7) }) }},
		"another line in a call": {7, func(g *Guard) { defer g.Poll(9); spin(func() { g.Poll(7) }) }},
	} {
		g := New()
		o := stopped(t, g, func() { test.body(g) })
		if o.Kind != Interrupted || o.Place == nil || o.Place.Line != test.want {
			t.Errorf("%s: outcome %+v, place %+v, want line %d", name, o, o.Place, test.want)
			continue
		}
		if o.Place.Goes || !strings.Contains(o.Place.Stack, "guard.(*Cell).runBody(") {
			t.Errorf("%s: place %+v", name, o.Place)
		}
	}
}

func TestAPlaceThatIsLeftBehindIsSeenFromOutside(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	o := stopped(t, New(), func() { <-over })
	if p := o.Place; p == nil || !p.Goes || !p.Waits() || p.Line != 0 || !strings.Contains(p.Stack, "chan receive") {
		t.Errorf("place %+v", p)
	}
}

func TestPlacesOfCellsThatEndByThemselvesAreNone(t *testing.T) {
	c := testCell(New())
	if o := c.Run(func() {}); o.Place != nil {
		t.Errorf("place %+v", o.Place)
	}
	c = testCell(New())
	if o := c.Run(func() { exit(3) }); o.Kind != Exited || o.Place != nil {
		t.Errorf("outcome %+v", o)
	}
}

// A stack is compiled frames, with the interpreter's below.
func TestCallNamesTheCompiledFunctionOrTheWait(t *testing.T) {
	const (
		running = "goroutine 7 [running]:\n"
		waiting = "goroutine 7 [chan receive, 2 minutes]:\n"
		called  = "\nreflect.Value.call({0x1, 0x2})\n\tvalue.go:1\nreflect.Value.Call({0x1})\n\tvalue.go:2\n"
		below   = interpreter + "callBin.func2(0x1)\n\trun.go:1\n"
	)
	for stack, want := range map[string]string{
		running + "sort.insertionSort_func({0x1}, 0x0)\n\tzsort.go:1\nsort.Slice({0x1?, 0x2?}, 0x3)\n\tslice.go:1" + called + below:                  "sort.Slice",
		waiting + "runtime.gopark(0x1)\n\tproc.go:1\nsync.(*WaitGroup).Wait(0x1)\n\tw.go:1" + called + below:                                         "sync.(*WaitGroup).Wait",
		running + "slices.SortFunc[...]({0x1, 0x2})\n\tsort.go:1" + called + below:                                                                   "slices.SortFunc",
		running + "bytes.(*Buffer).ReadFrom-fm(0x1)\n\tbuffer.go:1" + called + below:                                                                 "bytes.(*Buffer).ReadFrom",
		running + "gosphere/runtime/guard.(*Cell).stopHere(0x1)\n\tplace.go:1\ngosphere/runtime/guard.sleep(0x1)\n\toverrides.go:1" + called + below: "time.Sleep",
		running + "reflect.Value.assignTo({0x1})\n\tvalue.go:1" + called + below:                                                                     "",
		running + "gosphere/runtime/guard.(*Guard).Poll(0x1)\n\tguard.go:1" + called + below:                                                         "",
		waiting + "reflect.chanrecv(0x1)\n\tchan.go:1\n" + interpreter + "recv.func4(0x1)\n\trun.go:1\n":                                             "a receive",
		waiting + "reflect.chansend0(0x1)\n\tchan.go:1\n" + interpreter + "send.func4(0x1)\n\trun.go:1\n":                                            "a send",
		running + "x(0x1)\n\tx.go:1\n" + interpreter + "recv.func4(0x1)\n\trun.go:1\n":                                                               "",
		running + "main.main()\n\tmain.go:1\n":                                                                                                       "",
		"":                                                                                                                                           "",
	} {
		if got := (&Place{Stack: stack}).Call(); got != want {
			t.Errorf("%q, want %q in\n%s", got, want, stack)
		}
	}
}

// spin calls f for ever.
func spin(f func()) {
	for {
		f()
	}
}

// stopped runs a cell, stops it when it has begun, and returns its outcome.
func stopped(t *testing.T, g *Guard, body func()) Outcome {
	t.Helper()
	c := testCell(g)
	began := make(chan struct{})
	outcomes := make(chan Outcome)
	go func() {
		outcomes <- c.Run(func() {
			close(began)
			body()
		})
	}()
	<-began
	for c.mainID.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	c.Stop()
	return <-outcomes
}
