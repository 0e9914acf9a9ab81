package ir

import (
	"go/constant"
	"go/token"
	"go/types"
)

var wholePrograms = []shown{
	{"nothing", func() *Program { return &Program{} }},
	{"statements alone", func() *Program {
		f := statements()
		x := f.local("x", intType)
		return numbered(&Program{Body: f.does(&Declare{Local: x, X: number(1)}, CallHook(nil, Use(x)))})
	}},
	{"a cell without statements", func() *Program { return numbered(&Program{Body: statements().does()}) }},
	{"functions alone", func() *Program {
		return numbered(programOf(declared("main.a").does(), declared("main.b").does(returns())))
	}},
	{"statements follow the functions", func() *Program {
		f, cell := declared("main.f"), statements()
		l := cell.nested("func1")
		f.does()
		l.does(&Eval{X: callTo(f.Func)})
		return numbered(&Program{Funcs: []*Func{f.Func}, Body: cell.does(&Go{Call: &Call{Typed: of(nothing), Value: literal(l.Func)}})})
	}},
	{"everything together, with marks of calls", func() *Program {
		p := together()
		Inline(p, func(*FuncRef) *Func { return nil })
		return p
	}},
}

// together returns a program with a generic function, a method, its wrapper, a function with
// literals and the statements of a cell.
func together() *Program {
	total := &Global{Name: "total", Type: intType}
	biggest, length, wrapper := largest(), lineLength(), declared("main.(*Line).Length")
	recv := wrapper.param("l", types.NewPointer(lineType))
	wrapper.result("", intType)
	wrapper.Wrapper = true
	wrapper.does(returns(callTo(length, deref(Use(recv)))))
	worker := workers(biggest, total)
	cell := statements()
	line, sums := cell.boxed("line", lineType), cell.local("", types.NewSlice(intType))
	global := func() Expr { return &GlobalExpr{of(intType), total} }
	return numbered(&Program{Funcs: []*Func{biggest, length, wrapper.Func, worker}, Body: cell.does(
		&Declare{Local: line, X: &Composite{of(lineType), []Element{{Index: 1, Value: &Composite{of(pointType), []Element{{Index: 0, Value: number(3)}}, 0}}}, 0}},
		set(sums, &Composite{of(types.NewSlice(intType)), []Element{{Index: 0, Value: callTo(wrapper.Func, address(Use(line)))}, {Index: 1, Value: callTo(length, Use(line))}}, 2}),
		&Assign{Dst: global(), X: callTo(biggest, Use(sums), number(0))}, &Eval{X: callTo(worker, Use(sums))},
		&If{Cond: &Compare{of(boolType), token.NEQ, global(), number(0)}, Then: blockOf(CallHook(nil, global()))},
	)})
}

// largest is an instance of a generic function. It returns the largest element of a slice, or
// least.
func largest() *Func {
	f := declared("main.largest[...]")
	list, least := f.param("list", types.NewSlice(intType)), f.param("least", intType)
	f.result("", intType)
	x, loop := f.local("x", intType), &Label{ID: 1}
	greater := &Compare{of(boolType), token.GTR, Use(x), Use(least)}
	return f.does(
		&RangeSlice{Label: loop, X: Use(list), Elem: x, Body: blockOf(&If{Cond: greater, Then: blockOf(set(least, Use(x))), Else: blockOf(&Continue{Label: loop})})},
		returns(Use(least)),
	)
}

// lineLength is a method with a value receiver.
func lineLength() *Func {
	f := declared("main.Line.Length")
	l := f.param("l", lineType)
	f.result("", intType)
	return f.does(returns(&Binary{of(intType), token.SUB, fieldOf(fieldOf(Use(l), 1), 0), fieldOf(fieldOf(Use(l), 0), 0)}))
}

// workers starts a goroutine for each element of a slice and waits for the results:
//
//	func work(list []int) (err any) {
//		defer func() { err = recover() }()
//		results, done := make(chan int), false
//		for i := range list {
//			go func() { results <- largest(list[i:], 0) }()
//		}
//	receiving:
//		for !done {
//			select {
//			case x, ok := <-results:
//				if !ok || x < 0 && list[x] == 0 {
//					break receiving
//				}
//				total += x
//			default:
//				done = len(results) == 0
//			}
//		}
//		return nil
//	}
func workers(biggest *Func, total *Global) *Func {
	f := declared("main.work")
	list := f.param("list", types.NewSlice(intType))
	err := f.result("err", AnyType)
	err.Boxed, f.Defers = true, true
	results, done, i := f.local("results", types.NewChan(types.SendRecv, intType)), f.local("done", boolType), f.local("i", intType)
	x, ok, index := f.local("x", intType), f.local("ok", boolType), f.local("", intType)
	deferred, sender := f.nested("func1"), f.nested("func2")
	caught := deferred.capture(err)
	deferred.Recovers = true
	deferred.does(set(caught, predeclared(AnyType, "recover")))
	to, from, start := sender.capture(results), sender.capture(list), sender.capture(i)
	sender.does(&Send{Ch: Use(to), X: callTo(biggest, &SliceExpr{of(list.Type), Use(from), Use(start), nil, nil}, number(0))})
	receiving, loop, waiting := &Label{ID: 1, Name: "receiving"}, &Label{ID: 2}, &Label{ID: 3}
	negative := &Seq{of(boolType), []Stmt{set(index, elemOf(Use(list), Use(x)))}, equal(Use(index), number(0))}
	end := &Logic{of(boolType), token.LOR, &Unary{of(boolType), token.NOT, Use(ok)}, &Logic{of(boolType), token.LAND, &Compare{of(boolType), token.LSS, Use(x), number(0)}, negative}}
	wait := &Select{Label: waiting, Cases: []*Comm{
		{Ch: Use(results), Elem: x, Ok: ok, Body: blockOf(&If{Cond: end, Then: blockOf(&Break{Label: loop})}, &AssignOp{Op: token.ADD, Dst: &GlobalExpr{of(intType), total}, X: Use(x)})},
		{Body: blockOf(set(done, equal(predeclared(intType, "len", Use(results)), number(0))))},
	}}
	return f.does(
		&Defer{Call: &Call{Typed: of(nothing), Value: literal(deferred.Func)}},
		&Declare{Local: results, X: predeclared(results.Type, "make")}, &Declare{Local: done, X: typed(boolType, constant.MakeBool(false))},
		&RangeInt{Label: &Label{ID: 4}, N: predeclared(intType, "len", Use(list)), Key: i, Body: blockOf(&Go{Call: &Call{Typed: of(nothing), Value: literal(sender.Func)}})},
		&Labeled{Label: receiving, Body: &For{Label: loop, Cond: &Unary{of(boolType), token.NOT, Use(done)}, Body: blockOf(wait)}},
		returns(ZeroOf(AnyType, 0)),
	)
}
