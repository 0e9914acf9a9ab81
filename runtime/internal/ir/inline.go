package ir

import (
	"go/types"
	"slices"
)

// The limits of inlining, in nodes of the representation. A larger function takes longer than its
// call, so inlining would not show, and every inlined call is compiled anew.
const (
	mostInlined  = 60  // of one call, calls inlined in the callee included
	mostGrowth   = 600 // of one function
	mostUnrolled = 100 // of one function that is inlined in itself
)

// mostLevels is the largest number of levels to which a function is inlined in itself. The calls
// inside do not poll.
const mostLevels = 3

// Inline sets Call.Inline for the calls of small functions in a program. known returns the current
// version of a function that the program does not declare, or nil. Calls inside a function are
// marked before calls of it, and never with a function that is being examined. The marks therefore
// form no cycle, except that a small function is inlined in itself to a number of levels.
//
// A call is marked in the representation and not replaced: the executor needs the ordinary call as
// well, for the case that the function is redeclared.
func Inline(p *Program, known func(*FuncRef) *Func) {
	in := &inliner{known: known, own: map[*FuncRef]*Func{}, begun: map[*Func]bool{}, done: map[*Func]bool{}}
	for _, f := range p.Funcs {
		in.own[f.Ref] = f
	}
	for _, f := range p.Funcs {
		in.function(f)
	}
	if p.Body != nil {
		in.function(p.Body)
	}
}

// An inliner marks the calls of one program. A function that has begun and is not done is on the
// path of the current examination, so a call of it is recursive.
type inliner struct {
	known       func(*FuncRef) *Func
	own         map[*FuncRef]*Func // functions of the program, which take precedence over known
	begun, done map[*Func]bool
}

// function marks the calls in a function and computes its cost.
func (in *inliner) function(f *Func) {
	if in.begun[f] {
		return
	}
	// It is set before the body is visited, which makes recursion, also that of several functions,
	// visible to callee.
	in.begun[f] = true
	// The cost counts nodes, because each node is about one closure.
	nodes, inlined := 0, 0
	// whole reports whether the function can run in the frame of its caller. Deferred calls and
	// recover belong to a call with a frame of its own, and heap cells of parameters and results
	// are made when a frame is entered.
	whole := !f.Defers && !f.Recovers && !f.Wrapper && f.Ref != nil
	whole = whole && !slices.ContainsFunc(f.Locals, boxed)
	// literal reports the same for a function literal whose func value is known. It may have loops,
	// and variables with heap cells, which its Declare statements make.
	literal := !f.Defers && !f.Recovers && !f.Wrapper && f.Ref == nil && f.Parent != nil && !slices.ContainsFunc(f.Results, boxed)
	// The call of a go or defer statement is made later, in a frame of its own.
	delayed := map[Expr]bool{}
	var own []*Call // calls of f itself
	w := walk{
		stmt: func(s Stmt) {
			nodes++
			f.Loops = f.Loops || isLoop(s)
			whole = whole && mayInline(s)
			literal = literal && mayExpand(s)
			noteAssigned(s)
			switch s := s.(type) {
			case *Goto:
				f.Jumps = true
			case *Go:
				delayed[s.Call] = true
			case *Defer:
				delayed[s.Call] = true
			}
		},
		expr: func(x Expr) {
			nodes++
			switch x := x.(type) {
			case *LocalExpr:
				x.Local.Uses++
			case *FuncLit:
				// Its captures belong to a call of f.
				whole = false
				in.function(x.Func)
			case *Call:
				if x.Ref != nil && x.Ref == f.Ref && !delayed[x] {
					own = append(own, x)
				}
				if callee := in.callee(x); callee != nil && !delayed[x] && inlined+callee.Cost <= mostGrowth {
					x.Inline = callee
					inlined += callee.Cost
				}
			}
		},
	}
	w.stmts(f.Body.List)
	f.Pure = whole && pure(f.Body)
	if literal && f.Body != nil {
		f.LiteralCost = 1 + nodes + inlined
	}
	// 0 is left to functions that Inline has not seen.
	f.Cost = -1
	if cost := 1 + nodes + inlined; whole && cost <= mostInlined {
		f.Cost = cost
		if numeric(f.Locals) {
			f.Levels = levels(cost, len(own))
		}
		if f.Levels > 0 {
			for _, x := range own {
				x.Inline = f
			}
		}
	}
	in.done[f] = true
}

func boxed(l *Local) bool { return l.Boxed }

