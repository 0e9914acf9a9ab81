package exec

import (
	"go/types"

	"gosphere/runtime/ir"
)

// A Body is the statements of a cell. They run one after another in one frame; what calls the
// machine decides when each of them runs.
type Body struct {
	m          *Machine
	code       *Code
	begin, end func(frame) // may be nil
	steps      []func(frame) control
}

// body compiles the statements of a cell. Those of a body with deferred calls or with jumps between
// statements are one step.
func (m *Machine) body(fn *ir.Func) *Body {
	c, code := m.newCompiler(fn)
	prologue := c.prologue()
	b := &Body{m: m, code: code, begin: sequence(prologue)}
	if fn.Defers || hasTargets(fn.Body) {
		code.run = c.runner(nil, c.block(fn.Body), nil)
		run := code.run
		b.steps = []func(frame) control{func(f frame) control { run(f); return next }}
	} else {
		for _, s := range fn.Body.List {
			b.steps = append(b.steps, c.stmt(s).asRun())
		}
	}
	code.record = c.record
	b.end = sequence(c.epilogue())
	c.layout.finish(code)
	return b
}

// hasTargets reports whether goto statements lead to statements of a block.
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
	thread *Thread
	frame  frame
}

// Start begins an execution on the calling goroutine. End must be called when it is over, however
// it ends.
func (b *Body) Start() *Run {
	t := b.m.acquire()
	t.root.thread = t
	r := &Run{body: b, thread: t}
	r.guarded(func() {
		r.frame = b.code.enter(frame(&t.root), nil)
		if b.begin != nil {
			b.begin(r.frame)
		}
	})
	return r
}

// Step runs one step and reports whether the next one follows. A panic that the code does not recover
// leaves Step as a *Panic.
func (r *Run) Step(i int) (goOn bool) {
	r.guarded(func() { goOn = r.body.steps[i](r.frame) == next })
	return goOn
}

// guarded calls f and makes a *Panic of its panic.
func (r *Run) guarded(f func()) {
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			panic(r.thread.escaped(value))
		}
	}()
	f()
	finished = true
}

// End ends the execution.
func (r *Run) End() {
	if r.frame != nil && r.body.end != nil {
		r.body.end(r.frame)
	}
	r.thread.release()
}

// newCompiler begins the compilation of a function.
func (m *Machine) newCompiler(fn *ir.Func) (*compiler, *Code) {
	s := m.signatureOf(fn.Sig)
	c := &compiler{m: m, fn: fn, variables: map[*ir.Local]access{}, boxes: map[*ir.Local]uintptr{}, params: s.params, results: s.results}
	c.layout = &layout{size: s.size, words: map[uintptr]bool{}}
	for w := range s.words {
		c.layout.words[w] = true
	}
	return c, &Code{fn: fn, slot: slots.Add(1), params: s.params, results: s.results, begins: c.site(fn.Pos)}
}

// prologue compiles what makes parameters, captured variables and results variables.
func (c *compiler) prologue() (steps []func(frame)) {
	for i, p := range c.fn.Params {
		steps = append(steps, c.parameter(p, c.params[i])...)
	}
	steps = append(steps, c.captured()...)
	for i, r := range c.fn.Results {
		steps = append(steps, c.result(r, c.results[i])...)
	}
	if c.fn.Defers {
		c.defersAt = c.layout.add(c.m.typeOf(types.Typ[types.UnsafePointer]))
	}
	return steps
}
