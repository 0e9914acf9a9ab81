package ir

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// inTarget builds what lies in a statement that break or continue may name.
func (b *builder) inTarget(t target, build func()) {
	b.targets = append(b.targets, t)
	build()
	b.targets = b.targets[:len(b.targets)-1]
}

// forStmt builds a for statement. Its init statement stands before it in a block.
func (b *builder) forStmt(s *ast.ForStmt, name *ast.Ident) {
	b.scoped(s.Pos(), s.Init, func() {
		loop := &For{at: at{s.Pos()}, Label: b.newLabel("")}
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

// loopCond builds a condition that is evaluated again and again, with what it needs ahead of it.
func (b *builder) loopCond(e ast.Expr) Expr {
	var cond Expr
	before := b.block(e.Pos(), func() {
		b.ordered(e)
		cond = b.expr(e)
		clear(b.hoisted)
	})
	if len(before.List) > 0 {
		return &Seq{typed{cond.Type(), e.Pos()}, before.List, cond}
	}
	return cond
}

// freshVars lists the variables of a loop that each iteration has anew, as far as that can be seen:
// those with heap cells.
func (b *builder) freshVars(s *ast.ForStmt) []*Local {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || b.SharedLoops {
		return nil
	}
	var list []*Local
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
		key, elem := rangeTypes(under(x.Type()))
		k, setKey := b.rangeVar(s, s.Key, key)
		e, setElem := b.rangeVar(s, s.Value, elem)
		var body *Block
		b.inTarget(target{label: label, loop: true, source: name}, func() {
			body = b.block(s.Body.Pos(), func() {
				if s.Tok == token.ASSIGN && k != nil && e != nil {
					b.setBoth(s, k, e)
				} else {
					setKey()
					setElem()
				}
				b.loopBody(s.Body)
			})
		})
		b.add(rangeLoop(label, x, [2]*Local{k, e}, body))
	}))
}

// rangeOperand builds the operand of a range statement. An array that is iterated with its elements
// is copied to a new variable, as the language says.
func (b *builder) rangeOperand(s *ast.RangeStmt, t types.Type) Expr {
	if isArray(t) {
		if s.Value == nil || isBlank(s.Value) {
			n := under(t).(*types.Array).Len()
			if !b.scan(s.X).calls { // the length is a constant: the operand is not evaluated
				return intConst(n, s.Pos())
			}
			x := b.expr(s.X)
			b.add(&Eval{at{s.Pos()}, &Builtin{typed: typed{types.Typ[types.Int], s.Pos()}, Name: "len", Args: []Expr{x}}})
			return intConst(n, s.Pos())
		}
		l := b.temporary(t, s.Pos())
		l.Boxed = true
		b.add(&Declare{at{s.Pos()}, l, b.expr(s.X)})
		return addr(use(l), types.NewPointer(t), s.Pos())
	}
	x := b.expr(s.X)
	if basic, ok := under(t).(*types.Basic); ok && basic.Info()&types.IsInteger != 0 && s.Key != nil {
		// An untyped constant has the type of the iteration variable.
		kt := b.info.TypeOf(s.Key)
		if id, isIdent := s.Key.(*ast.Ident); isIdent && b.info.ObjectOf(id) != nil && id.Name != "_" {
			kt = b.info.ObjectOf(id).Type()
		}
		if kt != nil && b.info.Types[s.X].Value != nil && !isBlank(s.Key) {
			return b.exprTo(s.X, b.substitute(kt))
		}
	}
	return x
}

// rangeTypes returns the types of the iteration values.
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
		return integer, under(t.Elem()).(*types.Array).Elem()
	case *types.Map:
		return t.Key(), t.Elem()
	case *types.Chan:
		return t.Elem(), nil
	}
	return nil, nil
}

// rangeVar returns the local that an iteration sets, and what copies it to the place that the source
// names where that is not a variable of its own.
func (b *builder) rangeVar(s *ast.RangeStmt, e ast.Expr, t types.Type) (*Local, func()) {
	nothing := func() {}
	if e == nil || isBlank(e) {
		return nil, nothing
	}
	if v := b.declares(e, s.Tok); v != nil {
		if b.SharedLoops {
			return b.sharedVar(v, e, t)
		}
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
			b.define(e.(*ast.Ident), use(l))
			return
		}
		b.orderedPlace(e)
		place := b.expr(e)
		b.set(place, b.convert(use(l), place.Type()), e.Pos())
		clear(b.hoisted)
	}
}