// numeric reports whether all locals are numbers and booleans. The pointers of others are cleared
// after each inlined call, which takes as long as a frame.
func numeric(locals []*Local) bool {
	return !slices.ContainsFunc(locals, func(l *Local) bool {
		b, ok := l.Type.Underlying().(*types.Basic)
		return !ok || b.Info()&(types.IsNumeric|types.IsBoolean) == 0
	})
}

// levels returns the number of levels to which a function with a number of calls of itself is
// inlined in itself. There are calls copies of its nodes at the first level, calls² at the second,
// and so on.
func levels(cost, calls int) int {
	nodes, copies := cost, calls
	for level := range mostLevels {
		if nodes += copies * cost; calls == 0 || nodes > mostUnrolled {
			return level
		}
		copies *= calls
	}
	return mostLevels
}

// callee returns the function that a call may be replaced by, or nil.
//
// A function of an earlier program keeps the cost that was computed then. Functions that calls in
// it were inlined from may have changed, which the guards of those calls handle.
func (in *inliner) callee(x *Call) *Func {
	if x.Ref == nil {
		return nil
	}
	f := in.own[x.Ref]
	if f == nil {
		f = in.known(x.Ref)
	} else {
		in.function(f)
		if !in.done[f] {
			return nil
		}
	}
	if f == nil || f.Cost <= 0 {
		return nil
	}
	return f
}

// pure reports whether a body only computes values of its own variables and returns one. Nothing
// else changes.
func pure(b *Block) bool {
	ok := len(b.List) > 0
	for i, s := range b.List {
		switch s := s.(type) {
		case *Declare:
			ok = ok && !s.Local.Boxed
		case *Assign:
			_, local := s.Dst.(*LocalExpr)
			ok = ok && local
		case *Return:
			ok = ok && i == len(b.List)-1 && len(s.Values) == 1
		default:
			ok = false
		}
	}
	w := walk{stmt: func(Stmt) {}, expr: func(x Expr) {
		switch x := x.(type) {
		case *Const, *Zero, *LocalExpr, *GlobalExpr, *Deref, *Field, *Elem, *Unary, *Binary, *Compare, *Logic, *Convert:
		case *Composite:
			_, isStruct := x.T.Underlying().(*types.Struct)
			ok = ok && isStruct
		default:
			ok = false
		}
	}}
	w.stmts(b.List)
	return ok
}

// isLoop reports whether a statement is a loop.
func isLoop(s Stmt) bool {
	switch s.(type) {
	case *For, *RangeInt, *RangeSlice, *RangeString, *RangeMap, *RangeChan:
		return true
	}
	return false
}

// mayInline reports whether a statement can be part of an inlined function. Loops are excluded
// because they outweigh the cost of a call, and jumps because labels are unique only within a
// function.
//
// Marks belong to a call that the debugger shows, and a hook to the statements of a cell. Break
// statements may remain: they end a switch, whose label is in the same function.
func mayInline(s Stmt) bool {
	switch s.(type) {
	case *Go, *Defer, *Hook, *Mark, *Goto, *Labeled, *Select:
		return false
	}
	return !isLoop(s)
}

// mayExpand reports whether a statement can be part of a function literal whose calls are inlined.
func mayExpand(s Stmt) bool {
	switch s := s.(type) {
	case *Go, *Defer, *Hook, *Mark, *Goto:
		return false
	case *Labeled:
		return !s.Label.Jumped
	}
	return true
}

// noteAssigned sets Local.Assigned for the local that a statement changes.
//
// Locals that a loop sets in each iteration, and those of a select clause, are not parameters of a
// function that can be inlined, for which alone Assigned is used.
func noteAssigned(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		noteRoot(s.Dst)
	case *AssignOp:
		noteRoot(s.Dst)
	case *AssignAll:
		for _, l := range s.Dst {
			if l != nil {
				l.Assigned = true
			}
		}
	}
}

// noteRoot sets Assigned for the local that a place is part of. An element of a slice, or the
// target of a pointer, is in other memory, but an Elem of a slice counts here as well, which at
// worst copies an argument.
//
// The rule is deliberately coarse. A parameter that is marked without need is stored in the frame,
// which costs one step.
func noteRoot(place Expr) {
	for {
		switch x := place.(type) {
		case *LocalExpr:
			x.Local.Assigned = true
			return
		case *Field:
			place = x.X
		case *Elem:
			place = x.X
		default:
			return
		}
	}
}
