package operation

import "gosphere/runtime/internal/machine"

// A Control says where execution continues after a statement. 0 is the next statement. Other values
// are a reason in the low bits and the ID of a label above them. Every loop compares Controls with
// its own label, and passes others on to the enclosing statement.
type Control int

// The reasons to continue elsewhere.
const (
	// Next continues with the next statement. It must be 0, so that the test after each statement
	// is cheap.
	Next Control = iota
	DoReturn
	DoBreak
	DoContinue
	DoGoto
	controlBits = 3
)

// Jump returns the control for a reason and the ID of a label.
func Jump(reason Control, label int) Control { return reason | Control(label)<<controlBits }

// A Stmt is a compiled statement. A statement that always continues with the next one is a step,
// which is cheaper because it returns nothing. Exactly one of step and Run is set, unless the
// statement is empty.
type Stmt struct {
	step func(machine.Frame)
	Run  func(machine.Frame) Control
	Tail
}

// StepOf returns the statement for a step.
func StepOf(step func(machine.Frame)) Stmt { return Stmt{step: step} }

// AsStep returns the statement as a step, for callers that ignore how it ends.
func (c Stmt) AsStep() func(machine.Frame) {
	switch {
	case c.Drop != nil:
		return c.Drop()
	case c.Run != nil:
		run := c.Run
		return func(f machine.Frame) { run(f) }
	case c.step != nil:
		return c.step
	}
	return func(machine.Frame) {}
}

// AsRun returns the statement in the form that returns a Control.
func (c Stmt) AsRun() func(machine.Frame) Control {
	switch {
	case c.Run != nil:
		return c.Run
	case c.step != nil:
		step := c.step
		return func(f machine.Frame) Control {
			step(f)
			return Next
		}
	}
	return func(machine.Frame) Control { return Next }
}

// IsEmpty reports whether the statement does nothing.
func (c Stmt) IsEmpty() bool { return c.Run == nil && c.step == nil }

// Sequence joins steps to a single one. It returns nil if there are none. Groups of eight divide
// the depth of nested calls by eight.
func Sequence(steps []func(machine.Frame)) func(machine.Frame) {
	switch len(steps) {
	case 0:
		return nil
	case 1:
		return steps[0]
	case 2:
		a, b := steps[0], steps[1]
		return func(f machine.Frame) { a(f); b(f) }
	case 3:
		a, b, c := steps[0], steps[1], steps[2]
		return func(f machine.Frame) { a(f); b(f); c(f) }
	case 4:
		a, b, c, d := steps[0], steps[1], steps[2], steps[3]
		return func(f machine.Frame) { a(f); b(f); c(f); d(f) }
	}
	if len(steps) > 8 {
		first, rest := Sequence(steps[:8]), Sequence(steps[8:])
		return func(f machine.Frame) { first(f); rest(f) }
	}
	a, b, c, d := steps[0], steps[1], steps[2], steps[3]
	switch rest := steps[4:]; len(rest) {
	case 1:
		e := rest[0]
		return func(f machine.Frame) { a(f); b(f); c(f); d(f); e(f) }
	case 2:
		e, g := rest[0], rest[1]
		return func(f machine.Frame) {
			a(f)
			b(f)
			c(f)
			d(f)
			e(f)
			g(f)
		}
	case 3:
		e, g, h := rest[0], rest[1], rest[2]
		return func(f machine.Frame) {
			a(f)
			b(f)
			c(f)
			d(f)
			e(f)
			g(f)
			h(f)
		}
	}
	e, g, h, i := steps[4], steps[5], steps[6], steps[7]

	return func(f machine.Frame) {
		a(f)
		b(f)
		c(f)
		d(f)
		e(f)
		g(f)
		h(f)
		i(f)
	}
}

// Series joins statements. Adjacent steps become one.
func Series(list []Stmt) Stmt {
	var joined []Stmt
	var steps []func(machine.Frame)
	flush := func() {
		if len(steps) > 0 {
			joined = append(joined, StepOf(Sequence(steps)))
			steps = nil
		}
	}
	for _, c := range list {
		switch {
		case c.IsEmpty():
		case c.Run == nil:
			steps = append(steps, c.step)
		default:
			flush()
			joined = append(joined, c)
		}
	}
	flush()
	return joinCodes(joined)
}

// joinCodes joins statements to a chain of closures. The chain is nested to the right: each closure
// runs one statement and calls the rest, which saves a loop over a slice and its bounds checks.
func joinCodes(list []Stmt) Stmt {
	switch len(list) {
	case 0:
		return Stmt{}
	case 1:
		return list[0]
	}
	first, rest := list[0], joinCodes(list[1:])
	ends := joinTails(first, rest)
	if first.Run == nil {
		step, run := first.step, rest.AsRun()
		return Stmt{Tail: ends, Run: func(f machine.Frame) Control { step(f); return run(f) }}
	}
	run := first.Run
	if rest.Run == nil {
		step := rest.step
		return Stmt{Tail: ends, Run: func(f machine.Frame) Control {
			if c := run(f); c != Next {
				return c
			}
			step(f)
			return Next
		}}
	}
	then := rest.Run
	return Stmt{Tail: ends, Run: func(f machine.Frame) Control {
		if c := run(f); c != Next {
			return c
		}
		return then(f)
	}}
}
