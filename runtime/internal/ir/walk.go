package ir

// A walk visits the statements and expressions of a function, each before its parts. It does not
// enter function literals.
//
// A pass provides the functions, and distinguishes the kinds of nodes in them; see [Inline]. A node
// is visited even if it cannot be reached, such as a statement after a return.
//
// Both functions are called before the parts of a node, so that Inline has seen a go statement when
// it visits the call of it.
type walk struct {
	stmt func(Stmt)
	expr func(Expr)
}

// stmts visits a list of statements.
func (w walk) stmts(list []Stmt) {
	for _, s := range list {
		w.visit(s)
	}
}

// exprs visits expressions and their operands. A nil element is an omitted expression, such as the
// condition of a loop without one.
func (w walk) exprs(list ...Expr) {
	for _, x := range list {
		if x == nil {
			continue
		}
		w.expr(x)
		// The list of operands has no statements, so those of a sequence are visited here. The sequence
		// is visited after its value, although it is executed before it.
		w.exprs(operands(x)...)
		if seq, ok := x.(*Seq); ok {
			w.stmts(seq.Stmts)
		}
	}
}

// visit visits a statement and its parts.
//
// A kind of statement that is missing here would be skipped without an error. The verifier rejects
// unknown kinds, and its tests run on all programs.
func (w walk) visit(s Stmt) {
	w.stmt(s)
	switch s := s.(type) {
	case *Declare:
		w.exprs(s.X)
	case *Assign:
		w.exprs(s.Dst, s.X)
	case *AssignOp:
		w.exprs(s.Dst, s.X)
	case *AssignAll:
		w.exprs(s.X)
	case *Eval:
		w.exprs(s.X)
	case *Hook:
		w.exprs(s.X)
	case *Send:
		w.exprs(s.Ch, s.X)
	case *Go:
		w.exprs(s.Call)
	case *Defer:
		w.exprs(s.Call, s.List)
	case *Return:
		w.exprs(s.Values...)
	default:
		w.structured(s)
	}
}

// structured visits the parts of a statement that contains statements.
func (w walk) structured(s Stmt) {
	switch s := s.(type) {
	case *Block:
		w.stmts(s.List)
	case *Labeled:
		w.visit(s.Body)
	case *If:
		w.exprs(s.Cond)
		w.visit(s.Then)
		if s.Else != nil {
			w.visit(s.Else)
		}
	case *For:
		// The order of the parts does not matter to a pass that counts or marks.
		w.exprs(s.Cond)
		w.stmts(s.Post)
		w.visit(s.Body)
	case *RangeInt:
		w.exprs(s.N)
		w.visit(s.Body)
	case *RangeSlice:
		w.exprs(s.X)
		w.visit(s.Body)
	case *RangeString:
		w.exprs(s.X)
		w.visit(s.Body)
	case *RangeMap:
		w.exprs(s.X)
		w.visit(s.Body)
	case *RangeChan:
		w.exprs(s.X)
		w.visit(s.Body)
	case *Switch:
		for _, c := range s.Cases {
			w.exprs(c.Conds...)
			w.visit(c.Body)
		}
	case *Select:
		for _, c := range s.Cases {
			w.exprs(c.Ch, c.Value)
			w.visit(c.Body)
		}
	}
}