// sharedVar is rangeVar for a variable that all iterations share.
func (b *builder) sharedVar(v *types.Var, e ast.Expr, t types.Type) (*Local, func()) {
	l := b.declareVar(v)
	if !l.Boxed && (t == nil || types.Identical(t, l.Type)) {
		return l, func() {}
	}
	if t == nil {
		t = l.Type
	}
	b.add(&Declare{at{e.Pos()}, l, zero(l.Type, e.Pos())})
	each := b.temporary(t, e.Pos())
	return each, func() { b.set(use(l), b.convert(use(each), l.Type), e.Pos()) }
}

// rangeLoop makes the loop for the type of the operand.
func rangeLoop(label *Label, x Expr, vars [2]*Local, body *Block) Stmt {
	pos, key, elem := at{x.Pos()}, vars[0], vars[1]
	switch t := under(x.Type()).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return &RangeString{pos, label, x, key, elem, body}
		}
		return &RangeInt{pos, label, x, key, body}
	case *types.Map:
		return &RangeMap{pos, label, x, key, elem, body}
	case *types.Chan:
		return &RangeChan{pos, label, x, key, body}
	}
	return &RangeSlice{pos, label, x, key, elem, body}
}

// switchStmt builds a switch: the tag is kept in a temporary and each case compares with it.
func (b *builder) switchStmt(s *ast.SwitchStmt, name *ast.Ident) {
	b.scoped(s.Pos(), s.Init, func() {
		out := &Switch{at: at{s.Pos()}, Label: b.newLabel("")}
		var tag Expr
		b.add(b.block(s.Pos(), func() {
			if s.Tag != nil {
				b.ordered(s.Tag)
				tag = b.kept(b.expr(s.Tag))
				clear(b.hoisted)
			}
			b.inTarget(target{label: out.Label, source: name}, func() {
				for _, c := range s.Body.List {
					out.Cases = append(out.Cases, b.switchCase(c.(*ast.CaseClause), tag, s.Tag))
				}
			})
			b.add(out)
		}))
	})
}

func (b *builder) switchCase(c *ast.CaseClause, tag Expr, source ast.Expr) *Case {
	out := &Case{at: at{c.Pos()}, Default: c.List == nil}
	for _, e := range c.List {
		out.Conds = append(out.Conds, b.caseCond(e, tag, source))
	}
	list := c.Body
	if n := len(list); n > 0 {
		if last, ok := list[n-1].(*ast.BranchStmt); ok && last.Tok == token.FALLTHROUGH {
			out.Fallthrough, list = true, list[:n-1]
		}
	}
	out.Body = b.block(c.Pos(), func() { b.stmts(list) })
	return out
}

// caseCond builds the condition of an expression in a case.
func (b *builder) caseCond(e ast.Expr, tag Expr, source ast.Expr) Expr {
	var cond Expr
	before := b.block(e.Pos(), func() {
		b.ordered(e)
		cond = b.caseTest(e, tag)
		clear(b.hoisted)
	})
	if len(before.List) > 0 {
		return &Seq{typed{cond.Type(), e.Pos()}, before.List, cond}
	}
	return cond
}

func (b *builder) caseTest(e ast.Expr, tag Expr) Expr {
	if tag == nil && !isInterface(b.typeOf(e)) {
		return b.exprTo(e, types.Typ[types.Bool])
	}
	if tag == nil {
		tag = boolConst(true, e.Pos())
	}
	t := tag.Type()
	x, y := tag, Expr(nil)
	switch et := b.typeOf(e); {
	case b.info.Types[e].IsNil():
		y = zero(t, e.Pos())
	case isInterface(et) && !isInterface(t):
		x, y = b.convert(tag, et), b.expr(e)
	case isInterface(et) && isInterface(t) && !types.Identical(et, t):
		any := types.Universe.Lookup("any").Type()
		x, y = b.convert(tag, any), b.exprTo(e, any)
	default:
		y = b.exprTo(e, t)
	}
	return &Compare{typed{types.Typ[types.Bool], e.Pos()}, token.EQL, x, y}
}

