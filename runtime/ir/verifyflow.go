package ir

import (
	"fmt"
	"go/token"
	"slices"
)

// A flow follows the ways through a function and verifies that each local has a value, and a boxed
// one its heap cell, on every way to each of its uses.
type flow struct {
	v       *verifier
	state   defined            // where the walk is
	breaks  map[*Label]defined // at the break statements with a label, and
	turns   map[*Label]defined // at the continue statements
	gotos   map[*Label]defined // at the goto statements, of earlier walks too
	reports bool
}

// defined are the locals of a function that have values, by index; nil at a place that is not
// reached, where all have.
type defined []bool

// either is what is defined where two ways meet.
func either(a, b defined) defined {
	if a == nil {
		return slices.Clone(b)
	}
	out := slices.Clone(a)
	for i := range b {
		out[i] = a[i] && b[i]
	}
	return out
}

// flow verifies the order of definitions and uses in a function.
func (v *verifier) flow(f *Func) {
	w := &flow{v: v, gotos: map[*Label]defined{}}
	for {
		before := len(w.gotos)
		old := make(map[*Label]defined, before)
		for l, d := range w.gotos {
			old[l] = d
		}
		w.walk(f)
		stable := len(w.gotos) == before
		for l, d := range w.gotos {
			stable = stable && slices.Equal(old[l], d)
		}
		if stable {
			break
		}
	}
	w.reports = true
	w.walk(f)
}

// walk walks over the function once.
func (w *flow) walk(f *Func) {
	w.breaks, w.turns = map[*Label]defined{}, map[*Label]defined{}
	w.state = make(defined, len(f.Locals))
	for _, list := range [][]*Local{f.Params, f.Results, f.Captures} {
		for _, l := range list {
			w.define(l)
		}
	}
	w.stmts(f.Body.List)
}

func (w *flow) define(l *Local) {
	if l != nil && w.state != nil {
		w.state[l.Index] = true
	}
}

// use verifies that a local has a value.
func (w *flow) use(l *Local, pos token.Pos) {
	if w.reports && w.state != nil {
		name := l.Name
		if name == "" {
			name = fmt.Sprintf("$%d", l.Index)
		}
		w.v.rule(w.state[l.Index], pos, "%s is used before it has a value", name)
	}
}

// jump notes what is defined at a jump to a label.
func (w *flow) jump(to map[*Label]defined, l *Label) {
	if w.state != nil {
		to[l] = either(to[l], w.state)
		w.state = nil
	}
}

// meet goes on where another way leads as well.
func (w *flow) meet(other defined) {
	if other != nil {
		w.state = either(w.state, other)
	}
}

// expr walks over the operands of an expression.
func (w *flow) expr(x Expr) {
	switch x := x.(type) {
	case *LocalExpr:
		w.use(x.Local, x.P)
	case *FuncLit:
		for _, l := range x.Func.Captures {
			w.use(l.Outer, x.P)
		}
	case *Seq:
		w.stmts(x.Stmts)
		w.expr(x.X)
	case *Logic:
		w.expr(x.X)
		w.apart(func() { w.expr(x.Y) })
	default:
		for _, operand := range operands(x) {
			w.expr(operand)
		}
	}
}

// apart walks over what may be left out.
func (w *flow) apart(walk func()) {
	before := slices.Clone(w.state)
	walk()
	w.state = before
}

func (w *flow) exprs(list ...Expr) {
	for _, x := range list {
		if x != nil {
			w.expr(x)
		}
	}
}

