package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"testing"
)

// A rule has statements that keep a rule of the verifier, and their neighbors that violate it. want
// is the whole message about the latter.
type rule struct {
	name string
	of   func(e *ruleEnv, ok bool) []Stmt
	want string
}

// pick returns the part that makes statements legal, or the one that breaks them.
func pick[T any](ok bool, legal, broken T) T {
	if ok {
		return legal
	}
	return broken
}

func eval(x Expr) []Stmt { return list(&Eval{X: x}) }

// A ruleEnv is a brokenEnv with further variables, all of which are parameters.
type ruleEnv struct {
	*brokenEnv
	array, arrayPointer, pointer, table, both, in, out, failure, flag, raw, complex, float, function, boxed *Local
}

var (
	uint8Type, runeType, float64Type = types.Typ[types.Uint8], types.Typ[types.Int32], types.Typ[types.Float64]

	sliceType, arrayType = types.NewSlice(intType), types.NewArray(intType, 3)
	mapType              = types.NewMap(StringType, intType)
	errorType            = types.Universe.Lookup("error").Type()
	nothing              = types.NewTuple()
	emptySig             = types.NewSignatureType(nil, nil, nil, nil, nil, false)
)

func newRuleEnv() *ruleEnv {
	e := &ruleEnv{brokenEnv: newBrokenEnv()}
	add := func(to **Local, name string, t types.Type) {
		*to = &Local{Name: name, Type: t, Index: len(e.fn.Locals)}
		e.fn.Locals, e.fn.Params = append(e.fn.Locals, *to), append(e.fn.Params, *to)
	}
	add(&e.array, "array", arrayType)
	add(&e.arrayPointer, "arrayPointer", types.NewPointer(arrayType))
	add(&e.pointer, "pointer", types.NewPointer(pointType))
	add(&e.table, "table", mapType)
	add(&e.both, "both", types.NewChan(types.SendRecv, intType))
	add(&e.in, "in", types.NewChan(types.RecvOnly, intType))
	add(&e.out, "out", types.NewChan(types.SendOnly, intType))
	add(&e.failure, "failure", errorType)
	add(&e.flag, "flag", boolType)
	add(&e.raw, "raw", types.Typ[types.UnsafePointer])
	add(&e.complex, "complex", types.Typ[types.Complex128])
	add(&e.float, "float", float64Type)
	add(&e.function, "function", emptySig)
	add(&e.boxed, "boxed", intType)
	e.boxed.Boxed = true
	var params []*types.Var
	for _, l := range e.fn.Params {
		params = append(params, types.NewParam(0, nil, l.Name, l.Type))
	}
	e.fn.Sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), e.fn.Sig.Results(), false)
	return e
}

// pairRef refers to a function func(int) (int, string).
func pairRef() *FuncRef {
	results := types.NewTuple(types.NewParam(0, nil, "", intType), types.NewParam(0, nil, "", StringType))
	return &FuncRef{Name: "pair", Sig: types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", intType)), results, false)}
}

func pairCall() *Call {
	ref := pairRef()
	return &Call{Typed: of(ref.Sig.Results()), Ref: ref, Args: []Expr{number(1)}}
}

// refOf returns a reference of a function without results.
func refOf(params ...types.Type) *FuncRef {
	var list []*types.Var
	for _, t := range params {
		list = append(list, types.NewParam(0, nil, "", t))
	}
	return &FuncRef{Name: "g", Sig: types.NewSignatureType(nil, nil, nil, types.NewTuple(list...), nil, false)}
}

func predeclared(t types.Type, name string, args ...Expr) *Builtin {
	return &Builtin{Typed: of(t), Name: name, Args: args}
}

func boolean() Expr { return BoolConst(true, 0) }

func label() *Label { return &Label{ID: 1} }

// checkRules verifies the statements of each rule and their broken neighbors.
func checkRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		for _, ok := range []bool{true, false} {
			e := newRuleEnv()
			e.fn.Recovers, e.fn.Defers = true, true
			e.fn.Body = &Block{List: r.of(e, ok)}
			err := Verify(&Program{Funcs: []*Func{e.fn}}, nil)
			switch {
			case ok && err != nil:
				t.Errorf("%s: the legal statements are rejected: %v", r.name, err)
			case !ok && err == nil:
				t.Errorf("%s: the broken statements are accepted, want %q", r.name, r.want)
			case !ok && err.Error() != "f: "+r.want:
				t.Errorf("%s: got the error\n%q, want\n%q", r.name, err, "f: "+r.want)
			}
		}
	}
}

