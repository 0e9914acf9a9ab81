package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

// counting returns a function that returns a literal, which contains two more:
//
//	func f(n int) (r func() int) {
//		k := n
//		return func() int {
//			k += n
//			a := func() int { k++; return k }
//			b := func(k string) string { return k + k }
//			return a() + len(b("x"))
//		}
//	}
func counting() *Func {
	f := declared("main.f")
	n := f.param("n", intType)
	first := f.nested("func1")
	f.result("r", signature(nil, intType))
	k := f.boxed("k", intType)
	first.result("", intType)
	k1, n1 := first.capture(k), first.capture(n)
	a, b := first.local("a", signature(nil, intType)), first.local("b", signature([]types.Type{StringType}, StringType))
	second, third := first.nested("1"), first.nested("2")
	second.result("", intType)
	k2, text := second.capture(k1), third.param("k", StringType)
	third.result("", StringType)
	second.does(&AssignOp{Op: token.ADD, Dst: Use(k2), X: number(1)}, returns(Use(k2)))
	third.does(returns(sum(Use(text), Use(text))))
	letter := typed(StringType, constant.MakeString("x"))
	first.does(
		&AssignOp{Op: token.ADD, Dst: Use(k1), X: Use(n1)}, &Declare{Local: a, X: literal(second.Func)}, &Declare{Local: b, X: literal(third.Func)},
		returns(sum(&Call{Typed: of(intType), Value: Use(a)}, predeclared(intType, "len", &Call{Typed: of(StringType), Value: Use(b), Args: []Expr{letter}}))),
	)
	return f.does(&Declare{Local: k, X: Use(n)}, returns(literal(first.Func)))
}

var functionPrograms = []shown{
	{"literals follow the function that has them, outer ones first", func() *Program {
		f := counting()
		again := declared("main.again")
		one, two := again.nested("func1"), again.nested("func2")
		inner := one.nested("1")
		inner.does()
		one.does(discard(literal(inner.Func)))
		two.does()
		return numbered(programOf(f, again.does(discard(literal(one.Func)), discard(literal(two.Func)))))
	}},
	{"variables that share a name have their index", func() *Program {
		f := declared("main.f")
		x, blank := f.param("x", intType), f.param("_", intType)
		shadow, deeper, temporary, other, single := f.local("x", StringType), f.boxed("x", boolType), f.local("", intType), f.local("_", intType), f.local("y", intType)
		l := f.nested("func1")
		inner := l.capture(deeper)
		l.does(discard(Use(inner)))
		return numbered(programOf(f.does(
			&Declare{Local: shadow}, &Declare{Local: deeper}, set(temporary, Use(x)), set(other, sum(Use(temporary), Use(blank))), &Declare{Local: single, X: Use(other)}, discard(literal(l.Func)),
		)))
	}},
	{"odd names are shown as they are", func() *Program {
		f := declared("main.(*größe[...]).%d%%")
		x, y := f.param("ответ", declaredType("main", "größe", intType)), f.param("$0", AnyType)
		z := f.local("func", declaredType("example.com/v2/%s", "T", structOf(field("世界", intType))))
		again := &Label{ID: -1, Name: "%v", Jumped: true}
		return numbered(programOf(f.does(
			&Declare{Local: z}, discard(Use(x)), discard(Use(y)), discard(fieldOf(Use(z), 0)), discard(&GlobalExpr{of(intType), &Global{Name: "%!", Type: intType}}),
			discard(&FuncExpr{of(emptySig), &FuncRef{Name: "main.init.0", Sig: emptySig}}), &Labeled{Label: again, Body: blockOf()}, &Goto{Label: again},
		)))
	}},
	{"notes follow the signature", func() *Program {
		recovers, wrapper, all := declared("main.recovers"), declared("main.(*T).wrapper"), declared("main.all")
		recovers.Recovers, wrapper.Wrapper = true, true
		all.Defers, all.Recovers, all.Wrapper, all.Iteration = true, true, true, true
		return numbered(programOf(recovers.does(&Eval{X: predeclared(AnyType, "recover")}), wrapper.does(), all.does()))
	}},
	{"parameters and results", func() *Program {
		f := declared("main.f")
		f.param("", intType)
		f.param("_", types.NewSlice(AnyType))
		p := f.param("p", types.NewPointer(pointType))
		p.Boxed = true
		f.result("", pairType)
		f.result("err", errorType).Boxed = true
		g := declared("main.g")
		g.result("", intType)
		return programOf(f.does(), g.does(returns(number(1))))
	}},
	{"long line numbers move the text", func() *Program {
		f := declared("main.f")
		n := f.param("n", intType)
		p := numbered(programOf(f.does(set(n, number(1)), blockOf(set(n, number(2))))))
		f.Fset.File(f.Pos).AddLineColumnInfo(0, "cell", 9998, 1)
		return p
	}},
	{"nodes without positions have no line", func() *Program {
		f := statements()
		n := f.local("n", intType)
		p := numbered(&Program{Body: f.does(&Declare{Local: n}, set(n, number(1)))})
		f.Pos, f.Body.List[0].(*Declare).P = 0, 0
		return p
	}},
	{"positions without a file set have no line", func() *Program {
		p := numbered(programOf(declared("main.f").does(discard(number(1)))))
		p.Funcs[0].Fset = nil
		return p
	}},
	{"literals in sequences and arguments", func() *Program {
		f := declared("main.f")
		a, b, c := f.nested("func1"), f.nested("func2"), f.nested("func3")
		temporary := f.local("", emptySig)
		for _, l := range []sketch{a, b, c} {
			l.does()
		}
		seq := &Seq{of(emptySig), []Stmt{set(temporary, literal(b.Func))}, literal(c.Func)}
		call := &Call{Typed: of(nothing), Ref: refOf(emptySig, emptySig), Args: []Expr{literal(a.Func), seq}}
		return numbered(programOf(f.does(&Eval{X: call}, discard(Use(temporary)))))
	}},
	{"each function numbers its sequences anew", func() *Program {
		f := declared("main.f")
		l := f.nested("func1")
		seq := func(n int64) Expr { return &Seq{of(intType), []Stmt{discard(number(n))}, number(n)} }
		l.does(discard(sum(seq(3), seq(4))))
		return numbered(programOf(f.does(discard(sum(seq(1), seq(2))), discard(literal(l.Func)))))
	}},
}

