package ir

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// A builtinUse is a call of a predeclared function with zero values.
type builtinUse struct {
	result types.Type
	spread bool
	args   []types.Type
}

func (u builtinUse) of(name string) *Builtin {
	x := &Builtin{Typed: of(u.result), Name: name, Spread: u.spread}
	for _, t := range u.args {
		x.Args = append(x.Args, ZeroOf(t, 0))
	}
	return x
}

// error returns the message about a call whose types violate the rule of the function.
func (u builtinUse) error(name string) string {
	var args []string
	for _, t := range u.args {
		args = append(args, TypeText(t))
	}
	return fmt.Sprintf("main.f: %s of (%s) gives no %s", name, strings.Join(args, ", "), TypeText(u.result))
}

var (
	bytesType, runesType, float32Type = types.NewSlice(uint8Type), types.NewSlice(runeType), types.Typ[types.Float32]

	namedByte, namedText  = declaredType("main", "Byte", uint8Type), declaredType("main", "Text", StringType)
	complexType, uintType = types.Typ[types.Complex128], types.Typ[types.Uint]
)

// plain is a call without a spread argument.
func plain(result types.Type, args ...types.Type) builtinUse { return builtinUse{result, false, args} }

func spread(result types.Type, args ...types.Type) builtinUse { return builtinUse{result, true, args} }

// builtinUses are calls of predeclared functions. The broken ones violate the rule of the function.
var builtinUses = map[string]struct{ legal, broken []builtinUse }{
	"append": {
		[]builtinUse{plain(sliceType, sliceType), spread(bytesType, bytesType, StringType), spread(bytesType, bytesType, namedText), spread(bytesType, bytesType, types.NewSlice(namedByte)), plain(sliceType, sliceType, intType, intType)},
		[]builtinUse{spread(sliceType, sliceType, StringType), spread(sliceType, sliceType), spread(sliceType, sliceType, sliceType, sliceType), plain(bytesType, bytesType, namedByte), plain(sliceType, sliceType, intType, uintType), plain(arrayType, arrayType, intType), plain(bytesType, sliceType), plain(sliceType, sliceType, sliceType), spread(sliceType, sliceType, arrayType)},
	},
	"cap":     {[]builtinUse{plain(intType, sliceType), plain(intType, channelType), plain(intType, types.NewPointer(arrayType))}, []builtinUse{plain(intType, pointerType), plain(uintType, sliceType), plain(intType, boolType)}},
	"clear":   {[]builtinUse{plain(nothing, sliceType), plain(nothing, mapType), plain(nothing, declaredType("main", "M", mapType))}, []builtinUse{plain(nothing, arrayType), plain(nothing, channelType)}},
	"close":   {[]builtinUse{plain(nothing, channelType), plain(nothing, declaredType("main", "C", channelType))}, []builtinUse{plain(nothing, AnyType), plain(nothing, mapType)}},
	"complex": {[]builtinUse{plain(complexType, float64Type, float64Type)}, []builtinUse{plain(float64Type, float64Type, float64Type), plain(complexType, float64Type, float32Type)}},
	"copy": {
		[]builtinUse{plain(intType, sliceType, sliceType), plain(intType, bytesType, StringType), plain(intType, types.NewSlice(namedByte), StringType)},
		[]builtinUse{plain(intType, StringType, bytesType), plain(intType, runesType, StringType), plain(intType, sliceType, runesType), plain(intType, sliceType, intType), plain(intType, sliceType, types.NewPointer(arrayType))},
	},
	"defers":       {[]builtinUse{plain(rawType)}, []builtinUse{plain(pointerType), plain(AnyType)}},
	"delete":       {[]builtinUse{plain(nothing, mapType, StringType)}, []builtinUse{plain(nothing, mapType, namedText), plain(nothing, sliceType, intType)}},
	"imag":         {[]builtinUse{plain(float64Type, complexType), plain(float32Type, types.Typ[types.Complex64])}, []builtinUse{plain(float64Type, float64Type)}},
	"len":          {[]builtinUse{plain(intType, mapType), plain(intType, channelType), plain(intType, namedText), plain(intType, arrayType), plain(intType, types.NewPointer(arrayType))}, []builtinUse{plain(intType, pointType), plain(uintType, StringType), plain(intType, types.NewPointer(sliceType))}},
	"make":         {[]builtinUse{plain(sliceType, uintType), plain(sliceType, uint8Type, intType), plain(mapType), plain(mapType, intType), plain(channelType), plain(channelType, intType)}, []builtinUse{plain(sliceType), plain(mapType, float64Type), plain(mapType, intType, intType), plain(channelType, intType, intType), plain(arrayType, intType), plain(sliceType, StringType, intType)}},
	"max":          {[]builtinUse{plain(intType, intType), plain(StringType, StringType, StringType), plain(float32Type, float32Type, float32Type, float32Type)}, []builtinUse{plain(complexType, complexType), plain(intType, intType, uintType), plain(boolType, boolType), plain(float64Type, intType, float64Type)}},
	"min":          {[]builtinUse{plain(uintType, uintType), plain(namedText, namedText, namedText)}, []builtinUse{plain(pointerType, pointerType), plain(namedText, namedText, StringType)}},
	"new":          {[]builtinUse{plain(pointerType), plain(pointerType, pointType)}, []builtinUse{plain(pointType), plain(pointerType, pointerType), plain(sliceType, intType)}},
	"panic":        {[]builtinUse{plain(nothing, AnyType), plain(nothing, errorType)}, []builtinUse{plain(nothing, pointType)}},
	"plainError":   {[]builtinUse{plain(errorType, StringType)}, []builtinUse{plain(errorType, bytesType)}},
	"print":        {[]builtinUse{plain(nothing), plain(nothing, intType, pointType, AnyType)}, nil},
	"println":      {[]builtinUse{plain(nothing), plain(nothing, StringType)}, nil},
	"real":         {[]builtinUse{plain(float64Type, complexType)}, []builtinUse{plain(float64Type, AnyType)}},
	"recover":      {[]builtinUse{plain(AnyType)}, []builtinUse{plain(pointerType)}},
	"runtimeError": {[]builtinUse{plain(errorType, namedText)}, []builtinUse{plain(errorType, errorType)}},
	"Add":          {[]builtinUse{plain(rawType, rawType, uintType)}, []builtinUse{plain(rawType, rawType, float64Type), plain(rawType, types.Typ[types.Uintptr], intType)}},
	"Slice":        {[]builtinUse{plain(sliceType, types.NewPointer(intType), uint8Type)}, []builtinUse{plain(sliceType, rawType, intType), plain(arrayType, types.NewPointer(intType), intType), plain(sliceType, types.NewPointer(intType), StringType)}},
	"SliceData":    {[]builtinUse{plain(types.NewPointer(intType), sliceType)}, []builtinUse{plain(rawType, sliceType), plain(types.NewPointer(intType), arrayType)}},
	"String":       {[]builtinUse{plain(StringType, types.NewPointer(uint8Type), intType)}, []builtinUse{plain(bytesType, types.NewPointer(uint8Type), intType), plain(StringType, rawType, intType), plain(StringType, types.NewPointer(uint8Type), boolType)}},
	"StringData":   {[]builtinUse{plain(types.NewPointer(uint8Type), namedText)}, []builtinUse{plain(rawType, StringType), plain(types.NewPointer(uint8Type), bytesType)}},
}