func TestRulesOfOperands(t *testing.T) {
	checkRules(t, []rule{
		{"deref", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Deref{of(pointType), Use(pick(ok, e.pointer, e.point))})
		}, "what is not a pointer is followed"},
		{"type of deref", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Deref{of(pick[types.Type](ok, pointType, intType)), Use(e.pointer)})
		}, "a variable that a pointer points to: int where Point is required"},
		{"field", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Field{of(intType), Use(e.point), pick(ok, 1, -1)})
		}, "field -1 of what has no such field"},
		{"type of a field", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Field{of(pick[types.Type](ok, intType, StringType)), Use(e.point), 0})
		}, "a field: string where int is required"},
		{"element", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Elem{of(intType), Use(pick(ok, e.arrayPointer, e.pointer)), Use(e.n)})
		}, "an element of a *Point"},
		{"element of a string", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Elem{of(pick[types.Type](ok, uint8Type, runeType)), Use(e.text), Use(e.n)})
		}, "an element: int32 where uint8 is required"},
		{"entry", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&MapElem{of(intType), Use(pick(ok, e.table, e.slice)), Use(e.text), false})
		}, "an entry of what is not a map"},
		{"key", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&MapElem{of(intType), Use(e.table), Use(pick(ok, e.text, e.n)), false})
		}, "the key of a map: int where string is required"},
		{"entry and ok", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&MapElem{of(pick[types.Type](ok, Pair(intType), intType)), Use(e.table), Use(e.text), true})
		}, "the value of a comma-ok expression: int where (int, bool) is required"},
		{"address of an entry", func(e *ruleEnv, ok bool) []Stmt {
			entry := &MapElem{of(intType), Use(e.table), Use(e.text), false}
			return eval(&AddrOf{of(types.NewPointer(intType)), pick[Expr](ok, &Elem{of(intType), Use(e.slice), Use(e.n)}, entry)})
		}, "the address of what is not a variable"},
		{"type of an address", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&AddrOf{of(pick[types.Type](ok, types.NewPointer(intType), intType)), Use(e.boxed)})
		}, "an address of type int"},
		{"type of the variable of an address", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&AddrOf{of(types.NewPointer(pick[types.Type](ok, intType, StringType))), Use(e.boxed)})
		}, "a variable whose address is taken: int where string is required"},
		{"address of an element of an array", func(e *ruleEnv, ok bool) []Stmt {
			e.array.Boxed = ok
			return eval(&AddrOf{of(types.NewPointer(intType)), &Elem{of(intType), Use(e.array), Use(e.n)}})
		}, "the address of array, which has no heap cell"},
		{"slice of an array", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(sliceType), Use(pick(ok, e.arrayPointer, e.array)), nil, nil, nil})
		}, "a slice of a [3]int"},
		{"slice of a pointer", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(sliceType), Use(pick(ok, e.arrayPointer, e.pointer)), nil, nil, nil})
		}, "a slice of a *Point"},
		{"slice of a slice", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(pick[types.Type](ok, sliceType, arrayType)), Use(e.slice), nil, nil, nil})
		}, "a part of a slice: [3]int where []int is required"},
		{"type of a slice of an array", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(types.NewSlice(pick[types.Type](ok, intType, StringType))), Use(e.arrayPointer), nil, nil, nil})
		}, "a part of an array: []string where []int is required"},
		{"slice of a string", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(StringType), Use(e.text), nil, Use(e.n), pick(ok, nil, Expr(Use(e.n)))})
		}, "a slice of a string"},
		{"type of a slice of a string", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(pick[types.Type](ok, StringType, types.NewSlice(uint8Type))), Use(e.text), nil, nil, nil})
		}, "a part of a string: []uint8 where string is required"},
		{"bound", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(sliceType), Use(e.slice), Use(pick(ok, e.n, e.float)), nil, nil})
		}, "a bound of a slice of type float64"},
		{"capacity", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&SliceExpr{of(sliceType), Use(e.slice), nil, pick(ok, Expr(Use(e.n)), nil), Use(e.n)})
		}, "a slice with a capacity and no end"},
	})
}