// typeSwitch builds a type switch.
func (b *builder) typeSwitch(s *ast.TypeSwitchStmt, name *ast.Ident) {
	b.scoped(s.Pos(), s.Init, func() {
		out := &Switch{at: at{s.Pos()}, Label: b.newLabel("")}
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

func (b *builder) typeCase(c *ast.CaseClause, x Expr) *Case {
	out := &Case{at: at{c.Pos()}, Default: c.List == nil}
	for _, e := range c.List {
		test := &IsType{typed: typed{types.Typ[types.Bool], e.Pos()}, X: x}
		if !b.info.Types[e].IsNil() {
			test.To = b.substitute(b.info.TypeOf(e))
		}
		out.Conds = append(out.Conds, test)
	}
	out.Body = b.block(c.Pos(), func() {
		if v, ok := b.info.Implicits[c].(*types.Var); ok {
			t := b.substitute(v.Type())
			value := x
			if !types.Identical(t, x.Type()) {
				value = &Assert{typed{t, c.Pos()}, x, t, false}
			}
			b.add(&Declare{at{c.Pos()}, b.declareVar(v), value})
		}
		b.stmts(c.Body)
	})
	return out
}

// selectStmt builds a select statement. Received values arrive in temporaries.
func (b *builder) selectStmt(s *ast.SelectStmt, name *ast.Ident) {
	out := &Select{at: at{s.Pos()}, Label: b.newLabel("")}
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

// callsInClauses reports whether the channels and values of a select statement make calls. They are
// all evaluated in their order ahead of it then.
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

// receivedFrom is the channel of a receive operation.
func receivedFrom(e ast.Expr) ast.Expr { return ast.Unparen(e).(*ast.UnaryExpr).X }

func (b *builder) comm(c *ast.CommClause, calls bool) *Comm {
	out := &Comm{at: at{c.Pos()}}
	before := func() {}
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		b.ordered(s.Chan, s.Value)
		out.Ch = b.expr(s.Chan)
		out.Value = b.exprTo(s.Value, under(out.Ch.Type()).(*types.Chan).Elem())
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

// received builds the channel of a receive operation, ahead of the statement if calls says so.
func (b *builder) received(e ast.Expr, calls bool) Expr {
	ch := receivedFrom(e)
	b.ordered(ch)
	x := b.expr(ch)
	if calls {
		x = b.kept(x)
	}
	return x
}

// commVars sets the temporaries of a receive clause and returns what assigns them to the places of
// the source.
func (b *builder) commVars(s *ast.AssignStmt, out *Comm) func() {
	elem := under(out.Ch.Type()).(*types.Chan).Elem()
	temporaries := []*Local{b.temporary(elem, s.Pos()), nil}
	out.Elem = temporaries[0]
	if len(s.Lhs) == 2 {
		temporaries[1] = b.temporary(types.Typ[types.Bool], s.Pos())
		out.Ok = temporaries[1]
	}
	return func() {
		for i, e := range s.Lhs {
			if isBlank(e) {
				continue
			}
			if v := b.declares(e, s.Tok); v != nil {
				b.define(e.(*ast.Ident), use(temporaries[i]))
				continue
			}
			b.orderedPlace(e)
			place := b.expr(e)
			b.set(place, b.convert(use(temporaries[i]), place.Type()), e.Pos())
			clear(b.hoisted)
		}
	}
}

// setBoth assigns the values of an iteration to two places of the source, whose operands are
// evaluated before either is assigned.
func (b *builder) setBoth(s *ast.RangeStmt, key, elem *Local) {
	b.ordered(s.Key, s.Value)
	k, e := b.fixed(b.expr(s.Key)), b.fixed(b.expr(s.Value))
	b.set(k, b.convert(use(key), k.Type()), s.Key.Pos())
	b.set(e, b.convert(use(elem), e.Type()), s.Value.Pos())
	clear(b.hoisted)
}

// loopBody builds the statements of the body of a loop.
func (b *builder) loopBody(body *ast.BlockStmt) {
	b.markBody(body)
	b.stmts(body.List)
}