var missingPrograms = []shown{
	{"operands", func() *Program {
		return discarding(
			nil, &Unary{of(intType), token.SUB, nil}, &Binary{of(intType), token.ADD, nil, number(1)}, &Compare{of(boolType), token.EQL, number(1), nil}, &Logic{of(boolType), token.LOR, nil, nil},
			&Deref{of(intType), nil}, &Field{of(intType), nil, 3}, &Elem{of(intType), nil, nil}, &MapElem{of(intType), nil, nil, true}, &AddrOf{of(intType), nil}, &SliceExpr{Typed: of(sliceType)},
			&SliceExpr{Typed: of(sliceType), Max: number(1)}, &Convert{of(intType), nil}, &MakeInterface{of(AnyType), nil}, &ChangeInterface{of(AnyType), nil}, &Assert{of(intType), nil, nil, true}, &IsType{of(boolType), nil, nil},
			&Recv{of(intType), nil, false}, &Composite{of(pointType), []Element{{}}, 0}, &Seq{of(intType), nil, nil}, &Bind{Typed: of(emptySig), Ref: refOf()}, predeclared(intType, "len", nil), predeclared(nil, "make"), predeclared(intType, "", nil, nil),
		)
	}},
	{"callees, variables and types", func() *Program {
		return discarding(
			&LocalExpr{of(intType), nil}, &GlobalExpr{of(intType), nil}, &FuncExpr{of(emptySig), nil}, ZeroOf(nil, 0), &Call{Typed: of(nothing)}, &Call{Typed: of(nothing), Args: []Expr{nil, number(1)}},
			&Call{Typed: of(nothing), Inline: &Func{}}, &Convert{of(nil), number(1)}, &Call{Typed: of(nothing), Method: &MethodCall{nil, stringMethod}}, &Call{Typed: of(nothing), Method: &MethodCall{ZeroOf(errorType, 0), nil}},
			&Const{of(intType), nil}, &Const{of(float64Type), nil}, &Const{of(float64Type), constant.MakeUnknown()}, &ExternExpr{Typed: of(emptySig)}, &ExternExpr{of(emptySig), nil, []types.Type{intType}}, &FuncLit{Typed: of(emptySig)},
			&Bind{Typed: of(emptySig)}, &Bind{Typed: of(emptySig), Method: &MethodCall{}},
		)
	}},
	{"fields that do not exist", func() *Program {
		c := newScope()
		elems := []Element{{Index: 2, Value: number(1)}, {Index: -1, Value: number(1)}}
		return c.discards(&Field{of(intType), Use(c.n), 2}, &Field{of(intType), Use(c.point), 2}, &Field{of(intType), Use(c.point), -1}, &Composite{of(pointType), elems, 0})
	}},
	{"parts of statements", func() *Program {
		f := declared("main.f")
		return programOf(f.does(
			&Declare{}, &Assign{}, &AssignOp{Op: token.ADD}, &AssignAll{}, &Eval{}, &Send{}, &Go{}, &Defer{}, returns(nil), &Break{}, &Continue{}, &Goto{}, &Hook{}, &Mark{Vars: []*Local{nil}},
			&Labeled{Body: &Block{}}, &If{}, &For{Fresh: []*Local{nil}}, &RangeInt{}, &RangeSlice{}, &RangeString{}, &RangeMap{}, &RangeChan{},
			&Switch{Cases: []*Case{{Conds: []Expr{nil}}, {Default: true}}}, &Select{Cases: []*Comm{{}, {Ch: number(1)}, {Value: number(1)}}},
		))
	}},
	{"bodies and signatures", func() *Program { return &Program{Funcs: []*Func{{}, {Name: "main.f"}}, Body: &Func{Name: CellName}} }},
	{"locals", func() *Program {
		x := &Local{Name: "x"}
		return programOf(&Func{Name: "main.f", Params: []*Local{nil, x}, Captures: []*Local{nil}, Locals: []*Local{x, nil}})
	}},
}
