package exec

import (
	"unsafe"

	"go/token"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// ifStmt compiles an if statement. If neither branch contains a jump, the result is a step. A step
// costs less than a statement, because nothing is returned or compared.
func (c *compiler) ifStmt(s *ir.If) machine.Stmt {
	cond, then := c.condition(s.Cond), c.block(s.Then)
	var otherwise machine.Stmt
	if s.Else != nil {
		otherwise = c.stmt(s.Else)
	}
	if then.Run == nil && otherwise.Run == nil {
		yes := then.AsStep()
		if otherwise.IsEmpty() {
			return machine.StepOf(func(f machine.Frame) {
				if cond(f) {
					yes(f)
				}
			})
		}
		no := otherwise.AsStep()
		return machine.StepOf(func(f machine.Frame) {
			if cond(f) {
				yes(f)
			} else {
				no(f)
			}
		})
	}
	yes, ends := then.AsRun(), machine.ChooseTails(cond, then, otherwise)
	if otherwise.IsEmpty() {
		if alwaysReturns(s.Then) {
			ends.Leaving = &machine.Leaving{Cond: cond, Then: then}
		}
		return machine.Stmt{Tail: ends, Run: func(f machine.Frame) machine.Control {
			if cond(f) {
				return yes(f)
			}
			return machine.Next
		}}
	}
	no := otherwise.AsRun()
	return machine.Stmt{Tail: ends, Run: func(f machine.Frame) machine.Control {
		if cond(f) {
			return yes(f)
		}
		return no(f)
	}}
}

// switchStmt compiles a switch statement whose tags have been expanded to conditions.
func (c *compiler) switchStmt(s *ir.Switch) machine.Stmt {
	type clause struct {
		conds        []func(machine.Frame) bool
		body         func(machine.Frame) machine.Control
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
	end := machine.Jump(machine.DoBreak, s.Label.ID)
	return machine.Stmt{Run: func(f machine.Frame) machine.Control {
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
				return machine.Next
			}
			if r != machine.Next || !clauses[chosen].fallsThrough {
				return r
			}
			chosen++ // fallthrough, without a test of the conditions
		}
		return machine.Next
	}}
}

// loop compiles the body of a loop. before, if not nil, runs at the start of each iteration. A body
// that contains no jump is also available as a step, which does not return a Control to be
// compared.
func (c *compiler) loop(label *ir.Label, body *ir.Block, before func(machine.Frame), pos token.Pos) *machine.Loop {
	compiled := c.block(body)
	l := &machine.Loop{End: machine.Jump(machine.DoBreak, label.ID), Again: machine.Jump(machine.DoContinue, label.ID), M: &c.m.Machine, Site: c.site(pos), Before: before}
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
		l.Run = func(f machine.Frame) machine.Control { before(f); return run(f) }
	}
	return l
}

// forStmt compiles a for statement.
func (c *compiler) forStmt(s *ir.For) machine.Stmt {
	var post []machine.Stmt
	var cond func(machine.Frame) bool
	if s.Cond != nil {
		cond = c.condition(s.Cond)
	}
	// As the specification says, the copies are made before the post statement, which changes the
	// new variable: a closure of the iteration keeps the value of the iteration.
	for _, l := range s.Fresh {
		post = append(post, machine.StepOf(c.freshCopy(l)))
	}
	for _, p := range s.Post {
		post = append(post, c.stmt(p))
	}
	l := c.loop(s.Label, s.Body, nil, s.Pos())
	after := machine.Series(post).AsStep()
	if l.Step != nil && cond != nil {
		return machine.StepOf(c.plainLoop(s, l, cond, after))
	}
	if cond == nil {
		cond = func(machine.Frame) bool { return true }
	}
	return machine.Stmt{Run: func(f machine.Frame) machine.Control {
		for cond(f) {
			if r, done := l.Turn(f); done {
				return r
			}
			after(f)
		}
		return machine.Next
	}}
}

// plainLoop compiles a loop that ends only by its condition. It polls in every iteration, so that
// an interrupt ends a loop whose condition stays true.
func (c *compiler) plainLoop(s *ir.For, l *machine.Loop, cond func(machine.Frame) bool, after func(machine.Frame)) func(machine.Frame) {
	m, site, body := c.m, l.Site, l.Step
	if count := c.counter(s); count != nil {
		return count(body, func(f machine.Frame) { m.Poll(f, site) })
	}
	return func(f machine.Frame) {
		for cond(f) {
			body(f)
			if m.Stop.Load() != 0 {
				m.Poll(f, site)
			}
			after(f)
		}
	}
}

// counter recognizes for ...; i < n; i++ with an int variable in the frame and a bound that is a
// constant or a variable in the frame. It returns a function that compiles such a loop without
// calls for the condition and the increment, or nil for other loops. The body may assign to i or to
// the bound, so both are read in each iteration.
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
	if !ok || i.Form != machine.FormLocal || i.Type.Class != machine.ClassInt || by.Form != machine.FormConst || by.Const != 1 ||
		c.local(dst.Local, i.Type).Offset != i.Slot || dst.Local.Boxed {
		return nil
	}
	m, at1 := c.m, i.Slot
	switch n.Form {
	case machine.FormConst:
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
	case machine.FormLocal:
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
