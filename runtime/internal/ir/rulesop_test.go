package ir

import (
	"go/token"
	"go/types"
	"testing"
)

func TestRulesOfConversions(t *testing.T) {
	missing := types.NewFunc(0, types.NewPackage("fmt", "fmt"), "Missing", stringMethod.Signature())
	checkRules(t, []rule{
		{"plain conversion to an interface", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Convert{of(pick[types.Type](ok, float64Type, AnyType)), Use(e.n)})
		}, "a plain conversion from int to any"},
		{"plain conversion of an interface", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Convert{of(intType), Use(pick(ok, e.float, e.any))})
		}, "a plain conversion from any to int"},
		{"conversion", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Convert{of(types.NewSlice(uint8Type)), Use(pick(ok, e.text, e.slice))})
		}, "a []int cannot become a []uint8"},
		{"value of an interface", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&MakeInterface{of(AnyType), Use(pick(ok, e.n, e.failure))})
		}, "an interface value of type any of a error"},
		{"type of an interface value", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&MakeInterface{of(pick[types.Type](ok, AnyType, float64Type)), Use(e.n)})
		}, "an interface value of type float64 of a int"},
		{"interface to interface", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&ChangeInterface{of(AnyType), Use(pick(ok, e.failure, e.n))})
		}, "an interface conversion from int to any"},
		{"methods of an interface", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&ChangeInterface{of(pick[types.Type](ok, AnyType, errorType)), Use(e.any)})
		}, "a any does not implement error"},
		{"assertion and ok", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Assert{of(pick[types.Type](ok, Pair(intType), Pair(StringType))), Use(e.any), intType, true})
		}, "the value of a comma-ok expression: (string, bool) where (int, bool) is required"},
		{"assertion to nothing", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Assert{of(intType), Use(e.any), pick[types.Type](ok, intType, nil), false})
		}, "a type is missing"},
		{"operand of a type test", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&IsType{of(boolType), Use(pick(ok, e.any, e.text)), nil})
		}, "a test of the dynamic type of a string"},
		{"type of a type test", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&IsType{of(pick[types.Type](ok, boolType, intType)), Use(e.any), intType})
		}, "a test of type int"},
		{"method", func(e *ruleEnv, ok bool) []Stmt {
			m := &MethodCall{Use(e.failure), pick(ok, errorMethod(), missing)}
			return eval(&Call{Typed: of(StringType), Method: m})
		}, "a error has no method Missing"},
		{"no method", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Call{Typed: of(StringType), Method: &MethodCall{Use(e.failure), pick(ok, errorMethod(), nil)}})
		}, "a method is missing"},
		{"method value", func(e *ruleEnv, ok bool) []Stmt {
			m := &MethodCall{Use(e.failure), errorMethod()}
			return eval(&Bind{of(errorMethod().Signature()), pick(ok, nil, refOf(intType)), nil, m})
		}, "a method value has no method or two"},
		{"receiver of a method value", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Bind{of(emptySig), pick(ok, refOf(intType), refOf()), Use(e.n), nil})
		}, "the method of a method value has no receiver"},
		{"type of a receiver", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Bind{of(emptySig), refOf(intType), Use(pick(ok, e.n, e.text)), nil})
		}, "a receiver: string where int is required"},
		{"type of a method value", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Bind{of(emptySig), pick(ok, refOf(intType), refOf(intType, intType)), Use(e.n), nil})
		}, "a method value: func() where func(int) is required"},
	})
}

// errorMethod is the method Error of error.
func errorMethod() *types.Func {
	return errorType.Underlying().(*types.Interface).Method(0)
}

