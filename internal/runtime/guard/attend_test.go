package guard

import (
	"runtime"
	"testing"
	"time"
)

func TestARequestBesideCellsHasAProcessorMore(t *testing.T) {
	before, usual := runtime.GOMAXPROCS(0), lingering
	lingering = time.Millisecond
	defer func() { lingering = usual }()
	g := New()
	g.Attend()() // nothing runs
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
		first, second := g.Attend(), g.Attend()
		processorsBecome(t, before+1)
		first()
		processorsBecome(t, before+1)
		unattended() // the timer of the first
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
	before, usual := runtime.GOMAXPROCS(0), lingering
	lingering = time.Hour
	g := New()
	g.Begin(false)
	defer g.End()
	g.Attend()()
	if got := runtime.GOMAXPROCS(0); got != before+1 {
		t.Errorf("%d processors behind a request, want %d", got, before+1)
	}
	lingering = usual
	unattended()
	processorsBecome(t, before)
}
