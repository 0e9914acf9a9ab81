package ir

import (
	"go/token"
	"go/types"
	"testing"
)

// typeParam is a type parameter, which is no type of a value.
var typeParam = types.NewTypeParam(types.NewTypeName(0, nil, "T", nil), AnyType)

// listType is struct{ Items []int }, whose values cannot be compared.
var listType = declaredType("main", "List", structOf(field("Items", sliceType)))

func TestRulesOfAddresses(t *testing.T) {
	pointers := types.NewMap(StringType, pointerType)
	checkRules(t, []rule{
		{"literal and result", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(address(pick[Expr](ok, &Composite{Typed: of(pointType)}, ZeroOf(pointType, 0))))
		}, "the address of what is not a variable"},
		{"field of a literal", func(e *ruleEnv, ok bool) []Stmt {
			x := &Composite{Typed: of(pointType)}
			return discarded(address(fieldOf(pick(ok, deref(address(x)), Expr(x)), 0)))
		}, "the address of what is not a variable"},
		{"field of an entry", func(e *ruleEnv, ok bool) []Stmt {
			target, value := ZeroOf(pointers, 0), ZeroOf(types.NewMap(StringType, pointType), 0)
			key := Use(e.text)
			return discarded(address(fieldOf(pick(ok, deref(entry(target, key)), entry(value, key)), 1)))
		}, "the address of what is not a variable"},
		{"element of a value", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(address(elemOf(ZeroOf(pick[types.Type](ok, sliceType, arrayType), 0), Use(e.n))))
		}, "the address of what is not a variable"},
		{"byte of a string", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(address(elemOf(pick(ok, ZeroOf(types.NewSlice(uint8Type), 0), Expr(Use(e.text))), Use(e.n))))
		}, "the address of what is not a variable"},
		{"session variable and function", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(address(pick[Expr](ok, &GlobalExpr{of(emptySig), &Global{Name: "f", Type: emptySig}}, &FuncExpr{of(emptySig), refOf()})))
		}, "the address of what is not a variable"},
		{"field of a variable in the frame", func(e *ruleEnv, ok bool) []Stmt {
			e.point.Boxed = ok
			return discarded(address(fieldOf(Use(e.point), 0)))
		}, "the address of point, which has no heap cell"},
		{"element of an array", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(address(elemOf(Use(pick(ok, e.arrayPointer, e.array)), Use(e.n))))
		}, "the address of array, which has no heap cell"},
	})
}

// discarded is a list of one statement, which evaluates an expression.
func discarded(x Expr) []Stmt { return list(discard(x)) }

func TestRulesOfDestinations(t *testing.T) {
	arrays := types.NewMap(StringType, arrayType)
	slices := types.NewMap(StringType, sliceType)
	assign := func(dst Expr) []Stmt { return list(&Assign{Dst: dst, X: ZeroOf(dst.Type(), 0)}) }
	operate := func(dst Expr) []Stmt { return list(&AssignOp{Op: token.ADD, Dst: dst, X: ZeroOf(dst.Type(), 0)}) }
	checkRules(t, []rule{
		{"element of an entry", func(e *ruleEnv, ok bool) []Stmt {
			return assign(elemOf(entry(ZeroOf(pick[types.Type](ok, slices, arrays), 0), Use(e.text)), Use(e.n)))
		}, "an assignment to what is not a variable: *ir.Elem"},
		{"operation on an entry and a field of one", func(e *ruleEnv, ok bool) []Stmt {
			points := ZeroOf(types.NewMap(StringType, pointType), 0)
			return operate(pick(ok, entry(Use(e.table), Use(e.text)), fieldOf(entry(points, Use(e.text)), 0)))
		}, "an assignment to what is not a variable: *ir.Field"},
		{"result", func(e *ruleEnv, ok bool) []Stmt { return operate(pick(ok, Expr(Use(e.n)), e.one())) }, "an assignment to what is not a variable: *ir.Call"},
		{"field of a result", func(e *ruleEnv, ok bool) []Stmt {
			return assign(fieldOf(pick(ok, deref(ZeroOf(pointerType, 0)), ZeroOf(pointType, 0)), 0))
		}, "an assignment to what is not a variable: *ir.Field"},
		{"entry with ok", func(e *ruleEnv, ok bool) []Stmt {
			return assign(&MapElem{of(pick[types.Type](ok, intType, Pair(intType))), Use(e.table), Use(e.text), !ok})
		}, "one value is required and the operand has (int, bool)"},
		{"function", func(e *ruleEnv, ok bool) []Stmt {
			return assign(pick[Expr](ok, Use(e.function), &FuncExpr{of(emptySig), refOf()}))
		}, "an assignment to what is not a variable: *ir.FuncExpr"},
		{"target and address", func(e *ruleEnv, ok bool) []Stmt {
			return assign(pick(ok, deref(Use(e.pointer)), address(deref(Use(e.pointer)))))
		}, "an assignment to what is not a variable: *ir.AddrOf"},
		{"count of a shift", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignOp{Op: token.SHR, Dst: Use(e.n), X: pick(ok, ZeroOf(uint8Type, 0), Expr(Use(e.float)))})
		}, "a shift by a float64"},
		{"shifted number", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignOp{Op: token.SHL, Dst: Use(pick(ok, e.n, e.float)), X: Use(e.n)})
		}, "<< of a float64"},
		{"operator", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignOp{Op: pick(ok, token.AND_NOT, token.EQL), Dst: Use(e.n), X: Use(e.n)})
		}, "== of a int"},
	})
}

