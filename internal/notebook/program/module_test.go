package program

import (
	"slices"
	"testing"
)

func TestModulesAreRequiredWhereTheyAreImported(t *testing.T) {
	some := []Requirement{{Path: "example.org/one", Version: "v1.2.3", Indirect: true}, {Path: "gonum.org/v1/gonum", Version: "v0.16.0"}}
	const required = "\nrequire gonum.org/v1/gonum v0.16.0\n\nrequire example.org/one v1.2.3 // indirect\n"
	replaced := []Requirement{{Path: "example.org/one", Version: "v1.2.3", Replacement: "example.org/two@v1.3.0"}}
	for _, test := range []struct {
		name        string
		imports     []string
		list        []Requirement
		mod         string
		brings, own []string
	}{
		{"plain", []string{"fmt", "math/rand/v2"}, nil, "module plain\n\ngo 1.27\n", nil, nil},
		{"of-gonum", []string{"fmt", "gonum.org/v1/gonum/stat"}, some, "module of-gonum\n\ngo 1.27\n" + required, []string{"gonum.org/v1/gonum/stat"}, nil},
		{"own", []string{"gosphere/runtime/display"}, nil, "module own\n\ngo 1.27\n\nrequire gosphere v0.0.0\n\nreplace gosphere => ./gosphere\n", []string{"gosphere/runtime/display"}, []string{"gosphere/runtime/display"}},
		{"fork", []string{"example.org/one"}, replaced, "module fork\n\ngo 1.27\n\nrequire example.org/one v1.2.3\n\nreplace example.org/one => example.org/two v1.3.0\n", []string{"example.org/one"}, nil},
	} {
		exported := &Exported{Imports: test.imports}
		if mod, err := exported.GoMod(test.name, test.list); string(mod) != test.mod || err != nil {
			t.Errorf("%q:\n%s\nwant\n%s\n%v", test.name, mod, test.mod, err)
		}
		if !slices.Equal(exported.Brought(), test.brings) || !slices.Equal(exported.Own(), test.own) {
			t.Errorf("%q brings %q, of gosphere %q", test.name, exported.Brought(), exported.Own())
		}
	}
	if mod, err := OwnMod(some[1:]); string(mod) != "module gosphere\n\ngo 1.27\n\nrequire gonum.org/v1/gonum v0.16.0\n" || err != nil {
		t.Errorf("%s%v", mod, err)
	}
}

// The go command gives names of the standard library and some others another meaning.
func TestModuleNamesMeanNothingElse(t *testing.T) {
	for name, want := range map[string]string{"ideas": "ideas", "2-ways": "notebook-2-ways", "": "notebook", "sort": "notebook-sort", "std": "notebook-std", "main": "notebook-main", "gosphere": "notebook-gosphere"} {
		if got := ModuleName(name, func(path string) bool { return path == "sort" }); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
