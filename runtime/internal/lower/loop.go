package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"gosphere/runtime/internal/ir"
)

// inTarget calls build for the contents of a statement that break or continue may name.
func (b *builder) inTarget(t target, build func()) {
	b.targets = append(b.targets, t)
	build()
	b.targets = b.targets[:len(b.targets)-1]
}

// forStmt builds a for statement. Its init statement precedes it in a block.
//
// The order in the representation is condition, body, copies of Fresh, post statement, as in the
// section "For statements" of the specification: the copy is made before the post statement, so
// that i++ changes the variable of the next iteration.
func (b *builder) forStmt(s *ast.ForStmt, name *ast.Ident) {
	b.scoped(s.Pos(), s.Init, func() {
		loop := &ir.For{At: ir.At{P: s.Pos()}, Label: b.newLabel("")}
		// The init statement has declared the variables by now.
		loop.Fresh = b.freshVars(s)
		if s.Cond != nil {
			loop.Cond = b.loopCond(s.Cond)
		}
		b.inTarget(target{label: loop.Label, loop: true, source: name}, func() {
			loop.Body = b.block(s.Body.Pos(), func() { b.loopBody(s.Body) })
		})
		if s.Post != nil {
			loop.Post = b.block(s.Post.Pos(), func() { b.stmt(s.Post); clear(b.hoisted) }).List
		}
		b.add(loop)
	})
}

// loopCond builds a condition that is evaluated in every iteration, together with the operations
// that it needs ahead of it. A temporary ahead of the loop would be computed only once, hence the
// Seq.
func (b *builder) loopCond(e ast.Expr) ir.Expr {
	var cond ir.Expr
	before := b.block(e.Pos(), func() {
		b.ordered(e)
		cond = b.expr(e)
		clear(b.hoisted)
	})
	if len(before.List) > 0 {
		return &ir.Seq{Typed: ir.Typed{T: cond.Type(), P: e.Pos()}, Stmts: before.List, X: cond}
	}
	return cond
}

// freshVars returns the loop variables that each iteration must copy. Only variables with heap
// cells need that: for others the copies cannot be observed.
func (b *builder) freshVars(s *ast.ForStmt) []*ir.Local {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || b.SharedLoops {
		return nil
	}
	var list []*ir.Local
	for _, e := range init.Lhs {
		if v := b.declares(e, token.DEFINE); v != nil {
			if l := b.vars[v]; l != nil && l.Boxed {
				list = append(list, l)
			}
		}
	}
	return list
}

// rangeStmt builds a range statement.
func (b *builder) rangeStmt(s *ast.RangeStmt, name *ast.Ident) {
	t := b.typeOf(s.X)
	if isFuncType(t) {
		b.rangeFunc(s, name)
		return
	}
	label := b.newLabel("")
	b.add(b.block(s.Pos(), func() {
		b.ordered(s.X)
		x := b.rangeOperand(s, t)
		clear(b.hoisted)
		key, elem := rangeTypes(ir.Under(x.Type()))
		// The locals are made before the body is built, since the body uses them.
		k, setKey := b.rangeVar(s, s.Key, key)
		e, setElem := b.rangeVar(s, s.Value, elem)
		var body *ir.Block
		b.inTarget(target{label: label, loop: true, source: name}, func() {
			body = b.block(s.Body.Pos(), func() {
				// for a[i], i = range ... evaluates the operands of both places first, like an
				// assignment of two values.
				if s.Tok == token.ASSIGN && k != nil && e != nil {
					b.setBoth(s, k, e)
				} else {
					setKey()
					setElem()
				}
				b.loopBody(s.Body)
			})
		})
		b.add(rangeLoop(label, x, [2]*ir.Local{k, e}, body))
	}))
}

