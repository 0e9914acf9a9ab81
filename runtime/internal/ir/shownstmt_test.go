package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// after returns a condition that compares a local with a number.
func after(l *Local, n int64) Expr { return &Compare{of(boolType), token.GTR, Use(l), number(n)} }

var statementPrograms = []shown{
	{"assignments", func() *Program {
		c := newScope()
		fresh, later, both, found := c.boxed("fresh", intType), c.local("later", StringType), c.local("both", intType), c.local("", boolType)
		body := []Stmt{
			&Declare{Local: fresh}, &Declare{Local: later, X: Use(c.text)}, set(c.n, sum(Use(c.n), number(1))),
			&Assign{Dst: fieldOf(Use(c.point), 0), X: number(2)}, &Assign{Dst: entry(Use(c.table), Use(c.text)), X: Use(c.point)}, &Assign{Dst: elemOf(Use(c.slice), Use(c.n)), X: Use(fresh)},
			&Assign{Dst: deref(Use(c.pointer)), X: Use(c.line)}, &Assign{Dst: &GlobalExpr{of(intType), &Global{Name: "total", Type: intType}}, X: number(3)}, discard(Use(c.n)),
			&AssignAll{Dst: []*Local{both, found}, X: &Recv{of(Pair(intType)), Use(c.channel), true}}, &AssignAll{Dst: []*Local{nil, nil}, X: &Recv{of(Pair(intType)), Use(c.channel), true}},
			&AssignAll{Dst: []*Local{nil, later}, X: pairCall()},
		}
		for _, op := range []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.SHL, token.SHR, token.AND_NOT} {
			body = append(body, &AssignOp{Op: op, Dst: elemOf(Use(c.slice), number(0)), X: Use(both)})
		}
		return numbered(programOf(c.does(append(body, &AssignOp{Op: token.ADD, Dst: Use(c.text), X: typed(StringType, constant.MakeString("!"))})...)))
	}},
	{"go, defer, send, hooks and marks", func() *Program {
		c := newScope()
		c.Defers = true
		call := func() Expr { return &Call{Typed: of(nothing), Value: Use(c.run)} }
		record, around := c.local("", AnyType), c.local("", AnyType)
		return numbered(programOf(c.does(
			&Mark{Vars: []*Local{c.point, c.line}, Call: record, Around: around}, &Mark{Call: record, Function: "f"},
			&Go{Call: call()}, &Go{Call: predeclared(nothing, "close", Use(c.channel))}, &Defer{Call: call()}, &Defer{Call: call(), List: Use(c.raw)},
			&Send{Ch: Use(c.channel), X: sum(Use(c.n), number(1))}, &Hook{X: Use(c.n)}, CallHook(nil, pairCall()), &Eval{X: &Recv{of(intType), Use(c.channel), false}},
			&Send{Ch: &Recv{of(c.channel.Type), ZeroOf(types.NewChan(types.RecvOnly, c.channel.Type), 0), false}, X: &Recv{of(intType), Use(c.channel), false}},
		)))
	}},
	{"results", func() *Program {
		c := newScope()
		c.result("", intType)
		c.result("err", StringType)
		return numbered(programOf(c.does(
			&If{Cond: after(c.n, 0), Then: blockOf(returns())}, &If{Cond: after(c.n, 1), Then: blockOf(returns(pairCall()))},
			returns(Use(c.n), Use(c.text)), returns(), &Eval{X: Use(c.n)},
		)))
	}},
	{"conditions and blocks", func() *Program {
		c := newScope()
		chain := &If{Cond: after(c.n, 3), Then: blockOf(), Else: &If{Cond: after(c.n, 2), Then: blockOf(discard(number(2))), Else: &If{Cond: after(c.n, 1), Then: blockOf(), Else: blockOf(discard(number(0)))}}}
		nested := &If{Cond: Use(c.yes), Then: blockOf(&If{Cond: Use(c.yes), Then: blockOf(discard(number(1)))}), Else: blockOf(blockOf(), blockOf(discard(number(2)), blockOf(discard(number(3)))))}
		return numbered(programOf(c.does(chain, nested)))
	}},
	{"switches", func() *Program {
		c := newScope()
		outer, inner := &Label{ID: 1, Name: "outer"}, &Label{ID: 2}
		deep := &Switch{Label: inner, Cases: []*Case{{Default: true, Body: blockOf(&Break{Label: outer})}, {Conds: []Expr{&IsType{of(boolType), Use(c.value), nil}, &IsType{of(boolType), Use(c.value), intType}}, Body: blockOf(&Break{Label: inner})}}}
		return numbered(programOf(c.does(&Switch{Label: outer, Cases: []*Case{
			{Conds: []Expr{after(c.n, 1)}, Body: blockOf(discard(number(1))), Fallthrough: true}, {Default: true, Body: blockOf(), Fallthrough: true}, {Conds: []Expr{after(c.n, 2), Use(c.yes)}, Body: blockOf(deep)},
		}}, &Switch{Label: &Label{ID: 3}})))
	}},
	{"selects", func() *Program {
		c := newScope()
		l := &Label{ID: 1}
		elem, ok := c.local("", intType), c.local("", boolType)
		return numbered(programOf(c.does(&Select{Label: l, Cases: []*Comm{
			{Ch: Use(c.channel), Value: sum(Use(c.n), number(1)), Body: blockOf(&Break{Label: l})}, {Ch: Use(c.channel), Body: blockOf()}, {Ch: Use(c.channel), Elem: elem, Body: blockOf(discard(Use(elem)))},
			{Ch: Use(c.channel), Ok: ok, Body: blockOf()}, {Ch: Use(c.channel), Elem: elem, Ok: ok, Body: blockOf(set(c.yes, Use(ok)))}, {Body: blockOf(returns())},
		}}, &Select{Label: &Label{ID: 2}})))
	}},
	{"jumps to labels", func() *Program {
		c := newScope()
		again, end, unused := &Label{ID: 1, Name: "again", Jumped: true}, &Label{ID: 2, Name: "end", Jumped: true}, &Label{ID: 3, Name: "unused"}
		return numbered(programOf(c.does(
			&Labeled{Label: again, Body: &AssignOp{Op: token.SUB, Dst: Use(c.n), X: number(1)}}, &If{Cond: after(c.n, 9), Then: blockOf(&Goto{Label: again}), Else: blockOf(&Goto{Label: end})},
			&Labeled{Label: end, Body: &Labeled{Label: unused, Body: blockOf(returns())}},
		)))
	}},
}

