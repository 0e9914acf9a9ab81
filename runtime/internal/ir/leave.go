package ir

import (
	"go/constant"
	"go/token"
	"slices"
)

// mostKept is the largest number of defer statements whose calls are kept in the frame.
const mostKept = 16

// DefersOnce returns the defer statements of a function if each of them runs at most once in a
// call and all defer calls of functions. The order in which they run is then that of the source. It
// returns nil for other functions.
func (f *Func) DefersOnce() []*Defer {
	var list []*Defer
	if f.Jumps || !collectDefers(f.Body.List, &list) || len(list) > mostKept {
		return nil
	}
	return list
}

// collectDefers appends the defer statements of a list of statements to list. It returns false if a
// statement may run several times, or cannot be kept.
func collectDefers(statements []Stmt, list *[]*Defer) bool {
	for _, s := range statements {
		ok := true
		switch s := s.(type) {
		case *Defer:
			_, ok = s.Call.(*Call)
			*list = append(*list, s)
			ok = ok && s.List == nil
		case *Declare:
			// A range-over-func loop defers calls of the function.
			b, list := s.X.(*Builtin)
			ok = !list || b.Name != "defers"
		case *Block:
			ok = collectDefers(s.List, list)
		case *Labeled:
			ok = !s.Label.Jumped && collectDefers([]Stmt{s.Body}, list)
		case *If:
			ok = collectDefers(s.Then.List, list)
			if s.Else != nil {
				ok = ok && collectDefers([]Stmt{s.Else}, list)
			}
		case *Switch:
			for _, k := range s.Cases {
				ok = ok && collectDefers(k.Body.List, list)
			}
		case *Select:
			for _, k := range s.Cases {
				ok = ok && collectDefers(k.Body.List, list)
			}
		default:
			before := len(*list)
			if body := loopBody(s); body != nil {
				ok = collectDefers(body.List, list) && len(*list) == before
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// loopBody returns the body of a loop, or nil for other statements.
func loopBody(s Stmt) *Block {
	switch s := s.(type) {
	case *For:
		return s.Body
	case *RangeInt:
		return s.Body
	case *RangeSlice:
		return s.Body
	case *RangeString:
		return s.Body
	case *RangeMap:
		return s.Body
	case *RangeChan:
		return s.Body
	}
	return nil
}

// NegatedCall returns the call whose result false makes a condition hold, if the condition has been
// evaluated up to the call: that of !yield(v) or odd(v) && !yield(v).
func NegatedCall(cond Expr) *Call {
	switch x := cond.(type) {
	case *Unary:
		if x.Op == token.NOT {
			call, _ := x.X.(*Call)
			return call
		}
	case *Logic:
		if x.Op == token.LAND {
			return NegatedCall(x.Y)
		}
	case *Seq:
		return NegatedCall(x.X)
	}
	return nil
}

// Leaves reports whether statements do nothing but return from an iterator function, or return
// false from the body of a loop.
func (f *Func) Leaves(list []Stmt) bool {
	for i, s := range list {
		switch s := s.(type) {
		case *Assign:
			_, local := s.Dst.(*LocalExpr)
			if _, constant := s.X.(*Const); !local || !constant {
				return false
			}
		case *Block:
			if i == len(list)-1 {
				return f.Leaves(s.List)
			}
			return false
		case *Return:
			if !f.Iteration {
				return len(s.Values) == 0
			}
			again, ok := s.Values[0].(*Const)
			return ok && !constant.BoolVal(again.Value)
		default:
			return false
		}
	}
	return false
}

// KeepsState reports whether a statement only changes the state of a loop whose body is inlined
// between ready and running. No function can call the body or recover its panics while it runs,
// so that the state may stay ready.
func (f *Func) KeepsState(s *Assign) bool {
	if f.State == nil {
		return false
	}
	dst, ok := s.Dst.(*LocalExpr)
	if !ok || dst.Local != f.State {
		return false
	}
	state, ok := s.X.(*Const)
	if !ok {
		return false
	}
	n, _ := constant.Int64Val(state.Value)
	// The check that a state is ready sets it to running if it fails.
	return n == StateReady || n == StateRunning && slices.Contains(f.Body.List, Stmt(s))
}

// IsState reports whether a condition tests the state of the loop whose body is the function.
func (f *Func) IsState(cond Expr) bool {
	x, ok := cond.(*Compare)
	if !ok || f.State == nil {
		return false
	}
	l, ok := x.X.(*LocalExpr)
	return ok && l.Local == f.State
}