// rangeOperand builds the operand of a range statement. If the elements of an array are used, the
// array is copied to a new variable, as the language specifies.
func (b *builder) rangeOperand(s *ast.RangeStmt, t types.Type) ir.Expr {
	// A pointer to an array is not copied.
	if isArray(t) {
		if s.Value == nil || isBlank(s.Value) {
			n := ir.Under(t).(*types.Array).Len()
			if !b.scan(s.X).calls { // the length is constant, so the operand is not evaluated
				return ir.IntConst(n, s.Pos())
			}
			x := b.expr(s.X)
			b.add(&ir.Eval{At: ir.At{P: s.Pos()}, X: &ir.Builtin{Typed: ir.Typed{T: types.Typ[types.Int], P: s.Pos()}, Name: "len", Args: []ir.Expr{x}}})
			return ir.IntConst(n, s.Pos())
		}
		l := b.temporary(t, s.Pos())
		l.Boxed = true
		b.add(&ir.Declare{At: ir.At{P: s.Pos()}, Local: l, X: b.expr(s.X)})
		return addr(ir.Use(l), types.NewPointer(t), s.Pos())
	}
	x := b.expr(s.X)
	if basic, ok := ir.Under(t).(*types.Basic); ok && basic.Info()&types.IsInteger != 0 && s.Key != nil {
		// An untyped constant has the type of the iteration variable.
		kt := b.info.TypeOf(s.Key)
		if id, isIdent := s.Key.(*ast.Ident); isIdent && b.info.ObjectOf(id) != nil && id.Name != "_" {
			kt = b.info.ObjectOf(id).Type()
		}
		// For instance, i has type uint8 in var i uint8; for i = range 10.
		if kt != nil && b.info.Types[s.X].Value != nil && !isBlank(s.Key) {
			return b.exprTo(s.X, b.substitute(kt))
		}
	}
	return x
}

// rangeTypes returns the types of the iteration values. They are nil where the loop has no such
// value.
func rangeTypes(t types.Type) (key, elem types.Type) {
	integer := types.Typ[types.Int]
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return integer, types.Typ[types.Int32]
		}
		return nil, nil // the type of the operand itself
	case *types.Slice:
		return integer, t.Elem()
	case *types.Pointer:
		return integer, ir.Under(t.Elem()).(*types.Array).Elem()
	case *types.Map:
		return t.Key(), t.Elem()
	case *types.Chan:
		return t.Elem(), nil
	}
	return nil, nil
}

// rangeVar returns the local that an iteration sets. If the source names another variable, the
// function copies the value to it.
func (b *builder) rangeVar(s *ast.RangeStmt, e ast.Expr, t types.Type) (*ir.Local, func()) {
	nothing := func() {}
	if e == nil || isBlank(e) {
		return nil, nothing
	}
	if v := b.declares(e, s.Tok); v != nil {
		if b.SharedLoops {
			return b.sharedVar(v, e, t)
		}
		// The loop can set the variable itself, unless it belongs to the session or needs a
		// conversion.
		if t == nil || types.Identical(t, b.substitute(v.Type())) {
			if b.up != nil || b.env.Global(v) == nil {
				return b.declareVar(v), nothing
			}
		}
	}
	if t == nil {
		t = b.typeOf(e)
	}
	l := b.temporary(t, e.Pos())
	return l, func() {
		if v := b.declares(e, s.Tok); v != nil {
			b.define(e.(*ast.Ident), ir.Use(l))
			return
		}
		b.orderedPlace(e)
		place := b.expr(e)
		b.set(place, b.convert(ir.Use(l), place.Type()), e.Pos())
		clear(b.hoisted)
	}
}

// sharedVar is like rangeVar for a variable that all iterations share.
func (b *builder) sharedVar(v *types.Var, e ast.Expr, t types.Type) (*ir.Local, func()) {
	l := b.declareVar(v)
	if !l.Boxed && (t == nil || types.Identical(t, l.Type)) {
		return l, func() {}
	}
	if t == nil {
		t = l.Type
	}
	b.add(&ir.Declare{At: ir.At{P: e.Pos()}, Local: l, X: ir.ZeroOf(l.Type, e.Pos())})
	each := b.temporary(t, e.Pos())
	return each, func() { b.set(ir.Use(l), b.convert(ir.Use(each), l.Type), e.Pos()) }
}

