package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// checkedFile parses and checks a file, and returns its variable v with its list or its value.
func checkedFile(t *testing.T, text string, take bool) (*types.Info, *ast.ValueSpec, *List, error) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err, text)
	}
	var list *List
	if take {
		for _, l := range takeLists([]*ast.File{f}) {
			if l.name.Name == "v" {
				list = l
			}
		}
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	_, err = (&types.Config{}).Check("a", fset, []*ast.File{f}, info)
	last := f.Decls[len(f.Decls)-1].(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
	return info, last, list, err
}

// valueOf returns the value of a checked expression in a type that typeOf has made. It is the
// reference for List, and uses what the checker has found.
func valueOf(info *types.Info, e ast.Expr, to reflect.Value) {
	if c := info.Types[e].Value; c != nil {
		switch to.Kind() {
		case reflect.String:
			to.SetString(constant.StringVal(c))
		case reflect.Bool:
			to.SetBool(constant.BoolVal(c))
		case reflect.Float32, reflect.Float64:
			f, _ := constant.Float64Val(c)
			to.SetFloat(f)
		default:
			if v, ok := constant.Int64Val(constant.ToInt(c)); ok && to.CanInt() {
				to.SetInt(v)
			} else if v, ok := constant.Uint64Val(constant.ToInt(c)); ok {
				to.SetUint(v)
			}
		}
		return
	}
	at := 0
	for i, x := range e.(*ast.CompositeLit).Elts {
		if to.Kind() == reflect.Struct {
			if pair, ok := x.(*ast.KeyValueExpr); ok {
				i, x = fieldOf(to.Type(), pair.Key.(*ast.Ident).Name), pair.Value
			}
			valueOf(info, x, to.Field(i))
			continue
		}
		if pair, ok := x.(*ast.KeyValueExpr); ok {
			index, _ := constant.Int64Val(info.Types[pair.Key].Value)
			at, x = int(index), pair.Value
		}
		valueOf(info, x, to.Index(at))
		at++
	}
}

// randomList writes the declaration of a list, which may be wrong or not a list of literals.
func randomList(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	element := pick("uint8", "int16", "rune", "uint64", "float32", "float64", "string", "bool", "code", "pair", "[2]int8", "struct{a, b byte}", "deep", "error", "[]int")
	literal := func() string {
		if r.IntN(400) == 0 {
			return pick("x", "1<<3", "nil", "300", "-1", "1.5", `"a"`, "'a'", "len(\"ab\")", "1i", "code(1)", "-'a'", "1e40", "18446744073709551615", "uint8(3)", "{1}", "{}")
		}
		switch element {
		case "uint8", "int16", "rune", "uint64", "code":
			return pick("1", "0x7f", "'b'", "0b101", "017", "1_0", "2.0", "1e2")
		case "float32", "float64":
			return pick("1", "0x1p-2", "3.14159265358979", "-1e-46", "-0.0", "1e-330", "'c'", "0.1")
		case "string":
			return pick(`"a"`, "`b\\n`", `"\u00e9\x00"`)
		case "bool":
			return pick("true", "false")
		case "pair":
			return pick("{1, 2}", "{a: 3}", "{b: 4, a: 1}", "{}", "pair{1, 2}")
		case "deep":
			return pick(`{"a", pair{1, 2}}`, `{p: {a: 1}}`, `{n: "x", p: {1, 2}}`, `{}`)
		case "error":
			return "nil"
		case "[]int":
			return pick("nil", "{1}", "{}")
		}
		return pick("{1, 2}", "{}", "{3, 4}")
	}
	if element == "pair" && r.IntN(2) == 0 { // no element has a type
		literal = func() string { return pick("{1, 2}", "{a: 3}", "{b: 4, a: 1}", "{}", "{-1, 2}") }
	}
	var elements []string
	for i := range leastElements + r.IntN(20) {
		text := literal()
		if r.IntN(40) == 0 {
			text = pick(fmt.Sprint(i+r.IntN(50)), "0x10", "'a'", "k") + ": " + text
		}
		elements = append(elements, text)
	}
	shadow := pick("", "", "", "", "", "type uint8 int16", "const true = false", "func string() {}", "type float64 = float32", "var rune int")
	length := pick("", "", "...", "...", "1000", "40", "k")
	return "package a\nconst k = 100\nvar x = 1\n" + shadow + "\ntype code int8\ntype pair struct { a int8; b code }\ntype deep struct { n string; p pair }\n" +
		"var v = [" + length + "]" + element + "{" + strings.Join(elements, ", ") + "}\n"
}

func TestListsInsideLiteralsAreTaken(t *testing.T) {
	long := strings.Repeat("1, ", leastElements)
	text := "package a\ntype h struct { n string; x []uint16 }\nvar v = []h{{\"a\", []uint16{" + long + "}}, {x: []uint16{2, " + long + "}}, {x: []uint16{3}}}\n" +
		"var w = func() []uint16 { return []uint16{" + long + "} }\n" +
		"var m = map[string][2]func() []uint16{\"a\": {func() []uint16 { return []uint16{" + long + "} }}}\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lists := takeLists([]*ast.File{f})
	if _, err := new(types.Config).Check("a", fset, []*ast.File{f}, nil); err != nil {
		t.Fatal(err)
	}
	if len(lists) != 2 || lists[0].value.Len() != leastElements || lists[1].value.Index(0).Uint() != 2 {
		t.Errorf("%d lists", len(lists))
	}
}

func TestListsAreWhatTheCheckerFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	taken, refused := map[string]int{}, 0
	for range 6000 {
		text := randomList(r)
		info, spec, _, want := checkedFile(t, text, false)
		taker, _, list, got := checkedFile(t, text, true)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("error %v, want %v in\n%s", got, want, text)
		}
		if want != nil {
			refused++
			continue
		}
		if list == nil {
			continue
		}
		reference := reflect.MakeSlice(list.value.Type(), list.value.Len(), list.value.Len())
		valueOf(info, spec.Values[0], reference)
		if !reflect.DeepEqual(list.value.Interface(), reference.Interface()) {
			t.Fatalf("%v, want %v in\n%s", list.value, reference, text)
		}
		declared := info.Defs[spec.Names[0]].Type()
		if found := taker.Defs[list.name].Type(); types.TypeString(found, nil) != types.TypeString(declared, nil) {
			t.Fatalf("type %v, want %v in\n%s", found, declared, text)
		}
		taken[list.value.Type().Elem().Kind().String()]++
	}
	for _, kind := range []string{"uint8", "int16", "int32", "uint64", "float32", "float64", "string", "bool", "int8", "struct", "array"} {
		if taken[kind] < 20 {
			t.Errorf("%d lists of %s were taken: %v", taken[kind], kind, taken)
		}
	}
	if refused < 100 {
		t.Errorf("%d wrong lists", refused)
	}
}