func TestRulesOfNames(t *testing.T) {
	checkRules(t, []rule{
		{"one value", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Unary{of(intType), token.SUB, pick[Expr](ok, Use(e.n), pairCall())})
		}, "one value is required and the operand has (int, string)"},
		{"type", func(e *ruleEnv, ok bool) []Stmt {
			return eval(ZeroOf(pick[types.Type](ok, intType, nil), 0))
		}, "a type is missing"},
		{"session variable", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&GlobalExpr{of(intType), pick(ok, &Global{Name: "n", Type: intType}, nil)})
		}, "a session variable is missing"},
		{"type of a session variable", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&GlobalExpr{of(pick[types.Type](ok, intType, StringType)), &Global{Name: "n", Type: intType}})
		}, "a session variable: string where int is required"},
		{"function", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&FuncExpr{of(emptySig), pick(ok, refOf(), nil)})
		}, "a function is missing"},
		{"type of a function", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&FuncExpr{of(emptySig), pick(ok, refOf(), refOf(intType))})
		}, "a function value: func() where func(int) is required"},
		{"compiled function", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&ExternExpr{of(pick[types.Type](ok, stringMethod.Signature(), intType)), stringMethod, nil})
		}, "a function of type int"},
		{"zero of several values", func(e *ruleEnv, ok bool) []Stmt {
			return eval(ZeroOf(pick[types.Type](ok, intType, Pair(intType)), 0))
		}, "a zero of several values"},
		{"literal", func(e *ruleEnv, ok bool) []Stmt {
			x := e.literal(e.n)
			return eval(&FuncLit{of(emptySig), pick(ok, x.Func, nil)})
		}, "the function of a literal is missing"},
		{"type of a literal", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&FuncLit{of(pick(ok, emptySig, refOf(intType).Sig)), e.literal(e.n).Func})
		}, "a function literal: func(int) where func() is required"},
	})
}

func TestRulesOfConstants(t *testing.T) {
	of := func(t types.Type, v constant.Value) func(types.Type, constant.Value) func(*ruleEnv, bool) []Stmt {
		return func(broken types.Type, bad constant.Value) func(*ruleEnv, bool) []Stmt {
			return func(_ *ruleEnv, ok bool) []Stmt {
				return eval(&Const{Typed{T: pick(ok, t, broken)}, pick(ok, v, bad)})
			}
		}
	}
	integer, text, half, yes := constant.MakeInt64, constant.MakeString("t"), constant.MakeFloat64(0.5), constant.MakeBool(true)
	large := constant.MakeUint64(1<<64 - 1)
	above := constant.BinaryOp(large, token.ADD, integer(1))
	kind := func(k types.BasicKind) types.Type { return types.Typ[k] }
	checkRules(t, []rule{
		{"value", of(intType, integer(1))(intType, nil), "a constant without a value"},
		{"type", of(intType, integer(1))(sliceType, integer(1)), "a constant of type []int"},
		{"boolean", of(boolType, yes)(boolType, integer(1)), "the constant 1 is not a bool"},
		{"string", of(StringType, text)(StringType, integer(1)), "the constant 1 is not a string"},
		{"text for an integer", of(intType, integer(-1))(intType, text), `the constant "t" is not a int`},
		{"fraction for an integer", of(kind(types.Float64), half)(intType, half), "the constant 0.5 is not a int"},
		{"text for a float", of(kind(types.Float32), integer(3))(kind(types.Float32), text), `the constant "t" is not a float32`},
		{"text for a complex number", of(kind(types.Complex64), half)(kind(types.Complex64), text), `the constant "t" is not a complex64`},
		{"unsafe.Pointer", of(kind(types.Uintptr), integer(1))(kind(types.UnsafePointer), integer(1)), "the constant 1 is not a unsafe.Pointer"},
		{"least int8", of(kind(types.Int8), integer(-128))(kind(types.Int8), integer(-129)), "the constant -129 is not a int8"},
		{"most int16", of(kind(types.Int16), integer(1<<15-1))(kind(types.Int16), integer(1<<15)), "the constant 32768 is not a int16"},
		{"most int32", of(kind(types.Int32), integer(1<<31-1))(kind(types.Int32), integer(1<<31)), "the constant 2147483648 is not a int32"},
		{"least int64", of(kind(types.Int64), integer(-1<<63))(kind(types.Int64), large), "the constant 18446744073709551615 is not a int64"},
		{"most uint8", of(kind(types.Uint8), integer(255))(kind(types.Uint8), integer(256)), "the constant 256 is not a uint8"},
		{"least uint", of(kind(types.Uint), integer(0))(kind(types.Uint), integer(-1)), "the constant -1 is not a uint"},
		{"most uint64", of(kind(types.Uint64), large)(kind(types.Uint64), above), "the constant 18446744073709551616 is not a uint64"},
		{"untyped", of(StringType, text)(kind(types.UntypedString), text), "the type untyped string is not the type of a value"},
	})
}

