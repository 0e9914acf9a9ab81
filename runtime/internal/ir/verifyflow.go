package ir

import (
	"fmt"
	"go/token"
	"slices"
)

// A flow follows the paths through a function. It verifies that on every path to each use, a local
// has a value and a Boxed local has its heap cell. A use before the definition would read a value
// left in the frame by an earlier call.
//
// Parameters, results and captures have values at the beginning.
type flow struct {
	v       *verifier
	state   defined            // at the current position of the walk
	breaks  map[*Label]defined // at the break statements, by label
	turns   map[*Label]defined // at the continue statements
	gotos   map[*Label]defined // at the goto statements, including earlier walks
	reports bool
}

// defined records, by index, which locals of a function have values. It is nil at unreachable
// positions, where every use is allowed. The zero state of a block that only jumps reach is nil, so
// that either takes the states of the jumps alone.
type defined []bool

// either returns the locals that are defined where two paths meet. The result shares no memory with
// its operands, which the caller may modify.
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

// flow verifies that every use of a local in f follows a definition. Goto statements can jump
// backward, so it walks until the states at their targets are stable and reports errors in a final
// walk.
func (v *verifier) flow(f *Func) {
	// States only lose locals from one walk to the next, since either is an intersection, so that
	// the iteration ends after at most as many walks as there are locals and labels.
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

// walk visits the function once.
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

// define records that a local has a value. At an unreachable position there is nothing to record.
func (w *flow) define(l *Local) {
	if l != nil && w.state != nil {
		w.state[l.Index] = true
	}
}

// use verifies that a local has a value.
//
// Walks that only collect states report nothing, because a state may still lose locals.
func (w *flow) use(l *Local, pos token.Pos) {
	if w.reports && w.state != nil {
		name := l.Name
		if name == "" {
			name = fmt.Sprintf("$%d", l.Index)
		}
		w.v.rule(w.state[l.Index], pos, "%s is used before it has a value", name)
	}
}

// jump records the state at a jump to a label. The code after the jump is unreachable.
//
// A jump out of a function literal does not exist in the representation: package lower makes it a
// return with a code.
func (w *flow) jump(to map[*Label]defined, l *Label) {
	if w.state != nil {
		to[l] = either(to[l], w.state)
		w.state = nil
	}
}

// meet merges the current state with that of another path to the same position.
func (w *flow) meet(other defined) {
	if other != nil {
		w.state = either(w.state, other)
	}
}

// expr visits an expression in evaluation order.
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
		// Y may not be evaluated.
		w.apart(func() { w.expr(x.Y) })
	default:
		for _, operand := range operands(x) {
			w.expr(operand)
		}
	}
}

// apart visits code that may be skipped: its definitions do not count afterward.
//
// The body of a range loop and the second operand of && are such code. The state before is copied,
// since define changes it in place.
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

// stmt visits a statement in the order of its execution.
func (w *flow) stmt(s Stmt) {
	switch s := s.(type) {
	case *Declare:
		w.exprs(s.X)
		w.define(s.Local)
	case *Assign:
		w.assign(s)
	case *AssignOp:
		w.exprs(s.X, s.Dst)
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
		w.state = nil // the code that follows is unreachable
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

// assign visits an assignment. The value is evaluated before the operands of the place. A local
// without a heap cell is defined, as by Declare, because temporaries have no Declare.
func (w *flow) assign(s *Assign) {
	l, ok := s.Dst.(*LocalExpr)
	// Storing to a Boxed local needs its heap cell, so the destination is a use.
	if !ok || l.Local.Boxed {
		w.exprs(s.X, s.Dst)
		return
	}
	w.expr(s.X)
	w.define(l.Local)
}

// structured visits a statement that contains others. Where paths meet, a local has a value only if
// it has one on each of them.
//
// If one path ends in a jump, its state is nil and the other one decides.
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

// loop visits a For.
func (w *flow) loop(s *For) {
	// A body that runs several times needs no further walk: a second iteration begins with at least
	// the locals of the first.
	var end defined // a loop without a condition ends only by break
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

// turn visits a loop that sets variables in each iteration. The body may not run at all, so what it
// defines does not count afterward. Its continue statements need no state for the same reason.
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

// choose visits a Switch. Conditions of later cases are evaluated only if earlier ones are false,
// which the order of the walk expresses. A body may also be entered by fallthrough from the
// previous one.
//
// The end of a switch is reached from the end of each body, from the last condition if there is no
// default, and from the breaks.
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
				// A body is entered from the evaluation of its first condition at the earliest, so
				// only what is defined there counts.
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

// joined returns the locals that are defined both in other and in the current state.
func (w *flow) joined(other defined) defined {
	if w.state == nil {
		return other
	}
	return either(other, w.state)
}

// wait visits a Select. Its operands are evaluated before any clause is chosen.
//
// A select without clauses blocks forever, so that the state after it is nil.
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
