package lower

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// literal writes a constant so that it has its type wherever it stands.
func literal(e *emitter, v constant.Value, t types.Type) string { return literalOf(e, v, t, false) }

// literalOf writes a constant; with always it is a conversion even where the literal has
// the type by default.
func literalOf(e *emitter, v constant.Value, t types.Type, always bool) string {
	if isInterface(t) {
		t = defaultType(v)
	}
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = defaultOf(b, v)
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		panic(fmt.Sprintf("constant of type %s", t))
	}
	text := bare(e, v, t)
	if b.Info()&types.IsComplex != 0 {
		if b.Kind() == types.Complex128 {
			if _, plain := t.(*types.Basic); plain {
				return text
			}
		}
		return e.spell(t) + "(" + text + ")"
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && !e.u.s.ours(named) {
		return e.spell(t) + "(" + text + ")"
	}
	if !always {
		switch b.Kind() {
		case types.Bool, types.String, types.Int, types.Float64:
			return text
		}
	}
	return e.spell(t) + "(" + text + ")"
}

// defaultOf is the type of an untyped constant by itself; a constant too large for an
// int only occurs where its value is not used as one.
func defaultOf(b *types.Basic, v constant.Value) types.Type {
	if b.Kind() == types.UntypedInt || b.Kind() == types.UntypedRune {
		if _, exact := constant.Int64Val(constant.ToInt(v)); !exact {
			if _, exact := constant.Uint64Val(constant.ToInt(v)); exact {
				return types.Typ[types.Uint64]
			}
			return types.Typ[types.Float64]
		}
	}
	return types.Default(b)
}

func defaultType(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.Bool:
		return types.Typ[types.Bool]
	case constant.String:
		return types.Typ[types.String]
	case constant.Int:
		return types.Typ[types.Int]
	case constant.Complex:
		return types.Typ[types.Complex128]
	}
	return types.Typ[types.Float64]
}

// bare writes a constant for a place that gives it its type.
func bare(e *emitter, v constant.Value, t types.Type) string {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return literal(e, v, t)
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(v))
	case b.Info()&types.IsString != 0:
		return strconv.Quote(constant.StringVal(v))
	case b.Info()&types.IsInteger != 0:
		return negative(constant.ToInt(v).ExactString())
	case b.Info()&types.IsComplex != 0:
		// The interpreter's own complex does not fold constants.
		v = constant.ToComplex(v)
		text := support + ".Complex(" + float(constant.Real(v), false) + ", " + float(constant.Imag(v), false) + ")"
		if b.Kind() == types.Complex64 {
			text = "complex64(" + text + ")"
		}
		return text
	}
	return negative(float(v, b.Kind() == types.Float32))
}

// float writes the float64 or float32 nearest to v, always as a floating-point literal.
func float(v constant.Value, single bool) string {
	v = constant.ToFloat(v)
	f, _ := constant.Float64Val(v)
	bits := 64
	if single {
		g, _ := constant.Float32Val(v)
		f, bits = float64(g), 32
	}
	if math.IsInf(f, 0) {
		return v.ExactString()
	}
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func negative(text string) string {
	if strings.HasPrefix(text, "-") {
		return "(" + text + ")"
	}
	return text
}
