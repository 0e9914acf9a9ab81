package exec

import (
	"unsafe"

	"gosphere/runtime/ir"
)

// defers are the deferred calls of one call of a function.
type defers struct {
	frame frame
	calls []func()
	// panic is the panic in progress while the calls run; nil if there is none, or if it was
	// recovered.
	panic *panicState
	last  *panicState // the last panic, recovered or not
}

// runDeferring runs the body of a function with defer statements and then its deferred calls, also
// when the body panics or its goroutine ends. The list is in the frame.
func runDeferring(f frame, offset uintptr, body func(frame)) {
	d := &defers{frame: f}
	*at[unsafe.Pointer](f, offset) = unsafe.Pointer(d)
	d.protect(f, func() { body(f) })
	for len(d.calls) > 0 {
		call := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		d.protect(f, call)
	}
	if d.panic != nil {
		headerOf(f).thread.pending = d.panic
		panic(d.panic.value)
	}
}

// protect calls a function and notes its panic. If the goroutine ends by runtime.Goexit, protect
// runs the deferred calls that are left and does not return.
func (d *defers) protect(f frame, call func()) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		if value == nil { // Goexit cannot be stopped: the rest runs here
			headerOf(f).thread.back()
			d.exit(f)
			return
		}
		d.panic = headerOf(f).thread.caught(value)
		d.last = d.panic
	}()
	call()
	finished = true
}

// exit runs the remaining calls while the goroutine ends.
func (d *defers) exit(f frame) {
	d.panic = nil
	t := headerOf(f).thread
	for len(d.calls) > 0 && t.overflows <= mostOverflows && !t.m.host.Exiting() {
		call := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		d.protect(f, call)
	}
}

// deferStmt compiles a defer statement.
func (c *compiler) deferStmt(s *ir.Defer) func(frame) {
	prepare := c.delayed(s.Call)
	list := load[unsafe.Pointer](access{mode: modeFrame, offset: c.defersAt})
	if s.List != nil {
		list = c.expr(s.List).f.(func(frame) unsafe.Pointer)
	}
	return func(f frame) {
		d := (*defers)(list(f))
		call := prepare(f)
		d.calls = append(d.calls, func() { call(d.frame, d) })
	}
}

// goStmt compiles a go statement.
func (c *compiler) goStmt(s *ir.Go) func(frame) {
	prepare, m := c.delayed(s.Call), c.m
	return func(f frame) {
		call := prepare(f)
		m.host.Go(func() { call(frame(&current().root), nil) })
	}
}

// delayed compiles evaluating the operands of a call that is made later, from another frame.
func (c *compiler) delayed(e ir.Expr) func(f frame) func(from frame, d *defers) {
	switch e := e.(type) {
	case *ir.Call:
		if e.Ref != nil {
			return c.delayedRef(e)
		}
		return c.delayedCall(e)
	case *ir.Builtin:
		return c.delayedBuiltin(e)
	}
	unsupported(e.Pos(), "internal: a delayed %T", e)
	return nil
}

// delayedRef evaluates the arguments in a frame for the callee that is not taken from a list.
func (c *compiler) delayedRef(e *ir.Call) func(f frame) func(frame, *defers) {
	fn, layout, s := funcOf(e.Ref), c.m.signatureOf(e.Ref.Sig), c.site(e.Pos())
	arguments := c.arguments(e, layout)
	return func(f frame) func(frame, *defers) {
		code := fn.code.Load()
		n := mallocgc(code.size, code.frameType, true)
		headerOf(n).code = code
		for _, a := range arguments {
			a(f, n)
		}
		return func(from frame, d *defers) { code.resume(n, from, s, d) }
	}
}

// resume runs a function in a frame that was made ahead.
func (c *Code) resume(n, from frame, s *site, d *defers) {
	h := headerOf(n)
	caller := headerOf(from)
	h.thread, h.caller, h.site, h.deferred, h.depth = caller.thread, from, s, d, caller.depth+1
	c.run(n)
}

// delayedCall evaluates the operands of a call of another kind.
func (c *compiler) delayedCall(e *ir.Call) func(f frame) func(frame, *defers) {
	t, args := c.target(e)
	values := c.values(t, args, e.Spread)
	prepare := func(frame) {}
	if values == nil {
		prepare, values = c.spreadValues(args)
	}
	s, m := c.callSite(e), c.m
	run := m.delayedTarget(t, s)
	puts := make([]func(frame, unsafe.Pointer), len(values))
	types := make([]*typ, len(values))
	for i, v := range values {
		puts[i], types[i] = put(v), v.typ
	}
	return func(f frame) func(frame, *defers) {
		fn, receiver := t.fixed, unsafe.Pointer(nil)
		if t.find != nil {
			fn, receiver = t.find(f)
		}
		prepare(f)
		list := make([]unsafe.Pointer, 0, len(values)+1)
		if t.hasReceiver {
			list = append(list, unsafe.Pointer(&receiver))
		}
		for i, put := range puts {
			p := mallocgc(max(types[i].size, 1), types[i].rtype, true)
			put(f, p)
			list = append(list, p)
		}
		return func(from frame, d *defers) { run(from, fn, list, d) }
	}
}

// recovered compiles recover().
func (c *compiler) recovered(e *ir.Builtin) value {
	return value{typ: c.typeOf(e.Type()), f: func(f frame) iface {
		d := headerOf(f).deferred
		if d == nil || d.panic == nil {
			return iface{}
		}
		v := d.panic.value
		d.panic = nil
		return *(*iface)(unsafe.Pointer(&v))
	}}
}