func TestRulesOfComparisons(t *testing.T) {
	variable := func(t types.Type) Expr { return &GlobalExpr{of(t), &Global{Name: "x", Type: t}} }
	two := func(legal, broken types.Type) func(e *ruleEnv, ok bool) []Stmt {
		return func(e *ruleEnv, ok bool) []Stmt {
			t := pick(ok, legal, broken)
			return discarded(equal(variable(t), variable(t)))
		}
	}
	zero := func(left bool, legal, broken types.Type) func(e *ruleEnv, ok bool) []Stmt {
		return func(e *ruleEnv, ok bool) []Stmt {
			t := pick(ok, legal, broken)
			x, y := variable(t), ZeroOf(t, 0)
			if left {
				x, y = y, x
			}
			return discarded(&Compare{of(boolType), token.NEQ, x, y})
		}
	}
	lists := types.NewArray(listType, 2)
	checkRules(t, []rule{
		{"interfaces and slices", two(errorType, sliceType), "== of a []int"}, {"structs", two(pointType, listType), "== of a List"}, {"arrays", two(types.NewArray(pointType, 2), lists), "== of a [2]List"},
		{"pointers and functions", two(types.NewPointer(listType), emptySig), "== of a func()"}, {"channels and maps", two(channelType, mapType), "== of a map[string]int"},
		{"nil and a struct", zero(false, sliceType, listType), "!= of a List"}, {"nil and an array", zero(true, mapType, lists), "!= of a [2]List"}, {"nil on the left", zero(true, emptySig, listType), "!= of a List"},
		{"nil of a declared type", zero(false, declaredType("main", "Ints", sliceType), listType), "!= of a List"},
		{"declared boolean", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Compare{of(pick[types.Type](ok, flagType, StringType)), token.EQL, Use(e.n), number(1)})
		}, "a comparison of type string"},
		{"declared boolean of logic", func(e *ruleEnv, ok bool) []Stmt {
			flag := func() Expr { return ZeroOf(flagType, 0) }
			return discarded(&Logic{of(flagType), token.LOR, flag(), pick(ok, flag(), boolean())})
		}, "an operand: bool where Flag is required"},
		{"order of strings and pointers", func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, e.text, e.pointer)
			return discarded(&Compare{of(boolType), token.GTR, Use(l), Use(l)})
		}, "> of a *Point"},
	})
}

// variadic returns the signature func(...int), or func([]int).
func variadic(variadic bool) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", sliceType)), nil, variadic)
}

