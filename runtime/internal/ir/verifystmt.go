package ir

import (
	"go/token"
	"go/types"
)

// block verifies a block. Goto statements inside it may name the labels of its list.
func (v *verifier) block(b *Block) {
	if v.rule(b != nil, v.fn.Pos, "a block is missing") {
		v.stmts(b.List)
	}
}

// stmts verifies a list of statements.
func (v *verifier) stmts(list []Stmt) {
	// All labels of the list are known before its first statement, because a goto may jump forward.
	// They are removed after the list: the specification forbids a goto into a block.
	var added []*Label
	for _, s := range list {
		if l, ok := s.(*Labeled); ok && l.Label != nil && !v.labeled[l.Label] {
			v.labeled[l.Label] = true
			added = append(added, l.Label)
		}
	}
	for _, s := range list {
		v.stmt(s)
	}
	for _, l := range added {
		delete(v.labeled, l)
	}
}

// stmt verifies a statement: its operands, the locals that it sets, and that the target of a jump
// encloses it.
//
// The order of the checks follows the order of evaluation only roughly. The order of uses and
// definitions is verified by flow.
func (v *verifier) stmt(s Stmt) {
	if v.err != nil || !v.rule(s != nil, v.fn.Pos, "a statement is missing") || !v.position(s.Pos(), s) {
		return
	}
	switch s := s.(type) {
	case *Declare:
		if v.own(s.Local, s.P) {
			v.declared[s.Local] = true
			// A capture gets its memory from the function value, and not from a declaration.
			v.rule(s.Local.Outer == nil, s.P, "the capture %s is declared", s.Local.Name)
			if s.X != nil {
				v.value(s.X, s.Local.Type, s.P, "the value of a declared variable")
			}
		}
	case *Assign:
		v.assign(s)
	case *AssignOp:
		if t := v.place(s.Dst, s.P); t != nil {
			v.operation(s.Op, t, v.one(s.X, s.P), s.P)
		}
	case *AssignAll:
		v.assignAll(s)
	case *Eval:
		v.expr(s.X, s.P)
	case *Hook:
		v.expr(s.X, s.P)
	case *Send:
		if c, ok := v.underOne(s.Ch, s.P).(*types.Chan); v.rule(ok && c.Dir() != types.RecvOnly, s.P, "a send needs a channel that can be sent to") {
			v.value(s.X, c.Elem(), s.P, "the value sent")
		}
	case *Go:
		v.delayed(s.Call, s.P)
	case *Defer:
		v.delayed(s.Call, s.P)
		if s.List != nil {
			v.value(s.List, types.Typ[types.UnsafePointer], s.P, "the list of deferred calls")
		} else {
			v.rule(v.fn.Defers, s.P, "a defer statement in a function that does not say that it has any")
		}
	case *Return:
		v.returned(s)
	case *Break:
		// A break may name a switch or select, whose entry is false; a continue may not.
		_, found := v.targets[s.Label]
		v.rule(found, s.P, "break has no target %s", labelText(s.Label))
	case *Continue:
		v.rule(v.targets[s.Label], s.P, "continue has no loop %s", labelText(s.Label))
	case *Goto:
		v.rule(s.Label != nil && v.labeled[s.Label], s.P, "goto has no target %s", labelText(s.Label))
		v.rule(s.Label != nil && s.Label.Jumped, s.P, "the target %s does not know that a goto statement names it", labelText(s.Label))
	case *Mark:
		v.mark(s)
	default:
		v.structured(s)
	}
}

// mark verifies the variables that a Mark passes to the debugger.
//
// The debugger keeps the addresses of the variables while a call is stopped and sets them, which is
// possible only in a heap cell.
func (v *verifier) mark(s *Mark) {
	for _, l := range s.Vars {
		if v.own(l, s.P) {
			v.rule(l.Boxed, s.P, "the debugger is given %s, which has no heap cell", l.Name)
		}
	}
	if v.own(s.Call, s.P) {
		v.same(s.Call.Type, AnyType, s.P, "the record of a call")
	}
	if s.Around != nil && v.own(s.Around, s.P) {
		v.same(s.Around.Type, AnyType, s.P, "the record of the call around")
	}
}