func TestRulesOfOperators(t *testing.T) {
	binary := func(op token.Token, name string, legal, broken func(e *ruleEnv) *Local) rule {
		return rule{op.String() + " of " + name, func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, legal, broken)(e)
			return eval(&Binary{of(l.Type), op, Use(l), Use(l)})
		}, op.String() + " of a " + name}
	}
	n := func(e *ruleEnv) *Local { return e.n }
	float := func(e *ruleEnv) *Local { return e.float }
	text := func(e *ruleEnv) *Local { return e.text }
	flag := func(e *ruleEnv) *Local { return e.flag }
	complex := func(e *ruleEnv) *Local { return e.complex }
	unary := func(op token.Token, name string, legal, broken func(e *ruleEnv) *Local) rule {
		return rule{op.String() + name, func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, legal, broken)(e)
			return eval(&Unary{of(l.Type), op, Use(l)})
		}, op.String() + " of a " + name}
	}
	compare := func(op token.Token, name string, legal, broken func(e *ruleEnv) *Local) rule {
		return rule{op.String() + name, func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, legal, broken)(e)
			return eval(&Compare{of(boolType), op, Use(l), Use(l)})
		}, op.String() + " of a " + name}
	}
	checkRules(t, []rule{
		binary(token.ADD, "bool", text, flag), binary(token.SUB, "string", float, text), binary(token.MUL, "string", complex, text), binary(token.QUO, "bool", complex, flag),
		binary(token.REM, "float64", n, float), binary(token.AND, "float64", n, float), binary(token.OR, "bool", n, flag), binary(token.XOR, "complex128", n, complex),
		binary(token.AND_NOT, "string", n, text), binary(token.SHL, "float64", n, func(e *ruleEnv) *Local { return e.float }).shiftedBy(), binary(token.LAND, "int", n, n).never(),
		unary(token.SUB, "string", complex, text), unary(token.ADD, "bool", float, flag), unary(token.XOR, "float64", n, float), unary(token.NOT, "int", flag, n), unary(token.MUL, "int", n, n).never(),
		compare(token.LSS, "complex128", float, complex), compare(token.GEQ, "bool", text, flag), compare(token.LEQ, "error", n, func(e *ruleEnv) *Local { return e.failure }),
		compare(token.EQL, "map[string]int", complex, func(e *ruleEnv) *Local { return e.table }), compare(token.NEQ, "func()", func(e *ruleEnv) *Local { return e.array }, func(e *ruleEnv) *Local { return e.function }),
		{"comparison with nil", func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, e.function, e.slice)
			return eval(&Compare{of(boolType), token.EQL, Use(l), pick(ok, ZeroOf(l.Type, 0), Expr(Use(e.slice)))})
		}, "== of a []int"},
		{"no comparison", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Compare{of(boolType), pick(ok, token.NEQ, token.ADD), Use(e.n), Use(e.n)})
		}, "+ is no comparison"},
		{"type of a comparison", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Compare{of(pick[types.Type](ok, boolType, intType)), token.EQL, Use(e.n), Use(e.n)})
		}, "a comparison of type int"},
		{"operands of a comparison", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Compare{of(boolType), token.EQL, Use(e.n), Use(pick(ok, e.n, e.float))})
		}, "an operand of a comparison: float64 where int is required"},
		{"operands of logic", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Logic{of(boolType), token.LOR, boolean(), pick(ok, boolean(), Expr(Use(e.n)))})
		}, "an operand: int where bool is required"},
		{"operator of logic", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Logic{of(boolType), pick(ok, token.LAND, token.AND), boolean(), boolean()})
		}, "& of bool"},
		{"value of a sequence", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Seq{of(intType), list(&Assign{Dst: Use(e.later), X: number(1)}), Use(pick(ok, e.later, e.text))})
		}, "the value of a sequence: string where int is required"},
		{"receive and ok", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Recv{of(Pair(intType)), Use(e.in), pick(ok, true, false)})
		}, "the value of a comma-ok expression: (int, bool) where int is required"},
	})
}

// shiftedBy changes a rule of an operator to one of a shift by an int.
func (r rule) shiftedBy() rule {
	r.of = func(e *ruleEnv, ok bool) []Stmt {
		l := pick(ok, e.n, e.float)
		return eval(&Binary{of(l.Type), token.SHL, Use(l), Use(e.n)})
	}
	return r
}

// never changes the legal statements of a rule of an operator without any operands to none.
func (r rule) never() rule {
	broken := r.of
	r.of = func(e *ruleEnv, ok bool) []Stmt {
		if ok {
			return nil
		}
		return broken(e, false)
	}
	return r
}

