package guard

import (
	"runtime"
	"testing"
	"time"
)

func TestARequestBesideCellsHasAProcessorMore(t *testing.T) {
	before, usual := runtime.GOMAXPROCS(0), boostTail
	boostTail = time.Millisecond
	defer func() { boostTail = usual }()
	g := New()
	g.BoostForRequest()() // nothing runs
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d processors in an idle session, want %d", got, before)
	}
	c := testCell(g)
	ended := make(chan Outcome)
	began := make(chan struct{})
	go func() {
		ended <- c.Run(func() {
			close(began)
			spin(func() { g.Poll() })
		})
	}()
	<-began
	for range 2 {
		first, second := g.BoostForRequest(), g.BoostForRequest()
		processorsBecome(t, before+1)
		first()
		processorsBecome(t, before+1)
		endBoost() // the timer of the first
		if got := runtime.GOMAXPROCS(0); got != before+1 {
			t.Errorf("%d processors while a request is answered, want %d", got, before+1)
		}
		second()
		processorsBecome(t, before)
	}
	c.Stop()
	<-ended
}

func TestTheProcessorOfARequestStaysForTheNext(t *testing.T) {
	before, usual := runtime.GOMAXPROCS(0), boostTail
	boostTail = time.Hour
	g := New()
	g.Begin(false)
	defer g.End()
	g.BoostForRequest()()
	if got := runtime.GOMAXPROCS(0); got != before+1 {
		t.Errorf("%d processors behind a request, want %d", got, before+1)
	}
	boostTail = usual
	endBoost()
	processorsBecome(t, before)
}
