package program

import (
	"slices"
	"testing"
)

func TestModulesAreRequiredWhereTheyAreImported(t *testing.T) {
	some := []Requirement{{"example.org/one", "v1.2.3", true}, {"gonum.org/v1/gonum", "v0.16.0", false}}
	const required = "\nrequire (\n\tgonum.org/v1/gonum v0.16.0\n)\n\nrequire (\n\texample.org/one v1.2.3 // indirect\n)\n"
	for _, test := range []struct {
		name        string
		imports     []string
		list        []Requirement
		mod         string
		brings, own []string
	}{
		{"plain", []string{"fmt", "math/rand/v2"}, nil, "module plain\n\ngo 1.26\n", nil, nil},
		{"of-gonum", []string{"fmt", "gonum.org/v1/gonum/stat"}, some, "module of-gonum\n\ngo 1.26\n" + required, []string{"gonum.org/v1/gonum/stat"}, nil},
		{"own", []string{"gosphere/runtime/display"}, nil, "module own\n\ngo 1.26\n\nrequire (\n\tgosphere v0.0.0\n)\n\nreplace gosphere => ./gosphere\n", []string{"gosphere/runtime/display"}, []string{"gosphere/runtime/display"}},
		{"2-ways", nil, nil, "module notebook-2-ways\n\ngo 1.26\n", nil, nil},
		{"", nil, nil, "module notebook\n\ngo 1.26\n", nil, nil},
	} {
		exported := &Exported{Imports: test.imports}
		if mod := exported.GoMod(test.name, test.list); mod != test.mod {
			t.Errorf("%q:\n%s\nwant\n%s", test.name, mod, test.mod)
		}
		if !slices.Equal(exported.Brought(), test.brings) || !slices.Equal(exported.Own(), test.own) {
			t.Errorf("%q brings %q, of gosphere %q", test.name, exported.Brought(), exported.Own())
		}
	}
	if mod := OwnMod(some[1:]); mod != "module gosphere\n\ngo 1.26\n\nrequire (\n\tgonum.org/v1/gonum v0.16.0\n)\n" {
		t.Error(mod)
	}
}
