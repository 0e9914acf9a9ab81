package exec

import (
	"go/types"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// A Body holds the compiled statements of a cell. They run one after another in one frame. The
// caller decides when each statement runs.
//
// The steps are separate because the skeleton of a cell, which yaegi evaluates, calls one operation
// after the other and stops when one of them reports that the cell has ended.
type Body struct {
	m          *Machine
	code       *machine.Code
	begin, end func(machine.Frame) // may be nil
	steps      []func(machine.Frame) operation.Control
}

// body compiles the statements of a cell. If there are deferred calls or jumps between statements,
// all statements form a single step.
//
// Otherwise each statement is a step of its own, and the session regains control after each of
// them.
func (m *Machine) body(fn *ir.Func) *Body {
	c, code := m.newCompiler(fn)
	prologue := c.prologue()
	b := &Body{m: m, code: code, begin: operation.Sequence(prologue)}
	// A deferred call must run after all statements, and a goto may lead to any of them.
	if fn.Defers || hasTargets(fn.Body) {
		code.Run = c.runner(nil, c.block(fn.Body).AsStep(), nil)
		run := code.Run
		b.steps = []func(machine.Frame) operation.Control{func(f machine.Frame) operation.Control { run(f); return operation.Next }}
	} else {
		for _, s := range fn.Body.List {
			b.steps = append(b.steps, c.stmt(s).AsRun())
		}
	}
	code.Record = c.record
	b.end = operation.Sequence(c.epilogue())
	c.reserve(fn.Pos, c.layout.Size)
	c.layout.Finish(code)
	return b
}

// hasTargets reports whether a statement of the block itself is the target of a goto statement.
//
// Only the statements of the block itself can be targets from a sibling. A label in a nested block
// is reachable only from within that block, where the closure of the block resolves the jump ("Goto
// statements" in the specification).
func hasTargets(b *ir.Block) bool {
	for _, s := range b.List {
		if l, ok := s.(*ir.Labeled); ok && l.Label.Jumped {
			return true
		}
	}
	return false
}

// Len returns the number of steps.
func (b *Body) Len() int { return len(b.steps) }

// A Run is one execution of a body, on one goroutine.
type Run struct {
	body   *Body
	thread *machine.Thread
	before machine.State
	frame  machine.Frame
}

// Start begins an execution on the calling goroutine. End must be called when it has ended, whether
// or not it succeeded.
//
// The frame belongs to the goroutine that calls Start, as does the thread, so Step and End must be
// called on the same one. Entering the frame may itself poll and end the goroutine by
// runtime.Goexit. guarded then lets the Goexit proceed.
func (b *Body) Start() *Run {
	t, before := b.m.Attach()
	r := &Run{body: b, thread: t, before: before}
	r.guarded(func() {
		r.frame = b.code.Begin(t)
		if b.begin != nil {
			b.begin(r.frame)
		}
	})
	return r
}

// Step runs one step and reports whether the next one should run. A panic that is not recovered
// leaves Step as a *Panic.
//
// The position of the thread is dropped after each step. Code of the session that runs between the
// steps, such as the methods that display a value, would otherwise appear in stack traces as called
// by the statement.
func (r *Run) Step(i int) (proceed bool) {
	r.guarded(func() { proceed = r.body.steps[i](r.frame) == operation.Next })
	r.thread.Idle()
	return proceed
}

// guarded calls f and converts its panic to a *Panic. A boolean is used, because recover returns
// nil for runtime.Goexit as well.
func (r *Run) guarded(f func()) {
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			panic(r.thread.Escaped(value))
		}
	}()
	f()
	finished = true
}

// End ends the execution.
//
// The frame is not released for reuse, because the statements of a cell run once. The collector
// frees it.
func (r *Run) End() {
	if r.frame != nil && r.body.end != nil {
		r.body.end(r.frame)
	}
	r.thread.Detach(r.before)
}

// newCompiler returns a compiler for a function, and the Code to fill in. The layout begins with
// the parameters and results of the signature.
//
// The map of pointer words is copied, because the layout of the body extends it and the signature
// is shared by all functions of the type.
func (m *Machine) newCompiler(fn *ir.Func) (*compiler, *machine.Code) {
	s := m.signatureOf(fn.Sig)
	budget := mostExpanded
	c := &compiler{m: m, fn: fn, variables: map[*ir.Local]operation.Access{}, boxes: map[*ir.Local]uintptr{}, params: s.Params, results: s.Results,
		callees: map[*ir.Local]*callee{}, constants: map[*ir.Local]operation.Value{}, budget: &budget}
	c.layout = &machine.Layout{Size: s.Size, Words: map[uintptr]bool{}}
	for w := range s.Words {
		c.layout.Words[w] = true
	}
	return c, &machine.Code{Fn: fn, Slot: machine.Slots.Add(1), Params: s.Params, Results: s.Results, Begins: c.site(fn.Pos)}
}

// prologue makes variables of parameters, captured variables and results, and compiles the steps
// for it. They run before the body in every call. Most functions need none: a parameter is used
// where the caller has stored it.
func (c *compiler) prologue() (steps []func(machine.Frame)) {
	for i, p := range c.fn.Params {
		steps = append(steps, c.parameter(p, c.params[i])...)
	}
	c.captured(machine.EnvOffset)
	steps = append(steps, c.localCaptures()...)
	for i, r := range c.fn.Results {
		steps = append(steps, c.result(r, c.results[i])...)
	}
	if c.fn.Defers {
		if c.once = c.fn.DefersOnce(); c.once != nil {
			c.kept = &machine.Kept{Set: c.layout.Add(c.m.typeOf(types.Typ[types.Uint32])),
				Calls: make([]func(machine.Frame), len(c.once)), Late: make([]func(machine.Frame) func(machine.Frame, *machine.Defers), len(c.once))}
		} else {
			c.defersAt = c.layout.Add(c.m.typeOf(types.Typ[types.UnsafePointer]))
		}
	}
	return steps
}