// rangeLoop returns the loop statement for the type of the operand. For instance, for i, t := range
// p, where p is a pointer to an array, is printed as range L5 i, t of slice p.
func rangeLoop(label *ir.Label, x ir.Expr, vars [2]*ir.Local, body *ir.Block) ir.Stmt {
	pos, key, elem := ir.At{P: x.Pos()}, vars[0], vars[1]
	switch t := ir.Under(x.Type()).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return &ir.RangeString{At: pos, Label: label, X: x, Key: key, Elem: elem, Body: body}
		}
		return &ir.RangeInt{At: pos, Label: label, N: x, Key: key, Body: body}
	case *types.Map:
		return &ir.RangeMap{At: pos, Label: label, X: x, Key: key, Elem: elem, Body: body}
	case *types.Chan:
		return &ir.RangeChan{At: pos, Label: label, X: x, Elem: key, Body: body}
	}
	return &ir.RangeSlice{At: pos, Label: label, X: x, Key: key, Elem: elem, Body: body}
}

// typeSwitch builds a type switch. It becomes a Switch whose conditions test the dynamic type, so
// no later pass distinguishes the two.
func (b *builder) typeSwitch(s *ast.TypeSwitchStmt, name *ast.Ident) {
	b.scoped(s.Pos(), s.Init, func() {
		out := &ir.Switch{At: ir.At{P: s.Pos()}, Label: b.newLabel("")}
		operand := typeSwitchOperand(s)
		b.add(b.block(s.Pos(), func() {
			b.ordered(operand)
			x := b.save(b.expr(operand))
			clear(b.hoisted)
			b.inTarget(target{label: out.Label, source: name}, func() {
				for _, c := range s.Body.List {
					out.Cases = append(out.Cases, b.typeCase(c.(*ast.CaseClause), x))
				}
			})
			b.add(out)
		}))
	})
}

// typeSwitchOperand returns x in switch x.(type) and switch v := x.(type).
func typeSwitchOperand(s *ast.TypeSwitchStmt) ast.Expr {
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	return ast.Unparen(x).(*ast.TypeAssertExpr).X
}

// typeCase builds a clause of a type switch. The variable of the switch is declared anew in each
// clause, with the type of the clause if there is exactly one.
//
// For instance, case int of switch v := x.(type) becomes
//
//	case istype[int]($2)
//		declare v = $2.(int)
func (b *builder) typeCase(c *ast.CaseClause, x ir.Expr) *ir.Case {
	out := &ir.Case{At: ir.At{P: c.Pos()}, Default: c.List == nil}
	for _, e := range c.List {
		test := &ir.IsType{Typed: ir.Typed{T: types.Typ[types.Bool], P: e.Pos()}, X: x}
		if !b.info.Types[e].IsNil() {
			test.To = b.substitute(b.info.TypeOf(e))
		}
		out.Conds = append(out.Conds, test)
	}
	out.Body = b.block(c.Pos(), func() {
		if v, ok := b.info.Implicits[c].(*types.Var); ok {
			t := b.substitute(v.Type())
			value := x
			// The assertion cannot fail, because the test of the clause has succeeded.
			if !types.Identical(t, x.Type()) {
				value = &ir.Assert{Typed: ir.Typed{T: t, P: c.Pos()}, X: x, To: t, CommaOk: false}
			}
			b.add(&ir.Declare{At: ir.At{P: c.Pos()}, Local: b.declareVar(v), X: value})
		}
		b.stmts(c.Body)
	})
	return out
}

// selectStmt builds a select statement. Received values are stored in temporaries. The destinations
// of received values are evaluated only in the chosen clause, as the section "Select statements" of
// the specification says.
func (b *builder) selectStmt(s *ast.SelectStmt, name *ast.Ident) {
	out := &ir.Select{At: ir.At{P: s.Pos()}, Label: b.newLabel("")}
	calls := b.callsInClauses(s)
	b.add(b.block(s.Pos(), func() {
		b.inTarget(target{label: out.Label, source: name}, func() {
			for _, c := range s.Body.List {
				out.Cases = append(out.Cases, b.comm(c.(*ast.CommClause), calls))
				clear(b.hoisted)
			}
		})
		b.add(out)
	}))
}

