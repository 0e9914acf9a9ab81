package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
)

// A scope is a function with parameters of many types. It keeps those that its body mentions.
type scope struct {
	sketch
	n, text, yes, value, failure, point, line, pointer, slice, table, grid, gridPointer, channel, run, raw, float, complex *Local
}

func newScope() *scope {
	c := &scope{sketch: declared("main.f")}
	c.n, c.text, c.yes = c.param("n", intType), c.param("text", StringType), c.param("yes", boolType)
	c.value, c.failure = c.param("value", AnyType), c.param("failure", errorType)
	c.point, c.line, c.pointer = c.param("point", pointType), c.param("line", lineType), c.param("pointer", types.NewPointer(lineType))
	c.slice, c.table = c.param("slice", types.NewSlice(intType)), c.param("table", types.NewMap(StringType, pointType))
	c.grid = c.param("grid", types.NewArray(types.NewArray(intType, 2), 3))
	c.gridPointer, c.channel = c.param("gridPointer", types.NewPointer(c.grid.Type)), c.param("channel", types.NewChan(types.SendRecv, intType))
	c.run, c.raw = c.param("run", emptySig), c.param("raw", types.Typ[types.UnsafePointer])
	c.float, c.complex = c.param("float", float64Type), c.param("complex", types.Typ[types.Complex128])
	for _, l := range []*Local{c.point, c.line, c.grid} {
		l.Boxed = true
	}
	return c
}

// does completes the function with its statements.
func (c *scope) does(body ...Stmt) *Func {
	mentioned := map[*Local]bool{}
	eachNode(reflect.ValueOf(body), func(node reflect.Value) {
		if l, ok := node.Interface().(*Local); ok {
			mentioned[l] = true
		}
	})
	unused := func(l *Local) bool { return slices.Contains(c.Params, l) && !mentioned[l] }
	c.Locals = slices.DeleteFunc(c.Locals, unused)
	c.Params = slices.DeleteFunc(c.Params, func(l *Local) bool { return !mentioned[l] })
	for i, l := range c.Locals {
		l.Index = i
	}
	return c.sketch.does(body...)
}

// discards returns a program that evaluates expressions in the scope.
func (c *scope) discards(list ...Expr) *Program {
	var body []Stmt
	for _, x := range list {
		body = append(body, discard(x))
	}
	return programOf(c.does(body...))
}

// fieldOf returns a field of a struct.
func fieldOf(x Expr, index int) Expr {
	return &Field{of(Under(x.Type()).(*types.Struct).Field(index).Type()), x, index}
}

func elemOf(x, i Expr) Expr { return &Elem{of(elemType(x.Type())), x, i} }

func deref(x Expr) Expr { return &Deref{of(Under(x.Type()).(*types.Pointer).Elem()), x} }

func address(x Expr) Expr { return &AddrOf{of(types.NewPointer(x.Type())), x} }

func entry(m, key Expr) Expr {
	return &MapElem{of(Under(m.Type()).(*types.Map).Elem()), m, key, false}
}