// structured verifies a statement that contains others.
//
// Blocks that are executed conditionally need no special treatment here: types and places do not
// depend on the path.
func (v *verifier) structured(s Stmt) {
	switch s := s.(type) {
	case *Block:
		v.block(s)
	case *Labeled:
		if v.label(s.Label, s.P) {
			v.stmt(s.Body)
		}
	case *If:
		v.boolean(s.Cond, s.P)
		v.block(s.Then)
		switch s.Else.(type) {
		case nil:
		case *Block, *If:
			v.stmt(s.Else)
		default:
			v.rule(false, s.P, "else is a %T", s.Else)
		}
	case *For:
		v.inside(s.Label, true, s.P, func() {
			if s.Cond != nil {
				v.boolean(s.Cond, s.P)
			}
			v.block(s.Body)
			v.stmts(s.Post)
		})
		// The copies of a variable that nothing refers to could not be told apart, so a variable
		// without a heap cell needs none.
		for _, l := range s.Fresh {
			if v.own(l, s.P) {
				v.rule(l.Boxed, s.P, "each iteration has a copy of %s, which has no heap cell", l.Name)
			}
		}
	case *Switch:
		v.inside(s.Label, false, s.P, func() { v.cases(s) })
	case *Select:
		v.inside(s.Label, false, s.P, func() {
			for _, c := range s.Cases {
				v.comm(c)
			}
		})
	default:
		v.rangeLoop(s)
	}
}

// rangeLoop verifies a loop over the values of an operand. The variables have the types that the Go
// specification gives to iteration values:
//
//	RangeInt     type of the operand
//	RangeSlice   int, element; also of a pointer to an array
//	RangeString  int, rune
//	RangeMap     key, element
//	RangeChan    element
//
// A loop over a function is a call of the function with a literal and no statement of its own.
func (v *verifier) rangeLoop(s Stmt) {
	integer := types.Typ[types.Int]
	switch s := s.(type) {
	case *RangeInt:
		if t := v.one(s.N, s.P); t != nil && v.rule(isInteger(t), s.P, "a loop over a %s counts", TypeText(t)) {
			v.iterate(s.Label, s.Body, s.P, setting{s.Key, t})
		}
	case *RangeSlice:
		switch t := v.underOne(s.X, s.P).(type) {
		case *types.Slice:
			v.iterate(s.Label, s.Body, s.P, setting{s.Key, integer}, setting{s.Elem, t.Elem()})
		case *types.Pointer:
			if a, ok := Under(t.Elem()).(*types.Array); v.rule(ok, s.P, "a loop over a pointer to a %s", TypeText(t.Elem())) {
				v.iterate(s.Label, s.Body, s.P, setting{s.Key, integer}, setting{s.Elem, a.Elem()})
			}
		default:
			v.rule(false, s.P, "a loop over a slice has a %s", TypeText(t))
		}
	case *RangeString:
		if t := v.underOne(s.X, s.P); v.rule(t != nil && IsText(t), s.P, "a loop over a string has a %s", TypeText(t)) {
			v.iterate(s.Label, s.Body, s.P, setting{s.Key, integer}, setting{s.Elem, types.Typ[types.Int32]})
		}
	case *RangeMap:
		if m, ok := v.underOne(s.X, s.P).(*types.Map); v.rule(ok, s.P, "a loop over a map has another operand") {
			v.iterate(s.Label, s.Body, s.P, setting{s.Key, m.Key()}, setting{s.Elem, m.Elem()})
		}
	case *RangeChan:
		if c, ok := v.underOne(s.X, s.P).(*types.Chan); v.rule(ok && c.Dir() != types.SendOnly, s.P, "a loop over a channel has another operand") {
			v.iterate(s.Label, s.Body, s.P, setting{s.Elem, c.Elem()})
		}
	default:
		v.rule(false, v.fn.Pos, "a statement %T is unknown", s)
	}
}

// inside calls build to verify the contents of a statement while its label is a valid jump target.
//
// The entry is removed afterward, because a jump to a statement that does not enclose it would be
// passed outward by the executor without ever meeting its target.
func (v *verifier) inside(l *Label, loop bool, pos token.Pos, build func()) {
	if v.label(l, pos) {
		v.targets[l] = loop
		build()
		delete(v.targets, l)
	}
}

// label verifies that a statement has a label and that its ID is unique in the function.
//
// The executor compares jumps by ID alone.
func (v *verifier) label(l *Label, pos token.Pos) bool {
	if !v.rule(l != nil, pos, "a label is missing") {
		return false
	}
	v.rule(v.ids[l.ID] == nil, pos, "two statements have the label %s", labelText(l))
	v.ids[l.ID] = l
	return true
}

// assign verifies that a value has the type of its destination, which is a place or discards it.
func (v *verifier) assign(s *Assign) {
	if s.Dst == nil {
		v.one(s.X, s.P)
		return
	}
	if t := v.place(s.Dst, s.P); t != nil {
		v.value(s.X, t, s.P, "the value assigned")
	}
}

