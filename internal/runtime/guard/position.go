package guard

import "runtime"

// A Position is the position at which a cell was stopped.
type Position struct {
	Call  string   // the compiled function that it had called, or the operation that it waited for; may be ""
	Calls []string // calls of cells in progress, innermost first
	Goes  bool     // whether the call was abandoned
	Waits bool     // whether the goroutine was waiting in it

	moves uint64
}

// StopHere ends the calling goroutine, whose cell has been stopped, and records its position.
func (c *Cell) StopHere() {
	if c.main == goroutine() && c.place.Load() == nil {
		p := &Position{}
		if a := c.activityOf(); a != nil {
			p.Call, p.Calls = a.Calls()
		}
		c.place.Store(p)
	}
	runtime.Goexit()
}

// abandonedPosition returns the position of a stopped cell that has not ended.
func (c *Cell) abandonedPosition() *Position {
	if p := c.place.Load(); p != nil {
		return p // it is ending
	}
	p := &Position{Goes: true, Waits: c.waits()}
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

// confirmed samples the position again if the goroutine was not waiting. A call that it was in by
// chance is not the one that holds it up, so confirmed omits the call if the goroutine has moved.
func (c *Cell) confirmed(before *Position) *Position {
	if before.Waits {
		return before
	}
	p := c.abandonedPosition()
	if p.Goes && p.moves != before.moves {
		p.Call = ""
	}
	return p
}