func TestRulesOfMethods(t *testing.T) {
	add := types.NewFunc(0, nil, "Add", signature([]types.Type{intType}, errorType))
	adder := types.NewInterfaceType([]*types.Func{add}, nil).Complete()
	buffer := declaredType("io", "Buffer", structOf())
	reset := types.NewFunc(0, buffer.Obj().Pkg(), "Reset", types.NewSignatureType(types.NewParam(0, nil, "b", types.NewPointer(buffer)), nil, nil, nil, nil, false))
	buffer.AddMethod(reset)
	checkRules(t, []rule{
		{"arguments", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Call{Typed: of(errorType), Method: &MethodCall{ZeroOf(adder, 0), add}, Args: []Expr{Use(pick(ok, e.n, e.text))}})
		}, "an argument: string where int is required"},
		{"number of arguments", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Call{Typed: of(errorType), Method: &MethodCall{ZeroOf(adder, 0), add}, Args: pick(ok, []Expr{Use(e.n)}, []Expr{Use(e.n), Use(e.n)})})
		}, "2 arguments of a function with 1 parameters"},
		{"result", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Call{Typed: of(pick(ok, errorType, AnyType)), Method: &MethodCall{ZeroOf(adder, 0), add}, Args: []Expr{Use(e.n)}})
		}, "the value of a call: any where error is required"},
		{"type of the receiver", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Eval{X: &Call{Typed: of(nothing), Method: &MethodCall{ZeroOf(pick[types.Type](ok, types.NewPointer(buffer), pointerType), 0), reset}}})
		}, "a *Point has no method Reset"},
		{"receiver that is a variable", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Eval{X: &Call{Typed: of(nothing), Method: &MethodCall{ZeroOf(pick[types.Type](ok, buffer, readerType), 0), reset}}})
		}, "a io.Reader has no method Reset"},
		{"field with the name of a method", func(e *ruleEnv, ok bool) []Stmt {
			f := types.NewFunc(0, nil, "X", emptySig)
			x := types.NewInterfaceType([]*types.Func{types.NewFunc(0, nil, "X", signature(nil))}, nil).Complete()
			return list(&Eval{X: &Call{Typed: of(nothing), Method: &MethodCall{ZeroOf(pick[types.Type](ok, x, pointType), 0), f}}})
		}, "a Point has no method X"},
		{"method value of no method", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Bind{Typed: of(emptySig), Method: pick(ok, &MethodCall{ZeroOf(types.NewPointer(buffer), 0), reset}, nil)})
		}, "a method value has no method or two"},
		{"method value without a function", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Bind{Typed: of(emptySig), Method: &MethodCall{ZeroOf(types.NewPointer(buffer), 0), pick(ok, reset, nil)}})
		}, "a method is missing"},
		{"type of a method value of an interface", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Bind{Typed: of(pick(ok, signature([]types.Type{intType}, errorType), emptySig)), Method: &MethodCall{ZeroOf(adder, 0), add}})
		}, "a method value: func() where func(int) error is required"},
		{"variadic method value", func(e *ruleEnv, ok bool) []Stmt {
			params := types.NewTuple(types.NewParam(0, nil, "", intType), types.NewParam(0, nil, "", sliceType))
			ref := &FuncRef{Name: "m", Sig: types.NewSignatureType(nil, nil, nil, params, nil, true)}
			return discarded(&Bind{of(variadic(ok)), ref, Use(e.n), nil})
		}, "a method value: func([]int) where func(...int) is required"},
		{"receiver of several values", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Bind{of(emptySig), refOf(intType), pick[Expr](ok, Use(e.n), pairCall()), nil})
		}, "one value is required and the operand has (int, string)"},
		{"argument of several values", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Eval{X: e.call(pick[Expr](ok, Use(e.n), pairCall()))})
		}, "one value is required and the operand has (int, string)"},
		{"callee of several values", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Eval{X: &Call{Typed: of(nothing), Value: pick[Expr](ok, Use(e.function), pairCall())}})
		}, "one value is required and the operand has (int, string)"},
		{"compiled function without a name", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&ExternExpr{of(emptySig), pick(ok, add, nil), nil})
		}, "a function is missing"},
		{"callee that is compiled", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Eval{X: &Call{Typed: of(nothing), Extern: &ExternExpr{of(pick[types.Type](ok, emptySig, intType)), add, nil}}})
		}, "a function of type int"},
	})
}