// callsInClauses reports whether the channels and values of a select statement make calls. If so,
// all are evaluated in order ahead of the statement.
func (b *builder) callsInClauses(s *ast.SelectStmt) bool {
	return slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool {
		switch s := c.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			return b.scan(s.Chan).calls || b.scan(s.Value).calls
		case *ast.ExprStmt:
			return b.scan(receivedFrom(s.X)).calls
		case *ast.AssignStmt:
			return b.scan(receivedFrom(s.Rhs[0])).calls
		}
		return false
	})
}

// receivedFrom returns the channel of a receive operation.
func receivedFrom(e ast.Expr) ast.Expr { return ast.Unparen(e).(*ast.UnaryExpr).X }

// comm builds a clause of a select statement. calls reports whether the operands of all clauses
// must be evaluated ahead of the statement. For instance, case s[0] = <-a becomes the clause $8, _
// = <-a, whose body begins with s[0] = $8.
func (b *builder) comm(c *ast.CommClause, calls bool) *ir.Comm {
	out := &ir.Comm{At: ir.At{P: c.Pos()}}
	before := func() {}
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		b.ordered(s.Chan, s.Value)
		out.Ch = b.expr(s.Chan)
		out.Value = b.exprTo(s.Value, ir.Under(out.Ch.Type()).(*types.Chan).Elem())
		if calls {
			out.Ch, out.Value = b.kept(out.Ch), b.kept(out.Value)
		}
	case *ast.ExprStmt:
		out.Ch = b.received(s.X, calls)
	case *ast.AssignStmt:
		out.Ch = b.received(s.Rhs[0], calls)
		before = b.commVars(s, out)
	}
	out.Body = b.block(c.Pos(), func() {
		before()
		b.stmts(c.Body)
	})
	return out
}

// received builds the channel of a receive operation, and evaluates it ahead of the statement if
// calls is set.
func (b *builder) received(e ast.Expr, calls bool) ir.Expr {
	ch := receivedFrom(e)
	b.ordered(ch)
	x := b.expr(ch)
	if calls {
		x = b.kept(x)
	}
	return x
}

// commVars sets the temporaries of a receive clause. It returns a function that builds their
// assignment to the variables in the source.
func (b *builder) commVars(s *ast.AssignStmt, out *ir.Comm) func() {
	elem := ir.Under(out.Ch.Type()).(*types.Chan).Elem()
	temporaries := []*ir.Local{b.temporary(elem, s.Pos()), nil}
	out.Elem = temporaries[0]
	if len(s.Lhs) == 2 {
		temporaries[1] = b.temporary(types.Typ[types.Bool], s.Pos())
		out.Ok = temporaries[1]
	}
	// The chosen clause begins with these assignments.
	return func() {
		for i, e := range s.Lhs {
			if isBlank(e) {
				continue
			}
			if v := b.declares(e, s.Tok); v != nil {
				b.define(e.(*ast.Ident), ir.Use(temporaries[i]))
				continue
			}
			b.orderedPlace(e)
			place := b.expr(e)
			b.set(place, b.convert(ir.Use(temporaries[i]), place.Type()), e.Pos())
			clear(b.hoisted)
		}
	}
}

// setBoth assigns the values of an iteration to two places of the source. The operands of both are
// evaluated before either is assigned.
func (b *builder) setBoth(s *ast.RangeStmt, key, elem *ir.Local) {
	b.ordered(s.Key, s.Value)
	assigned := b.usage.assignedIn(s.Key, s.Value)
	k, e := b.fixed(b.expr(s.Key), assigned), b.fixed(b.expr(s.Value), assigned)
	b.set(k, b.convert(ir.Use(key), k.Type()), s.Key.Pos())
	b.set(e, b.convert(ir.Use(elem), e.Type()), s.Value.Pos())
	clear(b.hoisted)
}

// loopBody builds the statements in the body of a loop. A body without statements gets a mark of
// its own, or a debugger could not pause the loop.
func (b *builder) loopBody(body *ast.BlockStmt) {
	b.markBody(body)
	b.stmts(body.List)
}