var loopPrograms = []shown{
	{"loops with conditions", func() *Program {
		c := newScope()
		forever, counted, copied := &Label{ID: 1}, &Label{ID: 2, Name: "counted"}, &Label{ID: 3}
		i, j, k := c.local("i", intType), c.boxed("j", intType), c.boxed("k", intType)
		step := func(l *Local) Stmt { return &AssignOp{Op: token.ADD, Dst: Use(l), X: number(1)} }
		return numbered(programOf(c.does(
			&For{Label: forever, Body: blockOf(&If{Cond: Use(c.yes), Then: blockOf(&Break{Label: forever})}, &Continue{Label: forever})}, &Declare{Local: i, X: number(0)},
			&For{Label: counted, Cond: after(c.n, 5), Post: []Stmt{step(i), step(c.n)}, Body: blockOf(&Continue{Label: counted})}, &Declare{Local: j, X: number(0)}, &Declare{Local: k},
			&For{Label: copied, Cond: after(k, 1), Post: []Stmt{step(k)}, Body: blockOf(), Fresh: []*Local{j, k}}, &For{Label: &Label{ID: 4}, Body: blockOf(), Post: []Stmt{step(i)}, Fresh: []*Local{k}},
		)))
	}},
	{"loops over values with all variables", func() *Program {
		c := newScope()
		use := func(l ...*Local) *Block {
			var body []Stmt
			for _, l := range l {
				body = append(body, discard(Use(l)))
			}
			return blockOf(body...)
		}
		i, r, key, elem, row := c.local("i", intType), c.local("r", runeType), c.local("key", StringType), c.boxed("elem", pointType), c.local("row", types.NewArray(intType, 2))
		return numbered(programOf(c.does(
			&RangeInt{Label: &Label{ID: 1}, N: sum(Use(c.n), number(1)), Key: i, Body: use(i)}, &RangeSlice{Label: &Label{ID: 2}, X: Use(c.slice), Key: i, Elem: c.n, Body: use(i, c.n)},
			&RangeSlice{Label: &Label{ID: 3, Name: "rows"}, X: Use(c.gridPointer), Key: i, Elem: row, Body: use(row)}, &RangeString{Label: &Label{ID: 4}, X: sum(Use(c.text), Use(c.text)), Key: i, Elem: r, Body: use(i, r)},
			&RangeMap{Label: &Label{ID: 5}, X: Use(c.table), Key: key, Elem: elem, Body: use(key, elem)}, &RangeChan{Label: &Label{ID: 6}, X: Use(c.channel), Elem: i, Body: use(i)},
		)))
	}},
	{"loops over values without variables", func() *Program {
		c := newScope()
		r, elem, l := c.local("r", runeType), c.local("", pointType), &Label{ID: 6}
		return numbered(programOf(c.does(
			&RangeInt{Label: &Label{ID: 1}, N: number(3), Body: blockOf()}, &RangeSlice{Label: &Label{ID: 2}, X: Use(c.slice), Body: blockOf()}, &RangeString{Label: &Label{ID: 3}, X: Use(c.text), Elem: r, Body: blockOf()},
			&RangeMap{Label: &Label{ID: 4}, X: Use(c.table), Elem: elem, Body: blockOf()}, &RangeMap{Label: &Label{ID: 5}, X: Use(c.table), Body: blockOf()}, &RangeChan{Label: l, X: Use(c.channel), Body: blockOf(&Continue{Label: l}, &Break{Label: l})},
		)))
	}},
	{"nested loops with jumps outward", func() *Program {
		c := newScope()
		outer, middle, inner := &Label{ID: 1, Name: "outer"}, &Label{ID: 2}, &Label{ID: 3}
		i, elem := c.local("i", intType), c.local("elem", intType)
		choice := &Switch{Label: inner, Cases: []*Case{{Conds: []Expr{after(i, 1)}, Body: blockOf(&Continue{Label: outer})}, {Conds: []Expr{after(elem, 1)}, Body: blockOf(&Break{Label: inner})}, {Default: true, Body: blockOf(&Continue{Label: middle})}}}
		return numbered(programOf(c.does(&Labeled{Label: &Label{ID: 4, Name: "outer"}, Body: &RangeInt{Label: outer, N: number(3), Key: i, Body: blockOf(
			&RangeSlice{Label: middle, X: Use(c.slice), Elem: elem, Body: blockOf(choice, &Break{Label: outer})},
		)}})))
	}},
}