func TestRulesOfComposites(t *testing.T) {
	composite := func(t types.Type, n int64, elems ...Element) Expr { return &Composite{of(t), elems, n} }
	checkRules(t, []rule{
		{"field", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(pointType, 0, Element{Index: pick[int64](ok, 1, 2), Value: number(1)}))
		}, "field 2 of a Point"},
		{"type of a field", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(pointType, 0, Element{Index: 1, Value: Use(pick(ok, e.n, e.text))}))
		}, "a field: string where int is required"},
		{"index", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(sliceType, 3, Element{Index: pick[int64](ok, 2, 3), Value: number(1)}))
		}, "element 3 of 3"},
		{"type of an element", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(arrayType, 3, Element{Index: 2, Value: Use(pick(ok, e.n, e.text))}))
		}, "an element: string where int is required"},
		{"length of an array", func(e *ruleEnv, ok bool) []Stmt { return eval(composite(arrayType, pick[int64](ok, 3, 4))) }, "an array of length 3 has 4 elements"},
		{"key", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(mapType, 0, Element{Key: Use(pick(ok, e.text, e.n)), Value: number(1)}))
		}, "a key: int where string is required"},
		{"value", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(mapType, 0, Element{Key: Use(e.text), Value: Use(pick(ok, e.n, e.text))}))
		}, "a value of a map: string where int is required"},
		{"key of a slice", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(sliceType, 1, Element{Key: pick(ok, nil, number(0)), Value: number(1)}))
		}, "the element 0 stands twice or has a key"},
		{"type", func(e *ruleEnv, ok bool) []Stmt {
			return eval(composite(pick[types.Type](ok, mapType, types.NewPointer(pointType)), 0))
		}, "a composite literal of type *Point"},
	})
}