// verifyBuiltin verifies a function that calls a predeclared function.
func verifyBuiltin(x *Builtin) error {
	f := declared("main.f")
	f.Recovers = true
	return Verify(programOf(f.does(&Eval{X: x})), nil)
}

func TestPredeclaredFunctionsRequireTypes(t *testing.T) {
	for name := range builtins {
		uses := builtinUses[name]
		if len(uses.legal) == 0 || len(uses.broken) == 0 && !strings.HasPrefix(name, "print") {
			t.Errorf("%s has %d legal calls and %d broken ones", name, len(uses.legal), len(uses.broken))
		}
		for _, u := range uses.legal {
			if err := verifyBuiltin(u.of(name)); err != nil {
				t.Errorf("the legal call of %s is rejected: %v", name, err)
			}
		}
		for _, u := range uses.broken {
			if err := verifyBuiltin(u.of(name)); err == nil || err.Error() != u.error(name) {
				t.Errorf("got the error %v, want %s", err, u.error(name))
			}
		}
	}
	for name := range builtinUses {
		if _, known := builtins[name]; !known {
			t.Errorf("no predeclared function is named %s", name)
		}
	}
}

// TestPredeclaredFunctionsRequireArguments calls each function with other numbers of arguments.
func TestPredeclaredFunctionsRequireArguments(t *testing.T) {
	for name, uses := range builtinUses {
		most := len(slices.MaxFunc(uses.legal, func(a, b builtinUse) int { return len(a.args) - len(b.args) }).args)
		least := len(slices.MinFunc(uses.legal, func(a, b builtinUse) int { return len(a.args) - len(b.args) }).args)
		rule := builtins[name]
		if rule.least != least || rule.most >= 0 && rule.most != most {
			t.Errorf("%s has %d to %d arguments in the legal calls, and %d to %d by its rule", name, least, most, rule.least, rule.most)
		}
		for _, n := range []int{rule.least - 1, rule.most + 1} {
			if n < 0 || n == 0 && rule.least == 0 {
				continue
			}
			x := plain(uses.legal[0].result, slices.Repeat([]types.Type{intType}, n)...).of(name)
			want := fmt.Sprintf("main.f: %s with %d arguments", name, n)
			if err := verifyBuiltin(x); err == nil || err.Error() != want {
				t.Errorf("got the error %v, want %s", err, want)
			}
		}
	}
}

func TestArgumentsOfPredeclaredFunctionsAreVerifiedFirst(t *testing.T) {
	bad := &Unary{of(intType), 0, ZeroOf(StringType, 0)}
	for name, uses := range builtinUses {
		x := plain(uses.legal[0].result).of(name)
		x.Args = []Expr{bad, bad, bad}
		const want = "main.f: an operand: string where int is required"
		if err := verifyBuiltin(x); err == nil || err.Error() != want {
			t.Errorf("%s of an illegal operand: got the error %v, want %s", name, err, want)
		}
	}
}
