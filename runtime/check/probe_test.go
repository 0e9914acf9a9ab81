package check_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// probe parses and probes a cell after other cells.
func probe(t *testing.T, s *check.Session, source string, look func(*check.Probe)) {
	t.Helper()
	c, err := cell.Parse(0, source)
	if err != nil {
		t.Fatal(err)
	}
	looked := false
	s.Probe(c, func(p *check.Probe) { looked = true; look(p) })
	if !looked {
		t.Errorf("%q was not looked at", source)
	}
	c.Forget()
}

// identifier returns the last identifier with a name in a probed cell.
func identifier(p *check.Probe, name string) *ast.Ident {
	var found *ast.Ident
	for _, file := range []*ast.File{p.Cell.Declarations, p.Cell.Statements} {
		ast.Inspect(file, func(n ast.Node) bool {
			if ident, ok := n.(*ast.Ident); ok && ident.Name == name {
				found = ident
			}
			return true
		})
	}
	return found
}

func TestProbesTypeCellsWithErrors(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "type T struct{ A int }\nt := T{1}")
	cases := []struct{ source, name, want string }{
		{"x := t.A\nnope(x", "", ""},
		{"x := t.A\nnope(x)", "x", "int"},
		{"var bad int = \"s\"\ny := []T{t}\ny", "y", "[]main.T"},
		{"func f(p *T) { p.Nope() }", "p", "*main.T"},
		{"z := 1.5\nfunc f() { _ = z; nope() }", "z", "float64"},
		{"import \"no/such\"\nw := strings.Fields(\"\")", "w", "[]string"},
	}
	for _, c := range cases {
		if c.name == "" {
			continue
		}
		probe(t, s, c.source, func(p *check.Probe) {
			object := p.Info.ObjectOf(identifier(p, c.name))
			if object == nil || object.Type().String() != c.want {
				t.Errorf("%q: %s is %v, want %s", c.source, c.name, object, c.want)
			}
		})
	}
	if len(s.Symbols()) != 2 {
		t.Errorf("the session has %d symbols after probes, want 2", len(s.Symbols()))
	}
}

func TestProbesKnowTheScopeOfAPlace(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "outer := 1")
	source := "first := 1\nfunc f(param int) {\n\tif inner := 2; inner > 1 {\n\t\there()\n\t}\n\tlater := 3\n\t_ = later\n}\nsecond := 2"
	probe(t, s, source, func(p *check.Probe) {
		pos := identifier(p, "here").Pos()
		scope := p.Scope(pos)
		for name, want := range map[string]bool{"param": true, "inner": true, "f": true, "later": false, "nope": false} {
			_, object := scope.LookupParent(name, pos)
			if (object != nil) != want {
				t.Errorf("%s is visible: %v, want %v", name, object != nil, want)
			}
		}
		var names []string
		for _, object := range p.Variables() {
			names = append(names, object.Name())
		}
		if got := strings.Join(names, " "); got != "first second" {
			t.Errorf("variables %s, want first second", got)
		}
		pos = identifier(p, "second").Pos()
		if _, object := p.Scope(pos).LookupParent("first", pos); object == nil {
			t.Error("first is not visible in the statements")
		}
	})
}

func TestProbesDescribeDeclarations(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "// F adds.\nfunc F(a int) int {\n\treturn a\n}\n\n// T holds.\ntype T struct{ n int }\n\n// M does.\nfunc (t T) M() {}\n\n// Group of constants.\nconst (\n\t// One is first.\n\tOne = 1\n\tTwo = 2 // behind\n)\n\n// v counts.\nvar v, w int\nu := 3")
	// Objects of the cell itself take precedence if it redeclares a name.
	source := "F(v + w + u + One + Two)\nT{}.M()\n// G is new.\nfunc G() {}\nG()"
	want := map[string][2]string{
		"F":   {"F adds.\n", "func F(a int) int {\n\treturn a\n}"},
		"T":   {"T holds.\n", "type T struct{ n int }"},
		"M":   {"M does.\n", "func (t T) M() {}"},
		"One": {"One is first.\n", "const One = 1"},
		"Two": {"behind\n", "const Two = 2"},
		"v":   {"v counts.\n", "var v, w int"},
		"w":   {"v counts.\n", "var v, w int"},
		"u":   {"", ""},
		"G":   {"G is new.\n", "func G() {}"},
	}
	probe(t, s, source, func(p *check.Probe) {
		for name, texts := range want {
			object := p.Info.Uses[identifier(p, name)]
			if object == nil {
				t.Errorf("%s is not used", name)
				continue
			}
			if doc, text := p.Describe(object); doc != texts[0] || text != texts[1] {
				t.Errorf("%s: %q, %q, want %q, %q", name, doc, text, texts[0], texts[1])
			}
		}
		if doc, text := p.Describe(types.Universe.Lookup("len")); doc != "" || text != "" {
			t.Errorf("len: %q, %q", doc, text)
		}
	})
}

func TestProbesListSymbolsAndImports(t *testing.T) {
	s := check.NewSession(store(t))
	mustCheck(t, s, 1, "import \"fmt\"\nb := 1\nfunc a() int { return b }\nfmt.Sprint()")
	mustCheck(t, s, 2, "b := \"s\"")
	probe(t, s, "import m \"math\"\nb", func(p *check.Probe) {
		var names []string
		for _, symbol := range p.Symbols() {
			names = append(names, symbol.Name)
		}
		if !slices.Equal(names, []string{"b"}) {
			t.Errorf("symbols %v, want b alone: a is broken", names)
		}
		imports := p.Imports()
		if len(imports) != 2 || imports["fmt"] != "fmt" || imports["m"] != "math" {
			t.Errorf("imports %v", imports)
		}
		if symbol := p.SymbolOf(p.Info.Uses[identifier(p, "b")]); symbol == nil || symbol.Version != 2 {
			t.Errorf("b is %v", symbol)
		}
	})
	if s.Lookup("a").Broken == nil || s.Lookup("nope") != nil {
		t.Error("Lookup does not tell a broken function")
	}
}
