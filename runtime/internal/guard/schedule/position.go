package schedule

// A Position is the position at which a cell was stopped.
type Position struct {
	Call  string   // the compiled function that it had called, or the operation that it waited for; may be ""
	Calls []string // calls of cells in progress, innermost first
	Goes  bool     // whether the call was abandoned
	Waits bool     // whether the goroutine was waiting in it

	moves uint64
}

// Here returns the position of the calling goroutine, which runs the statements.
func (u *User) Here() *Position {
	p := &Position{}
	if a := u.Activity(); a != nil {
		p.Call, p.Calls = a.Calls()
	}
	return p
}

// Observe returns the position of the statements of a stopped cell that has not ended.
func (u *User) Observe() *Position {
	p := &Position{Goes: true, Waits: u.Waits()}
	a := u.Activity()
	if a == nil {
		return p
	}
	p.moves, _ = a.Outside()
	if call, calls, ok := a.Observed(); ok {
		p.Call, p.Calls = call, calls
	}
	return p
}

// Moved reports whether the goroutine of the statements has moved between two observations. A call
// that it was in by chance is not the one that holds it up.
func (p *Position) Moved(before *Position) bool { return p.moves != before.moves }
