package check

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/cell"
)

// surveyed parses and surveys a cell.
func surveyed(t *testing.T, source string) *survey {
	t.Helper()
	c, err := cell.Parse(1, source)
	if err != nil {
		t.Fatal(err)
	}
	return newSurvey(c)
}

// names formats a set in order.
func names(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), " ")
}

func TestSurveyFindsWhatACellDeclares(t *testing.T) {
	cases := []struct{ source, declared, variables string }{
		{"x := 1", "", "x"},
		{"a, _, b := f()", "", "a b"},
		{"var (\n\ta, b = 1, 2\n\tc int\n)", "", "a b c"},
		{"var _ = 1\n_ = 2", "", ""},
		{"x = 1\nx++", "", ""},
		{"b := 1\na := 2\nb := 3", "", "b a"},
		{"for i := 0; i < 3; i++ {\n\tx := i\n}", "", ""},
		{"if v, ok := m[1]; ok {\n}", "", ""},
		{"{\n\tx := 1\n\tvar y int\n}", "", ""},
		{"func() { x := 1 }()", "", ""},
		{"here:\n\tx := 1\ngoto here", "", "x"},
		{"const (\n\tA = iota\n\t_\n\tB, C = 1, 2\n)", "A B C", ""},
		{"type T struct{ f int }\ntype (\n\tU int\n\tV = T\n)", "T U V", ""},
		{"func f() {}\nfunc (t T) M() {}\nfunc init() {}\nfunc _() {}", "f", ""},
		{"package main\nvar x = 1\nfunc main() { y := 2; _ = y }", "main", "x"},
		{"type T int; x := T(1); const k = 2", "T k", "x"},
	}
	for _, c := range cases {
		s := surveyed(t, c.source)
		if got := names(s.declared); got != c.declared {
			t.Errorf("%q declares %q, want %q", c.source, got, c.declared)
		}
		if got := strings.Join(s.order, " "); got != c.variables {
			t.Errorf("%q defines %q, want %q", c.source, got, c.variables)
		}
	}
}

func TestSurveyRemembersImportsAndConstantGroups(t *testing.T) {
	s := surveyed(t, "import \"fmt\"\nx := 1\nimport (\n\tm \"math\"\n\t_ \"os\"\n)\nconst (\n\tA = 1\n\tB = 2\n)\nfmt.Println(x)")
	if len(s.imports) != 3 {
		t.Errorf("%d imports, want 3", len(s.imports))
	}
	groups := map[*ast.GenDecl]int{}
	for _, group := range s.constants {
		groups[group]++
	}
	if len(s.constants) != 2 || len(groups) != 1 {
		t.Errorf("%d constants in %d groups, want 2 in 1", len(s.constants), len(groups))
	}
}

func TestMentionsLeaveOutWhatStandsBehindADot(t *testing.T) {
	cases := []struct{ source, names, bases string }{
		{"a.b.c", "a", "a"},
		{"a.b(c).d", "a c", "a"},
		{"f(x)[y].z", "f x y", ""},
		{"(a).b", "a", ""},
		{"T{k: v.w}", "T k v", "v"},
		{"func(p q.R) { s.t() }(1)", "p q s", "q s"},
		{"x.(y.Z)", "x y", "y"},
		{"*p.q", "p", "p"},
		{"&a.b.c", "a", "a"},
	}
	for _, c := range cases {
		s, err := cell.Parse(1, c.source)
		if err != nil {
			t.Fatal(err)
		}
		m := mentionsOf(s.Value)
		if got := names(m.names); got != c.names {
			t.Errorf("%q mentions %q, want %q", c.source, got, c.names)
		}
		if got := names(m.bases); got != c.bases {
			t.Errorf("%q has the bases %q, want %q", c.source, got, c.bases)
		}
	}
	m := newMentions()
	m.merge(mentions{map[string]bool{"a": true}, map[string]bool{"b": true}})
	if !m.anyOf(map[string]bool{"x": true, "a": true}) || m.anyOf(map[string]bool{"b": true}) || !m.bases["b"] {
		t.Errorf("merged into %v", m)
	}
}

func TestStubsKeepTheSignature(t *testing.T) {
	f := surveyed(t, "func (t *T) M(a int, b ...string) (c error) { return nope }").functions[0]
	s := stub(f)
	if s.Name != f.Name || s.Type != f.Type || s.Recv != f.Recv || len(s.Body.List) != 1 || len(f.Body.List) != 1 {
		t.Errorf("the stub is %+v", s)
	}
	if m := mentionsOf(s.Body); len(m.names) != 0 {
		t.Errorf("the body of the stub mentions %v", m.names)
	}
}

func TestSortImportsKeepsOneOfEach(t *testing.T) {
	list := sortImports([]Import{{"b", "y", false}, {"a", "x", false}, {"b", "x", true}, {"a", "x", true}, {".", "z", false}})
	want := []Import{{".", "z", false}, {"a", "x", false}, {"b", "x", true}, {"b", "y", false}}
	if len(list) != len(want) {
		t.Fatalf("%v, want %v", list, want)
	}
	for i := range want {
		if list[i].Name != want[i].Name || list[i].Path != want[i].Path {
			t.Errorf("%v, want %v", list, want)
		}
	}
}

func TestImportDeclarationsNameEachPackageOnce(t *testing.T) {
	group := importDeclarations([]Import{{"a", "x/a", true}, {"a", "x/b", false}, {".", "p", false}, {".", "q", false}, {".", "p", true}})[0].(*ast.GenDecl)
	var got []string
	for _, spec := range group.Specs {
		s := spec.(*ast.ImportSpec)
		got = append(got, s.Name.Name+s.Path.Value)
	}
	if want := `a"x/a" ."p" ."q"`; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if importDeclarations(nil) != nil {
		t.Error("a declaration for nothing")
	}
}
