package exec

import (
	"unsafe"

	"go/token"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// ifStmt compiles an if statement.
func (c *compiler) ifStmt(s *ir.If) operation.Stmt {
	around := c.leaving
	if s.Else == nil && c.fn.Leaves(s.Then.List) {
		c.leaving = ir.NegatedCall(s.Cond)
	}
	cond := c.expr(s.Cond)
	c.leaving = around
	then := c.block(s.Then)
	var otherwise operation.Stmt
	if s.Else != nil {
		otherwise = c.stmt(s.Else)
	}
	return operation.If(cond, then, otherwise, alwaysReturns(s.Then))
}

// switchStmt compiles a switch statement whose tags have been expanded to conditions.
//
// The conditions are tested one after the other. gc searches constants by bisection or with a jump
// table, which has the same result because conditions of constants have no effects. A search by
// value would need the tag, which the builder has already expanded.
func (c *compiler) switchStmt(s *ir.Switch) operation.Stmt {
	type clause struct {
		conds        []func(machine.Frame) bool
		body         func(machine.Frame) operation.Control
		fallsThrough bool
	}
	clauses := make([]clause, len(s.Cases))
	otherwise := -1
	for i, k := range s.Cases {
		cl := clause{body: c.block(k.Body).AsRun(), fallsThrough: k.Fallthrough}
		for _, e := range k.Conds {
			cl.conds = append(cl.conds, c.condition(e))
		}
		if k.Default {
			otherwise = i
		}
		clauses[i] = cl
	}
	end := operation.Jump(operation.DoBreak, s.Label.ID)
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		// The default is chosen only if no condition holds, wherever it is in the source.
		chosen := otherwise
	search:
		for i := range clauses {
			for _, cond := range clauses[i].conds {
				if cond(f) {
					chosen = i
					break search
				}
			}
		}
		for chosen >= 0 {
			r := clauses[chosen].body(f)
			if r == end {
				return operation.Next
			}
			if r != operation.Next || !clauses[chosen].fallsThrough {
				return r
			}
			chosen++ // fallthrough, without a test of the conditions
		}
		return operation.Next
	}}
}

// loop compiles the body of a loop. before, if not nil, runs at the start of each iteration. A body
// that contains no jump is also available as a step, which does not return a Control to be
// compared.
//
// Any jump in the body needs the form Run. The step exists because most bodies have none: their
// loops save two comparisons in each iteration.
func (c *compiler) loop(label *ir.Label, body *ir.Block, before func(machine.Frame), pos token.Pos) *operation.Loop {
	compiled := c.block(body)
	l := &operation.Loop{End: operation.Jump(operation.DoBreak, label.ID), Again: operation.Jump(operation.DoContinue, label.ID), M: &c.m.Machine, Site: c.site(pos), Before: before}
	if compiled.Run == nil {
		l.Step = compiled.AsStep()
		if before != nil {
			step := l.Step
			l.Step = func(f machine.Frame) { before(f); step(f) }
		}
	}
	l.Run = compiled.AsRun()
	if before != nil {
		run := l.Run
		l.Run = func(f machine.Frame) operation.Control { before(f); return run(f) }
	}
	return l
}

// forStmt compiles a for statement.
//
// A continue statement ends the body, so the copies, the post statement and the poll follow it like
// the end of the body.
func (c *compiler) forStmt(s *ir.For) operation.Stmt {
	var post []operation.Stmt
	var cond operation.Value
	if s.Cond != nil {
		cond = c.expr(s.Cond)
	}
	// As the specification says, the copies are made before the post statement, which changes the
	// new variable: a closure of the iteration keeps the value of the iteration.
	for _, l := range s.Fresh {
		post = append(post, operation.StepOf(c.freshCopy(l)))
	}
	for _, p := range s.Post {
		post = append(post, c.stmt(p))
	}
	l := c.loop(s.Label, s.Body, nil, s.Pos())
	after := operation.Series(post).AsStep()
	if l.Step != nil && s.Cond != nil {
		return operation.StepOf(c.plainLoop(s, l, cond, after))
	}
	holds := func(machine.Frame) bool { return true }
	if s.Cond != nil {
		holds = cond.F.(func(machine.Frame) bool)
	}
	return operation.Stmt{Run: func(f machine.Frame) operation.Control {
		for holds(f) {
			if r, done := l.Turn(f); done {
				return r
			}
			after(f)
		}
		return operation.Next
	}}
}