func TestRulesOfPredeclaredFunctions(t *testing.T) {
	one := func(name string, t types.Type, legal, broken func(e *ruleEnv) Expr, want string) rule {
		return rule{name, func(e *ruleEnv, ok bool) []Stmt { return eval(predeclared(t, name, pick(ok, legal, broken)(e))) }, want}
	}
	two := func(name string, t types.Type, legal, broken func(e *ruleEnv) (x, y Expr), want string) rule {
		return rule{name, func(e *ruleEnv, ok bool) []Stmt {
			x, y := pick(ok, legal, broken)(e)
			return eval(predeclared(t, name, x, y))
		}, want}
	}
	use := func(get func(e *ruleEnv) *Local) func(e *ruleEnv) Expr {
		return func(e *ruleEnv) Expr { return Use(get(e)) }
	}
	pair := func(get func(e *ruleEnv) (x, y *Local)) func(e *ruleEnv) (x, y Expr) {
		return func(e *ruleEnv) (Expr, Expr) { x, y := get(e); return Use(x), Use(y) }
	}
	n, text := use(func(e *ruleEnv) *Local { return e.n }), use(func(e *ruleEnv) *Local { return e.text })
	slice, table := use(func(e *ruleEnv) *Local { return e.slice }), use(func(e *ruleEnv) *Local { return e.table })
	both, pointer := use(func(e *ruleEnv) *Local { return e.both }), use(func(e *ruleEnv) *Local { return e.pointer })
	complex, value := use(func(e *ruleEnv) *Local { return e.complex }), use(func(e *ruleEnv) *Local { return e.any })
	checkRules(t, []rule{
		one("cap", intType, slice, n, "cap of (int) gives no int"), one("len", intType, table, pointer, "len of (*Point) gives no int"), one("clear", nothing, table, text, "clear of (string) gives no ()"),
		one("close", nothing, both, slice, "close of ([]int) gives no ()"), one("imag", float64Type, complex, n, "imag of (int) gives no float64"), one("real", float64Type, complex, text, "real of (string) gives no float64"),
		one("panic", nothing, value, text, "panic of (string) gives no ()"), one("plainError", AnyType, text, n, "plainError of (int) gives no any"), one("runtimeError", AnyType, text, n, "runtimeError of (int) gives no any"),
		one("make", sliceType, n, text, "make of (string) gives no []int"), one("make", mapType, n, text, "make of (string) gives no map[string]int"), one("new", types.NewPointer(intType), n, text, "new of (string) gives no *int"),
		one("max", intType, n, text, "max of (string) gives no int"), one("min", StringType, text, n, "min of (int) gives no string"),
		one("SliceData", types.NewPointer(intType), slice, text, "SliceData of (string) gives no *int"), one("StringData", types.NewPointer(uint8Type), text, slice, "StringData of ([]int) gives no *uint8"),
		two("append", sliceType, pair(func(e *ruleEnv) (x, y *Local) { return e.slice, e.n }), pair(func(e *ruleEnv) (x, y *Local) { return e.slice, e.text }), "append of ([]int, string) gives no []int"),
		two("append", sliceType, pair(func(e *ruleEnv) (x, y *Local) { return e.slice, e.n }), pair(func(e *ruleEnv) (x, y *Local) { return e.text, e.n }), "append of (string, int) gives no []int"),
		two("copy", intType, pair(func(e *ruleEnv) (x, y *Local) { return e.slice, e.slice }), pair(func(e *ruleEnv) (x, y *Local) { return e.slice, e.text }), "copy of ([]int, string) gives no int"),
		two("delete", nothing, pair(func(e *ruleEnv) (x, y *Local) { return e.table, e.text }), pair(func(e *ruleEnv) (x, y *Local) { return e.table, e.n }), "delete of (map[string]int, int) gives no ()"),
		two("complex", types.Typ[types.Complex128], pair(func(e *ruleEnv) (x, y *Local) { return e.float, e.float }), pair(func(e *ruleEnv) (x, y *Local) { return e.float, e.n }), "complex of (float64, int) gives no complex128"),
		two("make", sliceType, pair(func(e *ruleEnv) (x, y *Local) { return e.n, e.n }), pair(func(e *ruleEnv) (x, y *Local) { return e.n, e.float }), "make of (int, float64) gives no []int"),
		two("Add", types.Typ[types.UnsafePointer], pair(func(e *ruleEnv) (x, y *Local) { return e.raw, e.n }), pair(func(e *ruleEnv) (x, y *Local) { return e.pointer, e.n }), "Add of (*Point, int) gives no unsafe.Pointer"),
		two("Slice", types.NewSlice(pointType), pair(func(e *ruleEnv) (x, y *Local) { return e.pointer, e.n }), pair(func(e *ruleEnv) (x, y *Local) { return e.pointer, e.text }), "Slice of (*Point, string) gives no []Point"),
		two("String", StringType, pair(func(e *ruleEnv) (x, y *Local) { return e.pointer, e.n }), pair(func(e *ruleEnv) (x, y *Local) { return e.n, e.n }), "String of (int, int) gives no string"),
		{"append of a slice", func(e *ruleEnv, ok bool) []Stmt {
			x := predeclared(sliceType, "append", Use(e.slice), Use(pick(ok, e.slice, e.n)))
			x.Spread = true
			return eval(x)
		}, "append of ([]int, int) gives no []int"},
		{"channel with two sizes", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(e.both.Type, "make", pick(ok, []Expr{Use(e.n)}, []Expr{Use(e.n), Use(e.n)})...))
		}, "make of (int, int) gives no chan int"},
		{"slice without a size", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(pick[types.Type](ok, mapType, sliceType), "make"))
		}, "make of () gives no []int"},
		{"make of a number", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(pick[types.Type](ok, mapType, intType), "make"))
		}, "make of () gives no int"},
		{"too many", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(intType, "len", pick(ok, []Expr{Use(e.text)}, []Expr{Use(e.text), Use(e.text)})...))
		}, "len with 2 arguments"},
		{"too few", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(intType, "max", pick(ok, []Expr{Use(e.n)}, nil)...))
		}, "max with 0 arguments"},
		{"recover", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(pick[types.Type](ok, AnyType, intType), "recover"))
		}, "recover of () gives no int"},
		{"defers", func(e *ruleEnv, ok bool) []Stmt {
			return eval(predeclared(pick[types.Type](ok, e.raw.Type, intType), "defers"))
		}, "defers of () gives no int"},
	})
}