func (w *flow) stmts(list []Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *flow) stmt(s Stmt) {
	switch s := s.(type) {
	case *Declare:
		w.exprs(s.X)
		w.define(s.Local)
	case *Assign:
		w.assign(s)
	case *AssignOp:
		w.exprs(s.Dst, s.X)
	case *AssignAll:
		w.expr(s.X)
		for _, l := range s.Dst {
			w.define(l)
		}
	case *Eval:
		w.expr(s.X)
	case *Hook:
		w.expr(s.X)
	case *Send:
		w.exprs(s.Ch, s.X)
	case *Go:
		w.expr(s.Call)
	case *Defer:
		w.exprs(s.Call, s.List)
	case *Mark:
		for _, l := range s.Vars {
			w.use(l, s.P)
		}
		w.define(s.Call)
	case *Return:
		w.exprs(s.Values...)
		w.state = nil
	case *Break:
		w.jump(w.breaks, s.Label)
	case *Continue:
		w.jump(w.turns, s.Label)
	case *Goto:
		w.jump(w.gotos, s.Label)
	default:
		w.structured(s)
	}
}

func (w *flow) assign(s *Assign) {
	l, ok := s.Dst.(*LocalExpr)
	if !ok || l.Local.Boxed {
		w.exprs(s.Dst, s.X)
		return
	}
	w.expr(s.X)
	w.define(l.Local)
}

func (w *flow) structured(s Stmt) {
	switch s := s.(type) {
	case *Block:
		w.stmts(s.List)
	case *Labeled:
		w.meet(w.gotos[s.Label])
		w.stmt(s.Body)
	case *If:
		w.expr(s.Cond)
		before := slices.Clone(w.state)
		w.stmt(s.Then)
		then := w.state
		w.state = before
		if s.Else != nil {
			w.stmt(s.Else)
		}
		w.meet(then)
	case *For:
		w.loop(s)
	case *RangeInt:
		w.turn(s.Label, s.N, s.Body, s.Key)
	case *RangeSlice:
		w.turn(s.Label, s.X, s.Body, s.Key, s.Elem)
	case *RangeString:
		w.turn(s.Label, s.X, s.Body, s.Key, s.Elem)
	case *RangeMap:
		w.turn(s.Label, s.X, s.Body, s.Key, s.Elem)
	case *RangeChan:
		w.turn(s.Label, s.X, s.Body, s.Elem)
	case *Switch:
		w.choose(s)
	case *Select:
		w.wait(s)
	}
}

func (w *flow) loop(s *For) {
	var end defined // a loop without condition ends by break alone
	if s.Cond != nil {
		w.expr(s.Cond)
		end = slices.Clone(w.state)
	}
	w.stmts(s.Body.List)
	w.meet(w.turns[s.Label])
	for _, l := range s.Fresh {
		w.use(l, s.P)
	}
	w.stmts(s.Post)
	w.state = end
	w.meet(w.breaks[s.Label])
}

// turn walks over a loop that sets variables in each iteration.
func (w *flow) turn(label *Label, x Expr, body *Block, vars ...*Local) {
	w.expr(x)
	w.apart(func() {
		for _, l := range vars {
			w.define(l)
		}
		w.stmts(body.List)
	})
	w.meet(w.breaks[label])
}

func (w *flow) choose(s *Switch) {
	entries := make([]defined, len(s.Cases))
	otherwise := -1
	for i, c := range s.Cases {
		if c.Default {
			otherwise = i
		}
		for j, x := range c.Conds {
			w.expr(x)
			if j == 0 {
				entries[i] = slices.Clone(w.state)
			}
		}
	}
	end := w.state
	if otherwise >= 0 {
		entries[otherwise], end = end, nil
	}
	w.state = nil
	for i, c := range s.Cases {
		w.meet(entries[i])
		w.stmts(c.Body.List)
		if !c.Fallthrough {
			end = w.joined(end)
			w.state = nil
		}
	}
	w.state = end
	w.meet(w.breaks[s.Label])
}

// joined is what is defined both here and at another place.
func (w *flow) joined(other defined) defined {
	if w.state == nil {
		return other
	}
	return either(other, w.state)
}

func (w *flow) wait(s *Select) {
	for _, c := range s.Cases {
		w.exprs(c.Ch, c.Value)
	}
	before := w.state
	var end defined
	for _, c := range s.Cases {
		w.state = slices.Clone(before)
		w.define(c.Elem)
		w.define(c.Ok)
		w.stmts(c.Body.List)
		end = w.joined(end)
	}
	w.state = end
	w.meet(w.breaks[s.Label])
}
