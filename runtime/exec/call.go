package exec

import (
	"go/types"
	"unsafe"

	"gosphere/runtime/ir"
)

// A callSite is a compiled call before it is known what becomes of its results. start makes the
// call and returns the callee's frame, from which the results are read before it is given back.
type callSite struct {
	start   func(frame) frame
	results []slot
}

// call compiles a call with one result.
func (c *compiler) call(e *ir.Call) value {
	t := c.typeOf(e.Type())
	if e.Ref == nil {
		return c.hostCall(e, t)
	}
	site := c.refCall(e)
	r := site.results[0]
	if t.class != classMemory {
		return value{typ: t, f: classes[t.class].call(site.start, r.offset)}
	}
	into := func(f frame, to unsafe.Pointer) {
		n := site.start(f)
		r.typ.mover()(to, unsafe.Add(n, r.offset))
		headerOf(n).code.leave(n)
	}
	offset := c.temporary(t)
	return value{typ: t, into: into, addr: func(f frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		into(f, p)
		return p
	}}
}

// callStep compiles a call whose results are dropped.
func (c *compiler) callStep(e *ir.Call) func(frame) {
	if e.Ref == nil {
		return c.hostCallStep(e, nil)
	}
	start := c.refCall(e).start
	return func(f frame) {
		n := start(f)
		headerOf(n).code.leave(n)
	}
}

// callAll compiles a call whose results go to variables.
func (c *compiler) callAll(e *ir.Call, dst []*ir.Local) func(frame) {
	if e.Ref == nil {
		return c.hostCallStep(e, dst)
	}
	site := c.refCall(e)
	var moves []func(f, n frame)
	for i, l := range dst {
		if l != nil {
			moves = append(moves, c.resultTo(l, site.results[i]))
		}
	}
	start := site.start
	return func(f frame) {
		n := start(f)
		for _, move := range moves {
			move(f, n)
		}
		headerOf(n).code.leave(n)
	}
}

// resultTo copies a result in another frame to a variable.
func (c *compiler) resultTo(l *ir.Local, r slot) func(f, n frame) {
	a := c.local(l, c.typeOf(l.Type))
	to, move := a.address(), a.typ.mover()
	if a.mode == modeFrame {
		offset := a.offset
		return func(f, n frame) { move(unsafe.Add(f, offset), unsafe.Add(n, r.offset)) }
	}
	return func(f, n frame) { move(to(f), unsafe.Add(n, r.offset)) }
}

// refCall compiles a call of a function with a body in source.
func (c *compiler) refCall(e *ir.Call) *callSite {
	fn, layout, s := funcOf(e.Ref), c.m.signatureOf(e.Ref.Sig), c.site(e.Pos())
	arguments := c.arguments(e, layout)
	cs := &callSite{results: layout.results}
	if c.fn.Wrapper {
		cs.start = func(f frame) frame {
			code := fn.code.Load()
			n := code.enter(f, s)
			for _, a := range arguments {
				a(f, n)
			}
			headerOf(n).deferred = headerOf(f).deferred
			code.run(n)
			headerOf(n).deferred = nil
			return n
		}
		return cs
	}
	switch len(arguments) {
	case 0:
		cs.start = func(f frame) frame {
			code := fn.code.Load()
			n := code.enter(f, s)
			code.run(n)
			return n
		}
	case 1:
		a := arguments[0]
		cs.start = func(f frame) frame {
			code := fn.code.Load()
			n := code.enter(f, s)
			a(f, n)
			code.run(n)
			return n
		}
	case 2:
		a, b := arguments[0], arguments[1]
		cs.start = func(f frame) frame {
			code := fn.code.Load()
			n := code.enter(f, s)
			a(f, n)
			b(f, n)
			code.run(n)
			return n
		}
	default:
		cs.start = func(f frame) frame {
			code := fn.code.Load()
			n := code.enter(f, s)
			for _, a := range arguments {
				a(f, n)
			}
			code.run(n)
			return n
		}
	}
	return cs
}

// arguments compiles storing the arguments of a call in the callee's frame.
func (c *compiler) arguments(e *ir.Call, layout *signature) []func(f, n frame) {
	if e.Spread {
		return []func(f, n frame){c.spread(e.Args[len(e.Args)-1].(*ir.Call), layout, len(e.Args)-1, e.Args[:len(e.Args)-1])}
	}
	list := make([]func(f, n frame), len(e.Args))
	for i, a := range e.Args {
		list[i] = argument(layout.params[i].offset, c.expr(a))
	}
	return list
}

// spread compiles the arguments of f(g()): the results of g become parameters. Arguments before
// it are receivers.
func (c *compiler) spread(call *ir.Call, layout *signature, skip int, first []ir.Expr) func(f, n frame) {
	locals := temporaries(call.Type().(*types.Tuple))
	run := c.callAll(call, locals)
	var moves []func(f, n frame)
	for i, a := range first {
		moves = append(moves, argument(layout.params[i].offset, c.expr(a)))
	}
	for i, l := range locals {
		moves = append(moves, argument(layout.params[skip+i].offset, c.read(c.local(l, c.typeOf(l.Type)))))
	}
	return func(f, n frame) {
		run(f)
		for _, move := range moves {
			move(f, n)
		}
	}
}

// temporaries makes a temporary for each component of a tuple.
func temporaries(t *types.Tuple) []*ir.Local {
	list := make([]*ir.Local, t.Len())
	for i := range list {
		list[i] = &ir.Local{Type: t.At(i).Type()}
	}
	return list
}
