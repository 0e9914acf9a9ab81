package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"testing"
)

func TestFieldNamesAreExportedAndDistinct(t *testing.T) {
	seen := map[string]string{}
	for i, name := range []string{"x", "X", "Fx", "Xx", "_", "_", "é"} {
		got := fieldName(name, i)
		if !token.IsExported(got) || !token.IsIdentifier(got) {
			t.Errorf("%s becomes %s, which is no exported name", name, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s share %s", name, other, got)
		}
		seen[got] = name
	}
}

func TestEmissionsHaveNamesOfTheirOwn(t *testing.T) {
	s := &Session{}
	if first, second := s.global("area"), s.global("area"); first == second {
		t.Error("two emissions share a name")
	}
}

func TestAddressAndDereferenceCancel(t *testing.T) {
	for text, want := range map[string]string{
		"x": "&x", "(*p)": "p", "(*p).f": "&(*p).f", "(*f(a))": "f(a)", "(*a) + (*b)": "&(*a) + (*b)",
	} {
		if got := address(text); got != want {
			t.Errorf("address of %s is %s, want %s", text, got, want)
		}
	}
}

func TestConstantsKeepTheirTypes(t *testing.T) {
	e := (&unit{s: &Session{}}).emitter(nil)
	basic := func(k types.BasicKind) types.Type { return types.Typ[k] }
	for _, c := range []struct {
		value constant.Value
		typ   types.Type
		want  string
	}{
		{constant.MakeInt64(6), basic(types.Float64), "6.0"},
		{constant.MakeInt64(-6), basic(types.Int), "(-6)"},
		{constant.MakeInt64(97), basic(types.Int32), "int32(97)"},
		{constant.MakeInt64(3), basic(types.UntypedRune), "int32(3)"},
		{constant.MakeFloat64(0.1), basic(types.Float32), "float32(0.1)"},
		{constant.MakeUint64(1 << 63), basic(types.Uint64), "uint64(9223372036854775808)"},
		{constant.MakeString("a\xff"), basic(types.String), `"a\xff"`},
		{constant.MakeBool(true), basic(types.UntypedBool), "true"},
	} {
		if got := literal(e, c.value, c.typ); got != c.want {
			t.Errorf("%v of type %s becomes %s, want %s", c.value, c.typ, got, c.want)
		}
	}
}

func TestNegativeShiftCountPanics(t *testing.T) {
	if got := shiftCount(3); got != 3 {
		t.Errorf("got %d", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative shift count does not panic")
		}
	}()
	t.Errorf("got %d", shiftCount(-1))
}
