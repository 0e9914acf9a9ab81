package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"testing"
)

// shapes is a small package with every sort of declaration.
const shapes = `// Package shapes is documented.
package shapes

// Group.
const (
	Small = 1 // beside
	// Above.
	Huge  = 1 << 80
	Share = 1.0 / 3
	Text  = "a\tb"
	Yes   = true
	Level Grade = 4
	hidden = 0
)

// A Grade is typed.
type Grade uint8

// Area is a variable.
var Area float64

// Max is generic.
func Max[T int | float64](a, b T) T { return a }

// New makes one.
func New() *Circle { return nil }

// Circle has members.
type Circle struct {
	Radius float64 // from the center
	secret int
}

// Grow is a method.
func (c *Circle) Grow() {}

// Shape has methods.
type Shape interface {
	// Measure is one.
	Measure() float64
}

type Number interface{ ~int | ~float64 }
type List[T any] []T
type Ints = List[int]
`

func checkShapes(t *testing.T) (*token.FileSet, []*ast.File, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "shapes.go", shapes, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("geo/shapes", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fset, []*ast.File{file}, pkg
}

func TestTableHoldsWhatHasAValue(t *testing.T) {
	_, _, pkg := checkShapes(t)
	got := tableOf(pkg)
	for _, c := range []struct {
		group string
		list  []symbol
		want  []symbol
	}{
		{"values", got.values, []symbol{{"New", "shapes.New"}}},
		{"variables", got.variables, []symbol{{"Area", "&shapes.Area"}}},
		{"types", got.types, []symbol{{"Circle", "(*shapes.Circle)(nil)"}, {"Grade", "(*shapes.Grade)(nil)"},
			{"Ints", "(*shapes.Ints)(nil)"}, {"Shape", "(*shapes.Shape)(nil)"}}},
	} {
		if !slices.Equal(c.list, c.want) {
			t.Errorf("%s are %v, want %v", c.group, c.list, c.want)
		}
	}
}

func TestRenderedTableIsGoCode(t *testing.T) {
	_, _, pkg := checkShapes(t)
	source, err := tableOf(pkg).render("linux && amd64")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "table.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if !ast.IsGenerated(file) {
		t.Error("the first line does not say that the file is generated")
	}
	if !bytes.Contains(source, []byte("//go:build linux && amd64\n\npackage symbols")) {
		t.Errorf("no build constraint in\n%s", source[:200])
	}
}

func TestPackagesWithoutSymbolsAreStillLinked(t *testing.T) {
	source, err := (&table{path: "time/tzdata", name: "tzdata"}).render("")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(source, []byte(`import _ "time/tzdata"`)) {
		t.Errorf("table does not import its package:\n%s", source)
	}
}

func TestImportNamesFollowThePackageClause(t *testing.T) {
	source, err := (&table{path: "math/rand/v2", name: "rand", values: []symbol{{"Int", "rand.Int"}}}).render("")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(source, []byte(`import rand "math/rand/v2"`)) {
		t.Errorf("import has no name:\n%s", source)
	}
}

func TestDescribeNamesSetsOfPlatforms(t *testing.T) {
	for _, c := range []struct {
		group              []platform
		suffix, constraint string
	}{
		{platforms, "", ""},
		{platforms[:1], "_linux_amd64", "linux && amd64"},
		{platforms[4:6], "_windows", "windows"},
		{platforms[6:], "_js", "js"},
		{platforms[:4], "_darwin_linux_only", "darwin || linux"},
		{platforms[:3], "_darwin_amd64_linux_only", "(darwin && amd64) || linux"},
	} {
		suffix, constraint := describe(c.group)
		if suffix != c.suffix || constraint != c.constraint {
			t.Errorf("%v is %q, %q, want %q, %q", c.group, suffix, constraint, c.suffix, c.constraint)
		}
	}
}

func TestFileNamesCarryNoHiddenConstraint(t *testing.T) {
	systems := regexp.MustCompile(`_(linux|darwin|windows|unix|js|wasip1|plan9|amd64|arm64|arm|wasm|test)$`)
	for _, path := range slices.Concat(thirdParty, own, []string{"os", "debug/plan9obj", "testing", "runtime/debug"}) {
		if name := fileName(path); systems.MatchString(name) {
			t.Errorf("%s.go for %s would be left out on most platforms", name, path)
		}
	}
}

func TestDocsCoverMembersAndGroups(t *testing.T) {
	fset, files, _ := checkShapes(t)
	docs, err := docsOf(fset, files, "geo/shapes")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": "Package shapes is documented.", "Small": "Group.\n\nbeside", "Huge": "Above.", "Level": "Group.",
		"Area": "Area is a variable.", "Max": "Max is generic.", "New": "New makes one.", "Circle": "Circle has members.",
		"Circle.Radius": "from the center", "Circle.Grow": "Grow is a method.", "Shape.Measure": "Measure is one.",
		"hidden": "", "Circle.secret": "", "Number": "",
	} {
		if docs[name] != want {
			t.Errorf("documentation of %q is %q, want %q", name, docs[name], want)
		}
	}
}
