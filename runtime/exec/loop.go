package exec

import (
	"unsafe"

	"go/token"

	"gosphere/runtime/ir"
)

// ifStmt compiles an if statement.
func (c *compiler) ifStmt(s *ir.If) code {
	cond, then := c.condition(s.Cond), c.block(s.Then)
	var otherwise code
	if s.Else != nil {
		otherwise = c.stmt(s.Else)
	}
	if then.run == nil && otherwise.run == nil {
		yes := then.asStep()
		if otherwise.isEmpty() {
			return stepOf(func(f frame) {
				if cond(f) {
					yes(f)
				}
			})
		}
		no := otherwise.asStep()
		return stepOf(func(f frame) {
			if cond(f) {
				yes(f)
			} else {
				no(f)
			}
		})
	}
	yes := then.asRun()
	if otherwise.isEmpty() {
		return code{run: func(f frame) control {
			if cond(f) {
				return yes(f)
			}
			return next
		}}
	}
	no := otherwise.asRun()
	return code{run: func(f frame) control {
		if cond(f) {
			return yes(f)
		}
		return no(f)
	}}
}

// switchStmt compiles a switch whose tags have become conditions.
func (c *compiler) switchStmt(s *ir.Switch) code {
	type clause struct {
		conds []func(frame) bool
		body  func(frame) control
		goOn  bool
	}
	clauses := make([]clause, len(s.Cases))
	otherwise := -1
	for i, k := range s.Cases {
		cl := clause{body: c.block(k.Body).asRun(), goOn: k.Fallthrough}
		for _, e := range k.Conds {
			cl.conds = append(cl.conds, c.condition(e))
		}
		if k.Default {
			otherwise = i
		}
		clauses[i] = cl
	}
	end := jump(doBreak, s.Label.ID)
	return code{run: func(f frame) control {
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
				return next
			}
			if r != next || !clauses[chosen].goOn {
				return r
			}
			chosen++
		}
		return next
	}}
}

// A loop is what all loops have: the body and what its jumps mean.
type loop struct {
	step   func(frame) // set if the body always runs to its end
	run    func(frame) control
	end    control // break
	again  control // continue
	m      *Machine
	site   *site
	before func(frame) // at the begin of an iteration; may be nil
}

func (c *compiler) loop(label *ir.Label, body *ir.Block, before func(frame), pos token.Pos) *loop {
	compiled := c.block(body)
	l := &loop{end: jump(doBreak, label.ID), again: jump(doContinue, label.ID), m: c.m, site: c.site(pos), before: before}
	if compiled.run == nil {
		l.step = compiled.asStep()
		if before != nil {
			step := l.step
			l.step = func(f frame) { before(f); step(f) }
		}
	}
	l.run = compiled.asRun()
	if before != nil {
		run := l.run
		l.run = func(f frame) control { before(f); return run(f) }
	}
	return l
}

// turn runs the body once. Done reports whether the loop ends, with the result of the statement.
func (l *loop) turn(f frame) (result control, done bool) {
	r := l.run(f)
	if r != next && r != l.again {
		if r == l.end {
			r = next
		}
		return r, true
	}
	if l.m.stop.Load() != 0 {
		l.m.poll(f, l.site)
	}
	return next, false
}

// forStmt compiles a for statement.
func (c *compiler) forStmt(s *ir.For) code {
	var post []code
	var cond func(frame) bool
	if s.Cond != nil {
		cond = c.condition(s.Cond)
	}
	for _, l := range s.Fresh {
		post = append(post, stepOf(c.freshCopy(l)))
	}
	for _, p := range s.Post {
		post = append(post, c.stmt(p))
	}
	l := c.loop(s.Label, s.Body, nil, s.Pos())
	after := series(post).asStep()
	if l.step != nil && cond != nil {
		return stepOf(c.plainLoop(s, l, cond, after))
	}
	if cond == nil {
		cond = func(frame) bool { return true }
	}
	return code{run: func(f frame) control {
		for cond(f) {
			if r, done := l.turn(f); done {
				return r
			}
			after(f)
		}
		return next
	}}
}

// plainLoop compiles a loop that only its condition ends.
func (c *compiler) plainLoop(s *ir.For, l *loop, cond func(frame) bool, after func(frame)) func(frame) {
	m, site, body := c.m, l.site, l.step
	if count := c.counter(s); count != nil {
		return count(body, func(f frame) { m.poll(f, site) })
	}
	return func(f frame) {
		for cond(f) {
			body(f)
			if m.stop.Load() != 0 {
				m.poll(f, site)
			}
			after(f)
		}
	}
}

// counter recognizes for ...; i < n; i++ with an int variable in the frame and a bound that is a
// variable in the frame or a constant.
func (c *compiler) counter(s *ir.For) func(body, poll func(frame)) func(frame) {
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
	if !ok || i.form != formLocal || i.typ.class != classInt || by.form != formConst || by.konst != 1 ||
		c.local(dst.Local, i.typ).offset != i.slot || dst.Local.Boxed {
		return nil
	}
	m, at1 := c.m, i.slot
	switch n.form {
	case formConst:
		bound := n.konst.(int)
		return func(body, poll func(frame)) func(frame) {
			return func(f frame) {
				for *at[int](f, at1) < bound {
					body(f)
					if m.stop.Load() != 0 {
						poll(f)
					}
					*at[int](f, at1)++
				}
			}
		}
	case formLocal:
		bound := n.slot
		return func(body, poll func(frame)) func(frame) {
			return func(f frame) {
				for *at[int](f, at1) < *at[int](f, bound) {
					body(f)
					if m.stop.Load() != 0 {
						poll(f)
					}
					*at[int](f, at1)++
				}
			}
		}
	}
	return nil
}

// freshCopy gives a variable of a loop a new heap cell with its value.
func (c *compiler) freshCopy(l *ir.Local) func(frame) {
	t := c.typeOf(l.Type)
	c.local(l, t)
	box, move := c.boxes[l], t.mover()
	return func(f frame) {
		p := mallocgc(t.size, t.rtype, true)
		move(p, *at[unsafe.Pointer](f, box))
		*at[unsafe.Pointer](f, box) = p
	}
}
