package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/traefik/yaegi/extract"
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
	Radius float64 // from the centre
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
		{"values", got.values, []symbol{{"Level", "shapes.Level"}, {"New", "shapes.New"}, {"Yes", "shapes.Yes"}}},
		{"variables", got.variables, []symbol{{"Area", "&shapes.Area"}}},
		{"types", got.types, []symbol{{"Circle", "(*shapes.Circle)(nil)"}, {"Grade", "(*shapes.Grade)(nil)"},
			{"Ints", "(*shapes.Ints)(nil)"}, {"Shape", "(*shapes.Shape)(nil)"}}},
	} {
		if !slices.Equal(c.list, c.want) {
			t.Errorf("%s are %v, want %v", c.group, c.list, c.want)
		}
	}
	constants := map[string]string{}
	for _, s := range got.constants {
		constants[s.name] = s.expression
	}
	for name, want := range map[string]string{"Small": "int64(1)", "Huge": `integer("1208925819614629174706176")`, "Text": `"a\tb"`} {
		if constants[name] != want {
			t.Errorf("constant %s is %s, want %s", name, constants[name], want)
		}
	}
	if !strings.HasPrefix(constants["Share"], `float("0.33333333333333333333333333333333`) {
		t.Errorf("constant Share is %s, want a third with more digits than a float64 has", constants["Share"])
	}
	if len(constants) != 4 {
		t.Errorf("untyped constants are %v, want four", constants)
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
		{platforms[4:], "_windows", "windows"},
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
		"Circle.Radius": "from the centre", "Circle.Grow": "Grow is a method.", "Shape.Measure": "Measure is one.",
		"hidden": "", "Circle.secret": "", "Number": "",
	} {
		if docs[name] != want {
			t.Errorf("documentation of %q is %q, want %q", name, docs[name], want)
		}
	}
}

var extracted = regexp.MustCompile(`(?m)^\s*"(\w+)":\s+reflect\.ValueOf\((.*)\)(\.Elem\(\))?,$`)

// yaegi's own generator must find the same names in the same roles. It renames what
// it replaces by something safer and adds wrappers, which we have no use for.
func TestTablesAgreeWithYaegisExtract(t *testing.T) {
	needGenerator(t)
	for _, path := range []string{"container/list", "math", "os", "text/template"} {
		var b bytes.Buffer
		extractor := extract.Extractor{Dest: "symbols"}
		if _, err := extractor.Extract(path, "", &b); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, match := range extracted.FindAllStringSubmatch(b.String(), -1) {
			if name := match[1]; !strings.HasPrefix(name, "_") {
				want[name] = role(match[2] + match[3])
			}
		}
		got := committedRoles(t, path)
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s.%s is a %q, extract makes it a %q", path, name, got[name], want[name])
			}
		}
		for name := range got {
			if want[name] == "" {
				t.Errorf("%s.%s is not found by extract", path, name)
			}
		}
	}
}

// role tells what an expression of either generator stands for.
func role(expression string) string {
	switch {
	case strings.HasPrefix(expression, "&"):
		return "variable"
	case strings.HasSuffix(expression, "(nil)"):
		return "type"
	case strings.HasPrefix(expression, "constant."), strings.HasPrefix(expression, `"`),
		strings.HasPrefix(expression, "int64("), strings.HasPrefix(expression, "float("), strings.HasPrefix(expression, "integer("):
		return "constant"
	}
	return "value"
}

// committedRoles reads the names and roles of a package from the committed tables.
func committedRoles(t *testing.T, path string) map[string]string {
	t.Helper()
	entry := regexp.MustCompile(`(?m)^\s*\{"(\w+)", (.*)\},$`)
	files, err := filepath.Glob(filepath.Join(committed, fileName(path)+"*.go"))
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]string{}
	for _, file := range files {
		if strings.Contains(file, "windows") || filepath.Base(file) != fileName(path)+".go" && !strings.Contains(file, "_only") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range entry.FindAllStringSubmatch(string(text), -1) {
			roles[match[1]] = role(match[2])
		}
	}
	return roles
}