var placePrograms = []shown{
	{"variables of the session, of packages and functions", func() *Program {
		open := types.NewFunc(0, types.NewPackage("os", "os"), "Open", emptySig)
		buffer := declaredType("bytes", "Buffer", structOf())
		recv := types.NewParam(0, nil, "b", types.NewPointer(buffer))
		method := types.NewFunc(0, buffer.Obj().Pkg(), "Reset", types.NewSignatureType(recv, nil, nil, nil, nil, false))
		value := types.NewFunc(0, buffer.Obj().Pkg(), "Len", types.NewSignatureType(types.NewParam(0, nil, "b", buffer), nil, nil, nil, nil, false))
		index := types.NewFunc(0, types.NewPackage("example.com/a/slices", "slices"), "Index", emptySig)
		return discarding(
			&GlobalExpr{of(intType), &Global{Name: "total", Type: intType}}, &GlobalExpr{of(AnyType), &Global{Name: "DefaultClient", Type: AnyType, Path: "net/http"}},
			&FuncExpr{of(emptySig), &FuncRef{Name: "main.(*T).m", Sig: emptySig}}, &FuncExpr{of(emptySig), &FuncRef{Name: "main.Map[...]", Sig: emptySig}},
			&ExternExpr{of(emptySig), open, nil}, &ExternExpr{of(emptySig), method, nil}, &ExternExpr{of(emptySig), value, nil},
			&ExternExpr{of(emptySig), index, []types.Type{types.NewSlice(intType), durationType}},
		)
	}},
	{"fields and elements of fields and elements", func() *Program {
		c := newScope()
		to := fieldOf(deref(Use(c.pointer)), 1)
		return c.discards(
			fieldOf(to, 0), elemOf(fieldOf(Use(c.line), 3), sum(Use(c.n), number(1))), elemOf(elemOf(Use(c.grid), number(2)), Use(c.n)), elemOf(elemOf(Use(c.gridPointer), number(0)), number(1)),
			fieldOf(entry(Use(c.table), Use(c.text)), 1), entry(Use(c.table), elemOf(fieldOf(Use(c.line), 3), number(0))), elemOf(Use(c.text), elemOf(Use(c.slice), Use(c.n))),
			fieldOf(Use(c.line), 2),
		)
	}},
	{"addresses", func() *Program {
		c := newScope()
		literal := &Composite{of(pointType), []Element{{Index: 0, Value: number(1)}}, 0}
		return c.discards(
			address(Use(c.point)), address(fieldOf(fieldOf(Use(c.line), 0), 1)), address(elemOf(elemOf(Use(c.grid), number(1)), Use(c.n))), address(elemOf(Use(c.slice), number(0))),
			address(fieldOf(deref(Use(c.pointer)), 3)), address(deref(Use(c.pointer))), address(&GlobalExpr{of(intType), &Global{Name: "total", Type: intType}}),
			address(literal), address(&Composite{Typed: of(types.NewSlice(intType))}), fieldOf(deref(address(Use(c.point))), 0),
		)
	}},
	{"slices with all bounds", func() *Program {
		c := newScope()
		part := func(x *Local, lo, hi, most Expr) Expr {
			t := x.Type
			if x == c.gridPointer {
				t = types.NewSlice(types.NewArray(intType, 2))
			}
			return &SliceExpr{of(t), Use(x), lo, hi, most}
		}
		n := func() Expr { return Use(c.n) }
		return c.discards(
			part(c.slice, nil, nil, nil), part(c.slice, n(), nil, nil), part(c.slice, nil, n(), nil), part(c.slice, number(1), n(), nil), part(c.slice, nil, n(), number(9)),
			part(c.slice, number(0), sum(n(), number(1)), number(9)), part(c.text, n(), nil, nil), part(c.gridPointer, nil, number(2), nil),
		)
	}},
}

