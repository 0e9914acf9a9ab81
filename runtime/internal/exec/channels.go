package exec

import (
	"go/types"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// send compiles ch <- x. It tries to send without blocking first: only if that fails does it need a
// select, which also watches for the end of the cell.
//
// In the first attempt the goroutine stays inside, so a channel with room costs no accounting. A
// nil channel blocks forever; only the select can do that in a way that ends with the cell.
func (c *compiler) send(s *ir.Send) func(machine.Frame) {
	ch := c.expr(s.Ch)
	get, from, m, site, r := ch.F.(func(machine.Frame) unsafe.Pointer), c.inMemory(c.expr(s.X)), c.m, c.waitSite(s.Pos(), "a send"), ch.Type.RType
	return func(f machine.Frame) {
		v := get(f)
		x := from(f)
		machine.Fail(f, site) // the channel may be closed
		if v != nil && machine.ChanSend(v, x, true) {
			return
		}
		// The value is still in memory at x, since nothing has run in between.
		m.Wait(f, site, machine.SelectCase{Dir: machine.SelectSend, Type: r, Ch: v, Val: x})
	}
}

// receive compiles <-x.
//
// The received value goes to a temporary of the frame. The runtime writes it from another goroutine
// if the receiver sleeps, which is allowed for memory on the heap as it is for a stack.
func (c *compiler) receive(e *ir.Recv) operation.Value {
	t := c.typeOf(e.Type())
	offset := c.temporary(t)
	run := c.receiveOk(e)
	return operation.Read(t, func(f machine.Frame) unsafe.Pointer {
		p := unsafe.Add(f, offset)
		run(f, p)
		return p
	})
}

// receiveOk compiles v, ok = <-x. The returned function stores the value at to and returns ok. A
// nil to discards the value.
func (c *compiler) receiveOk(e *ir.Recv) func(f machine.Frame, to unsafe.Pointer) bool {
	ch := c.expr(e.X)
	get, m, site, r := ch.F.(func(machine.Frame) unsafe.Pointer), c.m, c.waitSite(e.Pos(), "a receive", e.X.Type()), ch.Type.RType
	elem := c.m.Describe(ch.Type.Type.Elem())
	own := c.temporary(elem)
	return func(f machine.Frame, to unsafe.Pointer) bool {
		v := get(f)
		if to == nil {
			// The runtime needs a destination in a select.
			to = unsafe.Add(f, own)
		}
		if v != nil {
			machine.Fail(f, site)
			if selected, received := machine.ChanRecv(v, true, to); selected {
				return received
			}
		}
		return m.Wait(f, site, machine.SelectCase{Dir: machine.SelectRecv, Type: r, Ch: v, Val: to})
	}
}

// rangeChan compiles a loop over the values received from a channel.
//
// The channel is evaluated once ("For statements with range clause"). A received value is copied to
// the variable at the start of the iteration, so that each iteration has its own.
func (c *compiler) rangeChan(s *ir.RangeChan) operation.Stmt {
	ch := c.expr(s.X)
	get, m, site, r := ch.F.(func(machine.Frame) unsafe.Pointer), c.m, c.waitSite(s.Pos(), "a receive", s.X.Type()), ch.Type.RType
	elem := c.m.Describe(ch.Type.Type.Elem())
	at := c.temporary(elem)
	l := c.loop(s.Label, s.Body, c.each(s.Elem, at, elem), s.Pos())
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		v := get(f)
		for {
			// Nothing in this loop records a position before ChanRecv, because receiving cannot panic.
			to := unsafe.Add(f, at)
			received := false
			selected := false
			if v != nil {
				selected, received = machine.ChanRecv(v, true, to)
			}
			if !selected {
				received = m.Wait(f, site, machine.SelectCase{Dir: machine.SelectRecv, Type: r, Ch: v, Val: to})
			}
			if !received {
				return operation.Next
			}
			if r, done := l.Turn(f); done {
				return r
			}
		}
	}}
}