func TestTypeParametersAreFoundInEveryType(t *testing.T) {
	param := types.NewTypeParam(types.NewTypeName(0, nil, "T", nil), AnyType)
	tuple := func(t types.Type) *types.Tuple { return types.NewTuple(types.NewParam(0, nil, "", t)) }
	generic := types.NewNamed(types.NewTypeName(0, nil, "G", nil), types.NewStruct(nil, nil), nil)
	generic.SetTypeParams([]*types.TypeParam{types.NewTypeParam(types.NewTypeName(0, nil, "U", nil), AnyType)})
	instance := func(t types.Type) types.Type {
		named, err := types.Instantiate(nil, generic, []types.Type{t}, false)
		if err != nil {
			panic(err)
		}
		return named
	}
	for _, of := range []func(types.Type) types.Type{
		func(t types.Type) types.Type { return t },
		func(t types.Type) types.Type { return types.NewPointer(t) },
		func(t types.Type) types.Type { return types.NewArray(t, 2) },
		func(t types.Type) types.Type { return types.NewChan(types.SendRecv, t) },
		func(t types.Type) types.Type { return types.NewMap(t, intType) },
		func(t types.Type) types.Type { return types.NewMap(intType, types.NewSlice(t)) },
		func(t types.Type) types.Type {
			return types.NewStruct([]*types.Var{types.NewField(0, nil, "F", t, false)}, nil)
		},
		func(t types.Type) types.Type { return types.NewSignatureType(nil, nil, nil, tuple(t), nil, false) },
		func(t types.Type) types.Type { return types.NewSignatureType(nil, nil, nil, nil, tuple(t), false) },
		func(t types.Type) types.Type {
			method := types.NewFunc(0, nil, "M", types.NewSignatureType(nil, nil, nil, tuple(t), nil, false))
			return types.NewInterfaceType([]*types.Func{method}, nil).Complete()
		},
		instance,
	} {
		if legal := of(StringType); hasTypeParam(legal) {
			t.Errorf("%s has a type parameter", legal)
		}
		if broken := of(param); !hasTypeParam(broken) {
			t.Errorf("%s has no type parameter", broken)
		}
	}
}

// TestOperandsAreInTheOrderOfEvaluation finds the operands of expressions of every kind, which are
// the variables that the texts of the expressions name.
func TestOperandsAreInTheOrderOfEvaluation(t *testing.T) {
	a, b, c, d := Use(local("a", intType)), Use(local("b", intType)), Use(local("c", intType)), Use(local("d", intType))
	for _, x := range []struct {
		of   Expr
		want string
	}{
		{a, ""}, {number(1), ""}, {ZeroOf(intType, 0), ""}, {&FuncLit{of(emptySig), &Func{Captures: []*Local{{Name: "a"}}}}, ""},
		{&Elem{of(intType), a, b}, "a b"}, {&MapElem{of(intType), b, a, true}, "b a"}, {&SliceExpr{of(intType), a, nil, c, nil}, "a c"}, {&SliceExpr{of(intType), d, c, b, a}, "d c b a"},
		{&Logic{of(boolType), token.LOR, a, b}, "a b"}, {&Seq{of(intType), list(&Eval{X: a}), b}, "b"},
		{&Composite{of(mapType), []Element{{Key: a, Value: b}, {Value: c}}, 0}, "a b c"},
		{&Call{Method: &MethodCall{d, stringMethod}, Args: []Expr{a, b}}, "d a b"}, {&Call{Value: c, Args: []Expr{a}}, "c a"}, {&Call{Ref: refOf(), Args: []Expr{b, a}}, "b a"},
		{&Bind{Ref: refOf(intType), Recv: a}, "a"}, {&Bind{Method: &MethodCall{b, stringMethod}}, "b"}, {predeclared(intType, "max", c, a, b), "c a b"},
	} {
		got := ""
		for i, operand := range operands(x.of) {
			if i > 0 {
				got += " "
			}
			got += operand.(*LocalExpr).Local.Name
		}
		if got != x.want {
			t.Errorf("%T has the operands %q, want %q", x.of, got, x.want)
		}
	}
}
