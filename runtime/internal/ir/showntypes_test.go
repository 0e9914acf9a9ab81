package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strings"
)

func declaredType(path, name string, under types.Type) *types.Named {
	pkg := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	return types.NewNamed(types.NewTypeName(0, pkg, name, nil), under, nil)
}

func structOf(fields ...*types.Var) *types.Struct { return types.NewStruct(fields, nil) }

func field(name string, t types.Type) *types.Var { return types.NewField(0, nil, name, t, false) }

func signature(params []types.Type, results ...types.Type) *types.Signature {
	tuple := func(list []types.Type) *types.Tuple {
		var vars []*types.Var
		for _, t := range list {
			vars = append(vars, types.NewParam(0, nil, "", t))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, tuple(params), tuple(results), false)
}

var (
	celsiusType  = declaredType("main", "Celsius", float64Type)
	flagType     = declaredType("main", "Flag", boolType)
	durationType = declaredType("time", "Duration", types.Typ[types.Int64])
	readerType   = declaredType("io", "Reader", types.NewInterfaceType(nil, nil).Complete())

	// lineType is struct{ From, To Point; _ string; Tags []string }.
	lineType = declaredType("main", "Line", structOf(field("From", pointType), field("To", pointType), field("_", StringType), field("Tags", types.NewSlice(StringType))))

	// pairType is the instance Pair[string, int] of a generic type.
	pairType = instanceOf("Pair", StringType, intType)

	secondsMethod = methodOf(durationType, "Seconds", float64Type)
)

// methodOf adds a method without parameters to a type.
func methodOf(t *types.Named, name string, result types.Type) *types.Func {
	results := types.NewTuple(types.NewParam(0, nil, "", result))
	m := types.NewFunc(0, t.Obj().Pkg(), name, types.NewSignatureType(types.NewParam(0, nil, "t", t), nil, nil, nil, results, false))
	t.AddMethod(m)
	return m
}

// instanceOf returns an instance of a generic struct type that has a field for each type argument.
func instanceOf(name string, targs ...types.Type) types.Type {
	generic := declaredType("main", name, structOf())
	var params []*types.TypeParam
	var fields []*types.Var
	for i := range targs {
		param := types.NewTypeParam(types.NewTypeName(0, nil, string(rune('A'+i)), nil), AnyType)
		params, fields = append(params, param), append(fields, field("F"+string(rune('A'+i)), param))
	}
	generic.SetTypeParams(params)
	generic.SetUnderlying(structOf(fields...))
	instance, err := types.Instantiate(nil, generic, targs, true)
	if err != nil {
		panic(err)
	}
	return instance
}

// discarding returns a program whose only function evaluates expressions.
func discarding(list ...Expr) *Program {
	var body []Stmt
	for _, x := range list {
		body = append(body, discard(x))
	}
	return programOf(declared("main.f").does(body...))
}

func typed(t types.Type, value constant.Value) Expr { return &Const{of(t), value} }

// literalValue returns the value of a literal of Go, such as 0.1 or 'a'.
func literalValue(kind token.Token, text string) constant.Value {
	return constant.MakeFromLiteral(text, kind, 0)
}

var constantPrograms = []shown{
	{"integers", func() *Program {
		integer := func(k types.BasicKind, n int64) Expr { return typed(types.Typ[k], constant.MakeInt64(n)) }
		return discarding(
			integer(types.Int, 0), integer(types.Int, math.MinInt64), integer(types.Int8, -128), integer(types.Int16, 32767), integer(types.Int32, 'a'), integer(types.Int64, 1),
			integer(types.Uint, 0), integer(types.Uint8, 255), integer(types.Uint16, 1), integer(types.Uint32, 1<<32-1), integer(types.Uintptr, 16),
			typed(types.Typ[types.Uint64], constant.MakeUint64(math.MaxUint64)),
		)
	}},
	{"floating-point numbers are exact", func() *Program {
		third := constant.BinaryOp(constant.MakeInt64(1), token.QUO, constant.MakeInt64(3))
		return discarding(
			typed(float64Type, constant.MakeInt64(3)), typed(float64Type, literalValue(token.FLOAT, "0.1")), typed(types.Typ[types.Float32], constant.MakeFloat64(0.1)), typed(float64Type, third),
			typed(float64Type, constant.MakeFloat64(math.Copysign(0, -1))), typed(float64Type, constant.MakeFloat64(-2.5)),
			typed(float64Type, literalValue(token.FLOAT, "1e30")), typed(float64Type, literalValue(token.FLOAT, "0x1p-20")),
		)
	}},
	{"floating-point numbers beyond the range of fractions", func() *Program {
		return discarding(typed(float64Type, constant.MakeFloat64(math.MaxFloat64)), typed(float64Type, constant.MakeFloat64(math.SmallestNonzeroFloat64)), typed(float64Type, literalValue(token.FLOAT, "1e-5000")))
	}},
	{"complex numbers", func() *Program {
		i := literalValue(token.IMAG, "0.5i")
		return discarding(
			typed(types.Typ[types.Complex128], constant.BinaryOp(constant.MakeInt64(1), token.ADD, i)), typed(types.Typ[types.Complex64], i),
			typed(types.Typ[types.Complex128], constant.MakeInt64(2)),
		)
	}},
	{"strings", func() *Program {
		var list []Expr
		for _, text := range []string{"", "plain", "a \"quoted\" word", "line\nand\ttab", "back`quote`", "\x00\xff", "größer", "\u2028", "%d 100%", strings.Repeat("long ", 30)} {
			list = append(list, typed(StringType, constant.MakeString(text)))
		}
		return discarding(list...)
	}},
	{"booleans and declared types", func() *Program {
		return discarding(
			BoolConst(true, 0), BoolConst(false, 0), typed(flagType, constant.MakeBool(true)), typed(celsiusType, constant.MakeFloat64(36.5)), typed(durationType, constant.MakeInt64(1e9)),
			typed(declaredType("main", "Name", StringType), constant.MakeString("n")), typed(declaredType("net/url", "Error", intType), constant.MakeInt64(1)),
		)
	}},
	{"zero values name their types", func() *Program {
		var list []Expr
		for _, t := range []types.Type{
			intType, types.NewPointer(types.NewPointer(pointType)), errorType, AnyType, types.Typ[types.UnsafePointer], durationType, pairType, types.NewSlice(types.NewArray(intType, 2)),
			types.NewMap(pointType, types.NewChan(types.SendRecv, intType)), types.NewChan(types.RecvOnly, intType), types.NewChan(types.SendOnly, intType),
			signature([]types.Type{intType, types.NewSlice(StringType)}, boolType, errorType), structOf(field("A", intType), field("B", readerType)),
			types.NewInterfaceType([]*types.Func{types.NewFunc(0, nil, "Len", signature(nil, intType))}, nil).Complete(),
			instanceOf("Tree", instanceOf("Node", durationType)),
		} {
			list = append(list, ZeroOf(t, 0))
		}
		return discarding(list...)
	}},
}
