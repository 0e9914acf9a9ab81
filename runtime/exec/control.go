package exec

// A control says how execution goes on after a statement. 0 is the next statement; other values
// are a reason and, above it, the ID of a label.
type control int

const (
	next control = iota
	doReturn
	doBreak
	doContinue
	doGoto
	controlBits = 3
)

func jump(reason control, label int) control { return reason | control(label)<<controlBits }

// A code is a compiled statement: one that always goes on with the next statement is a step.
type code struct {
	step func(frame)
	run  func(frame) control
}

func stepOf(step func(frame)) code { return code{step: step} }

// asStep returns the statement for users that do not care how it ends.
func (c code) asStep() func(frame) {
	switch {
	case c.run != nil:
		run := c.run
		return func(f frame) { run(f) }
	case c.step != nil:
		return c.step
	}
	return func(frame) {}
}

// asRun returns the statement in the form with a result.
func (c code) asRun() func(frame) control {
	switch {
	case c.run != nil:
		return c.run
	case c.step != nil:
		step := c.step
		return func(f frame) control {
			step(f)
			return next
		}
	}
	return func(frame) control { return next }
}

func (c code) isEmpty() bool { return c.run == nil && c.step == nil }

// sequence joins steps; nil if there are none.
func sequence(steps []func(frame)) func(frame) {
	switch len(steps) {
	case 0:
		return nil
	case 1:
		return steps[0]
	case 2:
		a, b := steps[0], steps[1]
		return func(f frame) { a(f); b(f) }
	case 3:
		a, b, c := steps[0], steps[1], steps[2]
		return func(f frame) { a(f); b(f); c(f) }
	case 4:
		a, b, c, d := steps[0], steps[1], steps[2], steps[3]
		return func(f frame) { a(f); b(f); c(f); d(f) }
	}
	first, rest := sequence(steps[:4]), sequence(steps[4:])
	return func(f frame) { first(f); rest(f) }
}

// series joins statements. Neighboring steps become one.
func series(list []code) code {
	var joined []code
	var steps []func(frame)
	flush := func() {
		if len(steps) > 0 {
			joined = append(joined, stepOf(sequence(steps)))
			steps = nil
		}
	}
	for _, c := range list {
		switch {
		case c.isEmpty():
		case c.run == nil:
			steps = append(steps, c.step)
		default:
			flush()
			joined = append(joined, c)
		}
	}
	flush()
	return joinCodes(joined)
}

func joinCodes(list []code) code {
	switch len(list) {
	case 0:
		return code{}
	case 1:
		return list[0]
	}
	first, rest := list[0], joinCodes(list[1:])
	if first.run == nil {
		step, run := first.step, rest.asRun()
		return code{run: func(f frame) control { step(f); return run(f) }}
	}
	run := first.run
	if rest.run == nil {
		step := rest.step
		return code{run: func(f frame) control {
			if c := run(f); c != next {
				return c
			}
			step(f)
			return next
		}}
	}
	then := rest.run
	return code{run: func(f frame) control {
		if c := run(f); c != next {
			return c
		}
		return then(f)
	}}
}