// assignAll verifies that each value of a tuple has the type of its destination; see [AssignAll].
//
// A boxed destination is refused, since the executor computes the addresses before it evaluates the
// value, which might replace the heap cell.
func (v *verifier) assignAll(s *AssignAll) {
	t, ok := v.expr(s.X, s.P).(*types.Tuple)
	if !v.rule(ok, s.P, "several destinations of one value") || !v.rule(t.Len() == len(s.Dst), s.P, "%d destinations of %d values", len(s.Dst), t.Len()) {
		return
	}
	for i, l := range s.Dst {
		if l != nil && v.own(l, s.P) {
			v.assigned[l] = s.P
			v.rule(!l.Boxed, s.P, "the destination %s of one of several values has a heap cell", l.Name)
			v.same(t.At(i).Type(), l.Type, s.P, "one of several values")
		}
	}
}

// delayed verifies the call of a go or defer statement.
func (v *verifier) delayed(x Expr, pos token.Pos) {
	switch x.(type) {
	case *Call, *Builtin:
		v.expr(x, pos)
	default:
		v.rule(false, pos, "a go or defer statement has a %T", x)
	}
}

// returned verifies a return statement. A call with several results is verified once as an
// expression; a second visit of a function literal in it would report that it occurs twice.
func (v *verifier) returned(s *Return) {
	if len(s.Values) == 0 {
		return
	}
	results := v.fn.Results
	first := v.expr(s.Values[0], s.P)
	if t, ok := first.(*types.Tuple); ok && len(s.Values) == 1 {
		if v.rule(t.Len() == len(results), s.P, "a function with %d results returns %d", len(results), t.Len()) {
			for i, l := range results {
				v.same(t.At(i).Type(), l.Type, s.P, "a result")
			}
		}
		return
	}
	if !v.rule(len(s.Values) == len(results), s.P, "a function with %d results returns %d", len(results), len(s.Values)) {
		return
	}
	for i, x := range s.Values {
		if i == 0 { // verified above
			v.same(first, results[i].Type, s.P, "a result")
		} else {
			v.value(x, results[i].Type, s.P, "a result")
		}
	}
}

// A setting is a local that a statement sets, or nil, with the type of the assigned value.
type setting struct {
	local *Local
	typ   types.Type
}

// iterate verifies the variables and the body of a loop over values.
func (v *verifier) iterate(label *Label, body *Block, pos token.Pos, vars ...setting) {
	for _, s := range vars {
		if s.local != nil && v.own(s.local, pos) {
			v.declared[s.local] = true
			v.same(s.typ, s.local.Type, pos, "an iteration value")
		}
	}
	v.inside(label, true, pos, func() { v.block(body) })
}

// cases verifies the clauses of a switch. At most one is the default, and the last one does not
// fall through.
func (v *verifier) cases(s *Switch) {
	defaults := 0
	for i, c := range s.Cases {
		for _, x := range c.Conds {
			v.boolean(x, c.P)
		}
		if c.Default {
			defaults++
		}
		v.rule(c.Default == (len(c.Conds) == 0), c.P, "a case is the default exactly if it has no conditions")
		v.rule(!c.Fallthrough || i+1 < len(s.Cases), c.P, "fallthrough in the last case")
		v.block(c.Body)
	}
	v.rule(defaults <= 1, s.P, "a switch with %d defaults", defaults)
}

// comm verifies a clause of a select statement. A send has a value, and a receive may set
// temporaries without heap cells.
//
// The received value goes to a temporary because the conversion to the variable's type and the
// check of a place may panic, which must happen after the choice.
func (v *verifier) comm(c *Comm) {
	if c.Ch == nil {
		v.rule(c.Value == nil && c.Elem == nil && c.Ok == nil, c.P, "the default of a select has operands")
		v.block(c.Body)
		return
	}
	ch, ok := v.underOne(c.Ch, c.P).(*types.Chan)
	if !v.rule(ok, c.P, "a case of a select has no channel") {
		return
	}
	if c.Value != nil {
		v.rule(ch.Dir() != types.RecvOnly, c.P, "a send needs a channel that can be sent to")
		v.value(c.Value, ch.Elem(), c.P, "the value sent")
	} else {
		v.rule(ch.Dir() != types.SendOnly, c.P, "a receive needs a channel that can be received from")
	}
	for i, l := range []*Local{c.Elem, c.Ok} {
		if l != nil && v.own(l, c.P) {
			v.rule(c.Value == nil && !l.Boxed, c.P, "%s cannot be set by a case", l.Name)
			v.same(l.Type, []types.Type{ch.Elem(), types.Typ[types.Bool]}[i], c.P, "a received value")
		}
	}
	v.block(c.Body)
}
