package guard

import (
	"slices"
	"testing"
)

func TestTheOutcomeOfAStoppedCellTellsItsPlace(t *testing.T) {
	o := stopped(t, new(fake), func(g *Guard) { spin(g.Poll) })
	if p := o.Place; o.Kind != Interrupted || p == nil || p.Goes || p.Call != "" || !slices.Equal(p.Calls, []string{"Cell [1], line 2"}) {
		t.Errorf("outcome %+v, place %+v", o, p)
	}
}

func TestAPlaceThatIsLeftBehindIsSeenFromOutside(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	f := new(fake)
	f.outside.Store(true)
	o := stopped(t, f, func(*Guard) { <-over })
	if p := o.Place; p == nil || !p.Goes || !p.Waits || p.Call != "time.Sleep" || !slices.Equal(p.Calls, []string{"Cell [1], line 3"}) {
		t.Errorf("place %+v", o.Place)
	}
}

func TestPlacesOfCellsThatEndByThemselvesAreNone(t *testing.T) {
	c := testCell(New())
	if o := c.Run(func() {}); o.Place != nil {
		t.Errorf("place %+v", o.Place)
	}
	c = testCell(New())
	if o := c.Run(func() { Current().Exit(3) }); o.Kind != Exited || o.Place != nil {
		t.Errorf("outcome %+v", o)
	}
}

// spin calls f in an endless loop.
func spin(f func()) {
	for {
		f()
	}
}

// stopped runs a cell with an activity, stops it after it has begun, and returns its outcome.
func stopped(t *testing.T, f *fake, body func(g *Guard)) Outcome {
	t.Helper()
	g := New()
	c := testCell(g)
	began := make(chan struct{})
	outcomes := make(chan Outcome)
	go func() {
		outcomes <- c.Run(func() {
			c.Follow(f)
			close(began)
			body(g)
		})
	}()
	<-began
	c.Stop()
	return <-outcomes
}