// selectStmt compiles a select statement. All channels and values are evaluated before the choice,
// as the language requires.
//
// The runtime chooses among the cases that can proceed, with the uniform pseudo-random choice that
// the specification demands. A break statement in a clause ends the select, a continue statement
// concerns an enclosing loop and is passed on.
func (c *compiler) selectStmt(s *ir.Select) operation.Stmt {
	type clause struct {
		make  func(machine.Frame) machine.SelectCase
		after func(f machine.Frame, received bool)
		body  func(machine.Frame) operation.Control
	}
	var channels []types.Type
	for _, comm := range s.Cases {
		if comm.Ch != nil {
			channels = append(channels, comm.Ch.Type())
		}
	}
	m, site := c.m, c.waitSite(s.Pos(), "a select statement", channels...)
	clauses := make([]clause, len(s.Cases))
	waits := true
	for i, comm := range s.Cases {
		cl := clause{after: func(machine.Frame, bool) {}}
		if comm.Ch == nil {
			waits = false
			cl.make = func(machine.Frame) machine.SelectCase { return machine.SelectCase{Dir: machine.SelectDefault} }
		} else {
			cl.make, cl.after = c.comm(comm)
		}
		cl.body = c.block(comm.Body).AsRun()
		clauses[i] = cl
	}
	end := operation.Jump(operation.DoBreak, s.Label.ID) // a break in a clause leads here
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		// The list is new for each execution: a nested call may execute the same statement. Choose
		// appends a case to it. The element that is appended is the channel that reports the end of the
		// cell. A short list is on the stack.
		var short [5]machine.SelectCase
		cases := short[:0]
		if len(clauses) >= len(short) {
			cases = make([]machine.SelectCase, 0, len(clauses)+1)
		}
		for i := range clauses {
			cases = append(cases, clauses[i].make(f))
		}
		machine.Fail(f, site)
		var chosen int
		var received bool
		// With a default the select never blocks, and need not watch for the end of the cell.
		if waits {
			chosen, received = m.Choose(f, site, cases)
		} else {
			chosen, received = machine.SelectCases(cases)
		}
		clauses[chosen].after(f, received)
		if r := clauses[chosen].body(f); r != end {
			return r
		}
		return operation.Next
	}}
}

// comm compiles the operation of a clause, and the assignments that follow if the clause is chosen.
//
// The variables of a receive clause are assigned only after the choice: of several clauses with the
// same variable only the chosen one may change it.
func (c *compiler) comm(comm *ir.Comm) (func(machine.Frame) machine.SelectCase, func(f machine.Frame, received bool)) {
	ch := c.expr(comm.Ch)
	get, r := ch.F.(func(machine.Frame) unsafe.Pointer), ch.Type.RType
	elem := c.m.Describe(ch.Type.Type.Elem())
	at := c.temporary(elem)
	nothing := func(machine.Frame, bool) {}
	// The value is kept in a temporary until the choice, since later clauses may change the
	// variables that it was computed from.
	if comm.Value != nil {
		put := operation.Put(c.expr(comm.Value))
		clear := elem.RType
		return func(f machine.Frame) machine.SelectCase {
			v := get(f)
			p := unsafe.Add(f, at)
			// Put requires zeroed memory, and the temporary may hold the value of an earlier
			// execution.
			machine.TypedClear(clear, p)
			put(f, p)
			return machine.SelectCase{Dir: machine.SelectSend, Type: r, Ch: v, Val: p}
		}, nothing
	}
	after := nothing
	if value := c.each(comm.Elem, at, elem); value != nil {
		after = func(f machine.Frame, _ bool) { value(f) }
	}
	if comm.Ok != nil {
		found := c.local(comm.Ok, c.boolType()).Address()
		value := after
		after = func(f machine.Frame, received bool) {
			value(f, received)
			*(*bool)(found(f)) = received
		}
	}
	return func(f machine.Frame) machine.SelectCase {
		return machine.SelectCase{Dir: machine.SelectRecv, Type: r, Ch: get(f), Val: unsafe.Add(f, at)}
	}, after
}