var operationPrograms = []shown{
	{"operators of one operand", func() *Program {
		c := newScope()
		return c.discards(
			&Unary{of(intType), token.SUB, Use(c.n)}, &Unary{of(float64Type), token.ADD, Use(c.float)}, &Unary{of(intType), token.XOR, Use(c.n)}, &Unary{of(boolType), token.NOT, Use(c.yes)},
			&Unary{of(intType), token.SUB, &Unary{of(intType), token.SUB, number(-1)}}, &Unary{of(boolType), token.NOT, equal(Use(c.n), number(0))},
		)
	}},
	{"operators of two operands are in parentheses", func() *Program {
		c := newScope()
		var list []Expr
		for _, op := range []token.Token{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL, token.SHR} {
			list = append(list, &Binary{of(intType), op, Use(c.n), &Binary{of(intType), op, number(1), number(-2)}})
		}
		for _, op := range []token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ} {
			list = append(list, &Compare{of(boolType), op, Use(c.text), typed(StringType, constant.MakeString(op.String()))})
		}
		and := &Logic{of(boolType), token.LAND, Use(c.yes), &Logic{of(boolType), token.LOR, Use(c.yes), BoolConst(false, 0)}}
		return c.discards(append(list, and, sum(sum(Use(c.text), Use(c.text)), Use(c.text)), equal(Use(c.run), ZeroOf(emptySig, 0)))...)
	}},
	{"conversions and tests of types", func() *Program {
		c := newScope()
		return c.discards(
			&Convert{of(celsiusType), &Convert{of(float64Type), Use(c.n)}}, &Convert{of(types.NewSlice(uint8Type)), Use(c.text)}, &Convert{of(types.NewPointer(pointType)), Use(c.raw)},
			&MakeInterface{of(AnyType), Use(c.pointer)}, &ChangeInterface{of(AnyType), Use(c.failure)}, &ChangeInterface{of(readerType), &ChangeInterface{of(AnyType), Use(c.failure)}},
			&Assert{of(pairType), Use(c.value), pairType, false}, &IsType{of(boolType), Use(c.value), types.NewPointer(pointType)}, &IsType{of(boolType), Use(c.failure), nil}, &Recv{of(intType), Use(c.channel), false},
		)
	}},
	{"values with ok", func() *Program {
		c := newScope()
		return c.evals(
			&MapElem{of(Pair(pointType)), Use(c.table), typed(StringType, constant.MakeString("k")), true}, &Assert{of(Pair(errorType)), Use(c.value), errorType, true}, &Recv{of(Pair(intType)), Use(c.channel), true},
		)
	}},
	{"composite literals", func() *Program {
		c := newScope()
		point := func(x, y int64) Expr {
			return &Composite{of(pointType), []Element{{Index: 0, Value: number(x)}, {Index: 1, Value: number(y)}}, 0}
		}
		texts, points := types.NewSlice(StringType), types.NewMap(pointType, types.NewSlice(pointType))
		pair := &Composite{of(pairType), []Element{{Index: 1, Value: Use(c.n)}, {Index: 0, Value: Use(c.text)}}, 0}
		anonymous := structOf(field("A", intType), field("b", types.NewArray(boolType, 4)))
		return c.discards(
			&Composite{of(lineType), []Element{{Index: 1, Value: point(3, 4)}, {Index: 2, Value: Use(c.text)}, {Index: 3, Value: &Composite{of(texts), nil, 0}}}, 0},
			&Composite{of(types.NewSlice(pointType)), []Element{{Index: 7, Value: point(1, 2)}, {Index: 2, Value: ZeroOf(pointType, 0)}}, 100},
			&Composite{of(types.NewArray(intType, 3)), []Element{{Index: 2, Value: number(5)}}, 3}, &Composite{of(points), []Element{{Key: point(0, 0), Value: &Composite{of(types.NewSlice(pointType)), nil, 0}}}, 0},
			&Composite{of(points), nil, 0}, &Composite{of(pointType), nil, 0}, &Composite{of(types.NewArray(intType, 3)), nil, 3}, pair,
			&Composite{of(anonymous), []Element{{Index: 1, Value: &Composite{of(types.NewArray(boolType, 4)), []Element{{Index: 3, Value: Use(c.yes)}}, 4}}}, 0},
		)
	}},
	{"sequences are shown after the line that has them", func() *Program {
		c := newScope()
		a, b := c.local("", intType), c.local("", intType)
		seq := func(l *Local, x Expr) Expr { return &Seq{of(intType), []Stmt{set(l, x)}, Use(l)} }
		inner := &Seq{of(intType), []Stmt{set(a, number(1)), set(b, seq(a, number(2)))}, sum(seq(b, number(3)), Use(a))}
		second := &Seq{of(boolType), nil, Use(c.yes)}
		return numbered(programOf(c.does(
			discard(sum(seq(a, number(4)), inner)),
			&If{Cond: second, Then: blockOf(discard(seq(a, number(5))))},
			returns(),
		)))
	}},
}