func TestRulesOfTypesAndKinds(t *testing.T) {
	type foreign struct{ Typed }
	checkRules(t, []rule{
		{"unknown expression", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(pick[Expr](ok, number(1), &foreign{of(intType)}))
		}, "an expression *ir.foreign is unknown"},
		{"type of an assertion", func(e *ruleEnv, ok bool) []Stmt {
			to := pick[types.Type](ok, intType, typeParam)
			return discarded(&Assert{of(intType), Use(e.any), to, false})
		}, "the type T has a type parameter"},
		{"tested type", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&IsType{of(boolType), Use(e.any), pick[types.Type](ok, nil, types.NewPointer(typeParam))})
		}, "the type *T has a type parameter"},
		{"type of a call", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Eval{X: &Call{Typed: of(pick[types.Type](ok, nothing, types.NewTuple(types.NewParam(0, nil, "", typeParam)))), Ref: refOf()}})
		}, "the type (T) has a type parameter"},
		{"untyped nil", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(ZeroOf(pick[types.Type](ok, errorType, types.Typ[types.UntypedNil]), 0))
		}, "the type untyped nil is not the type of a value"},
		{"missing type of an operand", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Unary{of(intType), token.SUB, ZeroOf(pick[types.Type](ok, intType, nil), 0)})
		}, "a type is missing"},
		{"several values of a statement", func(e *ruleEnv, ok bool) []Stmt {
			return list(pick[Stmt](ok, &Eval{X: pairCall()}, &If{Cond: pairCall(), Then: blockOf()}))
		}, "one value is required and the operand has (int, string)"},
		{"slice of a number", func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, e.text, e.n)
			return discarded(&SliceExpr{of(l.Type), Use(l), nil, nil, nil})
		}, "a slice of a int"},
		{"slice of a map", func(e *ruleEnv, ok bool) []Stmt {
			l := pick(ok, e.slice, e.table)
			return discarded(&SliceExpr{of(l.Type), Use(l), nil, nil, nil})
		}, "a slice of a map[string]int"},
		{"hook", func(e *ruleEnv, ok bool) []Stmt { return list(&Hook{X: pick[Expr](ok, pairCall(), nil)}) }, "an operand is missing"},
		{"record of a call", func(e *ruleEnv, ok bool) []Stmt { return list(&Mark{Call: pick(ok, e.any, nil)}) }, "a local is missing"},
		{"variable of a mark", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Mark{Vars: []*Local{e.boxed, pick(ok, e.boxed, nil)}, Call: e.any})
		}, "a local is missing"},
		{"copies of iterations", func(e *ruleEnv, ok bool) []Stmt {
			return list(&For{Label: label(), Cond: boolean(), Body: blockOf(), Fresh: []*Local{pick(ok, e.boxed, nil)}})
		}, "a local is missing"},
		{"index of a field", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Composite{of(pointType), []Element{{pick[int64](ok, 0, -1), nil, nil, number(1)}}, 0})
		}, "field -1 of a Point"},
		{"index of an element", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Composite{of(arrayType), []Element{{pick[int64](ok, 0, -1), nil, nil, number(1)}}, 3})
		}, "element -1 of 3"},
		{"field that is listed twice", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Composite{of(pointType), []Element{{1, nil, nil, number(1)}, {pick[int64](ok, 0, 1), nil, nil, number(1)}}, 0})
		}, "the element 1 stands twice or has a key"},
		{"key of a field", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Composite{of(pointType), []Element{{1, nil, pick(ok, nil, number(1)), number(1)}}, 0})
		}, "the element 1 stands twice or has a key"},
		{"entry without a key", func(e *ruleEnv, ok bool) []Stmt {
			return discarded(&Composite{of(mapType), []Element{{0, nil, pick(ok, Expr(Use(e.text)), nil), number(1)}, {0, nil, Use(e.text), number(1)}}, 0})
		}, "an operand is missing"},
	})
}
