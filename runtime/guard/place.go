package guard

import "runtime"

// A Place is where a cell was when it was stopped.
type Place struct {
	Call  string   // the compiled function that it had called, or what it waited for; "" for neither
	Calls []string // of cells in progress, innermost first
	Goes  bool     // the goroutine was left behind in the call
	Waits bool     // it waited there

	moves uint64
}

// StopHere ends the calling goroutine, whose cell was told to stop.
func (c *Cell) StopHere() {
	if c.main == goroutine() && c.place.Load() == nil {
		p := &Place{}
		if a := c.activityOf(); a != nil {
			p.Call, p.Calls = a.Calls()
		}
		c.place.Store(p)
	}
	runtime.Goexit()
}

// placeLeft is where a cell is that does not end when it is told to.
func (c *Cell) placeLeft() *Place {
	if p := c.place.Load(); p != nil {
		return p // it is ending
	}
	p := &Place{Goes: true, Waits: c.waits()}
	a := c.activityOf()
	if a == nil {
		return p
	}
	p.moves, _ = a.Outside()
	if call, calls, ok := a.Observed(); ok {
		p.Call, p.Calls = call, calls
	}
	return p
}

// confirmed is a place that was seen from outside, looked at again if the goroutine did not wait: a
// call that it is in by chance is none that holds it up.
func (c *Cell) confirmed(before *Place) *Place {
	if before.Waits {
		return before
	}
	p := c.placeLeft()
	if p.Goes && p.moves != before.moves {
		p.Call = ""
	}
	return p
}