var callPrograms = []shown{
	{"callees of every kind", func() *Program {
		c := newScope()
		write := types.NewFunc(0, types.NewPackage("fmt", "fmt"), "Sprint", signature([]types.Type{AnyType}, StringType))
		message := func() *MethodCall { return &MethodCall{Use(c.failure), errorMethod()} }
		pair := pairRef()
		inlined := &Func{Name: pair.Name, Ref: pair, Cost: 1}
		return c.evals(
			&Call{Typed: of(StringType), Extern: &ExternExpr{of(write.Signature()), write, nil}, Args: []Expr{Use(c.value)}}, &Call{Typed: of(StringType), Method: message()},
			&Call{Typed: of(float64Type), Method: &MethodCall{ZeroOf(durationType, 0), secondsMethod}}, sum(c.one(), c.one()),
			&Bind{of(errorMethod().Signature()), nil, nil, message()}, &Bind{of(emptySig), &FuncRef{Name: "main.(*Line).Draw", Sig: signature([]types.Type{c.pointer.Type})}, Use(c.pointer), nil},
			&MakeInterface{of(AnyType), &Bind{of(signature(nil, float64Type)), nil, nil, &MethodCall{ZeroOf(durationType, 0), secondsMethod}}},
			&Call{Typed: of(nothing), Value: Use(c.run)}, &Call{Typed: of(nothing), Value: &Assert{of(emptySig), Use(c.value), emptySig, false}},
			&Call{Typed: of(pair.Sig.Results()), Ref: pair, Inline: inlined, Args: []Expr{c.one()}}, &Call{Typed: of(nothing), Ref: refOf(intType, StringType, boolType), Args: []Expr{number(1), Use(c.text), Use(c.yes)}},
		)
	}},
	{"predeclared functions", func() *Program {
		c := newScope()
		u := func(l *Local) Expr { return Use(l) }
		byteSlice, bytePointer := types.NewSlice(uint8Type), types.NewPointer(uint8Type)
		spread := predeclared(byteSlice, "append", ZeroOf(byteSlice, 0), u(c.text))
		spread.Spread = true
		c.Recovers = true
		return c.evals(
			predeclared(c.slice.Type, "append", u(c.slice)), predeclared(c.slice.Type, "append", u(c.slice), number(1), u(c.n)), spread, predeclared(intType, "cap", u(c.channel)), predeclared(nothing, "clear", u(c.table)),
			predeclared(nothing, "close", u(c.channel)), predeclared(c.complex.Type, "complex", u(c.float), u(c.float)), predeclared(intType, "copy", ZeroOf(byteSlice, 0), u(c.text)), predeclared(c.raw.Type, "defers"),
			predeclared(nothing, "delete", u(c.table), u(c.text)), predeclared(float64Type, "imag", u(c.complex)), predeclared(float64Type, "real", u(c.complex)), predeclared(intType, "len", u(c.text)),
			predeclared(c.slice.Type, "make", u(c.n), number(9)), predeclared(c.table.Type, "make"), predeclared(c.channel.Type, "make", number(1)), predeclared(types.NewPointer(pointType), "new"), predeclared(types.NewPointer(intType), "new", u(c.n)),
			predeclared(float64Type, "max", u(c.float)), predeclared(StringType, "min", u(c.text), u(c.text), u(c.text)), predeclared(nothing, "panic", u(c.value)), predeclared(AnyType, "recover"),
			predeclared(nothing, "print"), predeclared(nothing, "println", u(c.n), u(c.text)), predeclared(AnyType, "plainError", u(c.text)), predeclared(AnyType, "runtimeError", u(c.text)),
			predeclared(c.raw.Type, "Add", u(c.raw), u(c.n)), predeclared(byteSlice, "Slice", ZeroOf(bytePointer, 0), u(c.n)), predeclared(types.NewPointer(intType), "SliceData", u(c.slice)),
			predeclared(StringType, "String", ZeroOf(bytePointer, 0), u(c.n)), predeclared(bytePointer, "StringData", u(c.text)),
		)
	}},
}

// evals returns a program that evaluates expressions for their effects.
func (c *scope) evals(list ...Expr) *Program {
	var body []Stmt
	for _, x := range list {
		body = append(body, &Eval{X: x})
	}
	return programOf(c.does(body...))
}

// one returns a call with one result.
func (c *scope) one() Expr {
	return &Call{Typed: of(intType), Ref: &FuncRef{Name: "main.one", Sig: signature(nil, intType)}}
}
