package generic

import (
	"go/importer"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

func TestCompiledInstancesWork(t *testing.T) {
	sort, ok := Compiled("slices", "Sort", []string{"[]int", "int"})
	if !ok {
		t.Fatal("no slices.Sort of []int")
	}
	xs := []int{3, 1, 2}
	sort.Interface().(func([]int))(xs)
	if xs[0] != 1 || xs[2] != 3 {
		t.Errorf("sorted: %v", xs)
	}
	for _, arguments := range [][]string{{"[]main.T", "main.T"}, {"[]int"}, {"int", "[]int"}, nil} {
		if _, ok := Compiled("slices", "Sort", arguments); ok {
			t.Errorf("an instance for %v", arguments)
		}
	}
}

// TestCompiledTypesAreThoseOfTheInstance has go/types instantiate each entry of the table.
func TestCompiledTypesAreThoseOfTheInstance(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the standard library")
	}
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for key, function := range compiledTable() {
		path, rest, _ := strings.Cut(key, ".")
		name, arguments, _ := strings.Cut(strings.TrimSuffix(rest, "]"), "[")
		std, err := imports.Import(path)
		if err != nil {
			t.Skip(err)
		}
		var list []types.Type
		for argument := range strings.SplitSeq(arguments, ",") {
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, argument)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, v.Type)
		}
		instance, err := types.Instantiate(nil, std.Scope().Lookup(name).Type(), list, true)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		want := types.TypeString(stripNames(instance.(*types.Signature)), nil)
		got := function.Type().String()
		if got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

// stripNames removes the names of parameters and results.
func stripNames(s *types.Signature) *types.Signature {
	strip := func(list *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range list.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, strip(s.Params()), strip(s.Results()), s.Variadic())
}
