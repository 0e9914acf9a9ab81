package exec

import (
	"unsafe"

	"gosphere/runtime/ir"
)

// send compiles ch <- x.
func (c *compiler) send(s *ir.Send) func(frame) {
	ch := c.expr(s.Ch)
	get, from, m, site, r := ch.f.(func(frame) unsafe.Pointer), c.inMemory(c.expr(s.X)), c.m, c.waitSite(s.Pos(), "a send"), ch.typ.rtype
	return func(f frame) {
		v := get(f)
		x := from(f)
		fail(f, site) // a closed channel
		if v != nil && chansend(v, x, true) {
			return
		}
		m.wait(f, site, runtimeSelect{selectSend, r, v, x})
	}
}

// wait waits for one operation on a channel, or for the cell to be stopped.
func (m *Machine) wait(f frame, s *site, operation runtimeSelect) bool {
	_, received := m.choose(f, s, []runtimeSelect{operation})
	return received
}

// choose waits for one of several operations, or for the cell to be stopped.
func (m *Machine) choose(f frame, s *site, cases []runtimeSelect) (chosen int, received bool) {
	done := m.host.Done()
	n := len(cases)
	if done != nil {
		cases = append(cases, runtimeSelect{selectRecv, doneType, *(*unsafe.Pointer)(unsafe.Pointer(&done)), unsafe.Pointer(&zeroes)})
	}
	t := headerOf(f).thread
	t.out(f, s)
	for {
		chosen, received = rselect(cases)
		if chosen < n {
			break
		}
		m.poll(f, s) // ends the goroutine
	}
	t.in()
	if m.stop.Load() != 0 {
		m.poll(f, s)
	}
	return chosen, received
}

// receive compiles <-x.
func (c *compiler) receive(e *ir.Recv) value {
	t := c.typeOf(e.Type())
	offset := c.temporary(t)
	run := c.receiveOk(e)
	return read(t, func(f frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		run(f, p)
		return p
	})
}

// receiveOk compiles v, ok = <-x.
func (c *compiler) receiveOk(e *ir.Recv) func(f frame, to unsafe.Pointer) bool {
	ch := c.expr(e.X)
	get, m, site, r := ch.f.(func(frame) unsafe.Pointer), c.m, c.waitSite(e.Pos(), "a receive"), ch.typ.rtype
	elem := c.m.describe(ch.typ.Type.Elem())
	own := c.temporary(elem)
	return func(f frame, to unsafe.Pointer) bool {
		v := get(f)
		if to == nil {
			to = unsafe.Add(f, own)
		}
		if v != nil {
			fail(f, site)
			if selected, received := chanrecv(v, true, to); selected {
				return received
			}
		}
		return m.wait(f, site, runtimeSelect{selectRecv, r, v, to})
	}
}

// rangeChan compiles a loop over what a channel delivers.
func (c *compiler) rangeChan(s *ir.RangeChan) code {
	ch := c.expr(s.X)
	get, m, site, r := ch.f.(func(frame) unsafe.Pointer), c.m, c.waitSite(s.Pos(), "a receive"), ch.typ.rtype
	elem := c.m.describe(ch.typ.Type.Elem())
	at := c.temporary(elem)
	l := c.loop(s.Label, s.Body, c.each(s.Elem, at, elem), s.Pos())
	return code{run: func(f frame) control {
		v := get(f)
		for {
			to := unsafe.Add(f, at)
			received := false
			selected := false
			if v != nil {
				selected, received = chanrecv(v, true, to)
			}
			if !selected {
				received = m.wait(f, site, runtimeSelect{selectRecv, r, v, to})
			}
			if !received {
				return next
			}
			if r, done := l.turn(f); done {
				return r
			}
		}
	}}
}

// selectStmt compiles a select statement.
func (c *compiler) selectStmt(s *ir.Select) code {
	type clause struct {
		make  func(frame) runtimeSelect
		after func(f frame, received bool)
		body  func(frame) control
	}
	m, site := c.m, c.waitSite(s.Pos(), "a select statement")
	clauses := make([]clause, len(s.Cases))
	waits := true
	for i, comm := range s.Cases {
		cl := clause{after: func(frame, bool) {}}
		if comm.Ch == nil {
			waits = false
			cl.make = func(frame) runtimeSelect { return runtimeSelect{dir: selectDefault} }
		} else {
			cl.make, cl.after = c.comm(comm)
		}
		cl.body = c.block(comm.Body).asRun()
		clauses[i] = cl
	}
	end := jump(doBreak, s.Label.ID)
	return code{run: func(f frame) control {
		cases := make([]runtimeSelect, len(clauses), len(clauses)+1)
		for i := range clauses {
			cases[i] = clauses[i].make(f)
		}
		fail(f, site)
		var chosen int
		var received bool
		if waits {
			chosen, received = m.choose(f, site, cases)
		} else {
			chosen, received = rselect(cases)
		}
		clauses[chosen].after(f, received)
		if r := clauses[chosen].body(f); r != end {
			return r
		}
		return next
	}}
}

// comm compiles the operation of a clause, and what follows if it is chosen.
func (c *compiler) comm(comm *ir.Comm) (func(frame) runtimeSelect, func(f frame, received bool)) {
	ch := c.expr(comm.Ch)
	get, r := ch.f.(func(frame) unsafe.Pointer), ch.typ.rtype
	elem := c.m.describe(ch.typ.Type.Elem())
	at := c.temporary(elem)
	nothing := func(frame, bool) {}
	if comm.Value != nil {
		put := put(c.expr(comm.Value))
		clear := elem.rtype
		return func(f frame) runtimeSelect {
			v := get(f)
			p := unsafe.Add(f, at)
			typedmemclr(clear, p)
			put(f, p)
			return runtimeSelect{selectSend, r, v, p}
		}, nothing
	}
	after := nothing
	if value := c.each(comm.Elem, at, elem); value != nil {
		after = func(f frame, _ bool) { value(f) }
	}
	if comm.Ok != nil {
		found := c.local(comm.Ok, c.boolType()).address()
		value := after
		after = func(f frame, received bool) {
			value(f, received)
			*(*bool)(found(f)) = received
		}
	}
	return func(f frame) runtimeSelect { return runtimeSelect{selectRecv, r, get(f), unsafe.Add(f, at)} }, after
}