// plainLoop compiles a loop that ends only by its condition. It polls in every iteration, so that
// an interrupt ends a loop whose condition stays true.
//
// The poll comes before the post statement, as in Loop.Turn. A goroutine that yields there holds no
// lock and is between two statements.
func (c *compiler) plainLoop(s *ir.For, l *operation.Loop, cond operation.Value, after func(machine.Frame)) func(machine.Frame) {
	if count := c.counter(s); count != nil {
		m, site := c.m, l.Site
		return count(l.Step, func(f machine.Frame) { m.Poll(f, site) })
	}
	return l.While(cond, after)
}

// counter recognizes for ...; i < n; i++ with an int variable in the frame and a bound that is a
// constant or a variable in the frame. It returns a function that compiles such a loop without
// calls for the condition and the increment, or nil for other loops. The body may assign to i or to
// the bound, so both are read in each iteration.
//
// The form saves two indirect calls of the three that an iteration of an empty loop otherwise has.
// It is limited to i++ and to int, which nearly all such loops use. Boxed variables are excluded:
// their address is not in the frame, and with Go 1.22 each iteration has a copy of them.
func (c *compiler) counter(s *ir.For) func(body, poll func(machine.Frame)) func(machine.Frame) {
	cond, ok := s.Cond.(*ir.Compare)
	if !ok || cond.Op != token.LSS || len(s.Post) != 1 || len(s.Fresh) > 0 {
		return nil
	}
	post, ok := s.Post[0].(*ir.AssignOp)
	if !ok || post.Op != token.ADD {
		return nil
	}
	i, n := c.expr(cond.X), c.expr(cond.Y)
	dst, ok := post.Dst.(*ir.LocalExpr)
	by := c.expr(post.X)
	if !ok || i.Form != operation.FormLocal || i.Type.Class != machine.ClassInt || by.Form != operation.FormConst || by.Const != 1 ||
		c.local(dst.Local, i.Type).Offset != i.Slot || dst.Local.Boxed {
		return nil
	}
	m, at1 := c.m, i.Slot
	switch n.Form {
	case operation.FormConst:
		bound := n.Const.(int)
		return func(body, poll func(machine.Frame)) func(machine.Frame) {
			return func(f machine.Frame) {
				for *machine.At[int](f, at1) < bound {
					body(f)
					if m.Stop.Load() != 0 {
						poll(f)
					}
					*machine.At[int](f, at1)++
				}
			}
		}
	case operation.FormLocal:
		bound := n.Slot
		return func(body, poll func(machine.Frame)) func(machine.Frame) {
			return func(f machine.Frame) {
				for *machine.At[int](f, at1) < *machine.At[int](f, bound) {
					body(f)
					if m.Stop.Load() != 0 {
						poll(f)
					}
					*machine.At[int](f, at1)++
				}
			}
		}
	}
	return nil
}

// freshCopy compiles the step that gives a loop variable a new heap cell with the same value.
func (c *compiler) freshCopy(l *ir.Local) func(machine.Frame) {
	t := c.typeOf(l.Type)
	c.local(l, t)
	box, move := c.boxes[l], t.Mover()
	return func(f machine.Frame) {
		p := machine.Malloc(t.Size, t.RType, true)
		move(p, *machine.At[unsafe.Pointer](f, box))
		*machine.At[unsafe.Pointer](f, box) = p
	}
}
