package assist

import (
	"go/ast"
	"strings"
	"testing"
)

func TestRepairMakesUnfinishedTextParse(t *testing.T) {
	// The bar marks the offset up to which the text must be kept.
	cases := []string{
		"f(|", "f(a, b|", "f(g(h[1], x|", "x.y|", "if x|", "if x {\n\ty|", "if x := f(); y|", "for x|", "for i := 0; i < x|",
		"for i := 0; i < 3; i++ {\n\tif a {\n\t\tb(c|", "for _, v := range x|", "switch x|", "switch x {\ncase y|", "select {\ncase x|",
		"switch {\ncase a > b|", "func f(a T|", "func f(a T) U|", "func f(a T) (U, V|", "func (r R|", "func (r R) M(x|", "func f() {\n\tx|",
		"func f() {\n\treturn x|", "go f|", "defer x.y|", "var x T|", "var x []T|", "var x map[K]V|", "x := T{a|", "x := T{a: b|", "x := []T{{a|",
		"x := map[K]V{k|", "type T struct {\n\ta B|", "type T struct {\n\tB|", "type I interface {\n\tM(a|", "type T B|", "const c = x|",
		"x := func(a int) T|", "x := func(a int) { a|", "f(func(a int) {\n\tb|", "a.b(c).d|", "a[1].b|", "*x|", "&T{a|", "<-x|", "x + y|", "x, y := z|",
		"x.(T|", "x.(*T|", "make(chan T|", "f(x...).y|", "(a|", "!a|", "if a {\n} else if b|", "L:\nfor {\n\tbreak L|", "return x|",
		"f(a,\n\tb,\n\tc|", "var (\n\tx T|", "import x|", "\"a\" + x|", "x := `a` + y|", "ch <- x|", "x++\ny|", "x[a|", "x[a:b|", "G[int, T|",
	}
	for _, text := range cases {
		head, _, _ := strings.Cut(text, "|")
		if strings.HasPrefix(head, "import ") {
			continue // a name alone is no import, and nothing is to be completed there
		}
		got := repair(head, len(head))
		if !strings.HasPrefix(got, head) || !parses(got) {
			t.Errorf("%q is repaired to %q", text, got)
		}
	}
}

func TestRepairFallsBackToTheExpression(t *testing.T) {
	cases := []struct{ text, want string }{
		{"a b c := x.y", "x.y"},
		{"if ) x.y(1, 2)[3].z", "x.y(1, 2)[3].z"},
		{"for := a.b", "a.b"},
		{"= é.x", "é.x"},
	}
	for _, c := range cases {
		got := repair(c.text, len(c.text))
		if strings.TrimSpace(got) != c.want || strings.Index(got, c.want) != strings.LastIndex(c.text, c.want) {
			t.Errorf("%q is repaired to %q, want %q at its place", c.text, got, c.want)
		}
	}
}

func TestDraftsKeepTheOtherPieces(t *testing.T) {
	code := "a := 1\nb := := 2\nfunc f() { return }\ng(a, " + placeholder
	c := parseDraft(code, len(code))
	if c == nil {
		t.Fatal("no draft")
	}
	defer c.Forget()
	seen := map[string]int{}
	each(c, func(n ast.Node) {
		if ident, ok := n.(*ast.Ident); ok {
			seen[ident.Name]++
		}
	})
	if seen["a"] != 2 || seen["b"] != 0 || seen["f"] != 1 || seen[placeholder] != 1 {
		t.Errorf("the draft has %v of\n%s", seen, c.Source)
	}
}

func TestDraftsKeepPlaces(t *testing.T) {
	code := "é := := 1\n/* λ */ x.y = 3; f(x.z"
	c := parseDraft(code, len(code))
	if c == nil {
		t.Fatal("no draft")
	}
	defer c.Forget()
	found := false
	each(c, func(n ast.Node) {
		if ident, ok := n.(*ast.Ident); ok && ident.Name == "z" {
			found = true
			if got, want := offsetOf(c, code, ident.Pos()), strings.Index(code, "z"); got != want {
				t.Errorf("z is at %d, want %d", got, want)
			}
		}
	})
	if !found {
		t.Errorf("z is lost: %q", c.Source)
	}
}

func TestSurroundings(t *testing.T) {
	cases := []struct {
		text string
		want surrounding
	}{
		{"a|b", inCode}, {"|", inCode}, {"// a|", inComment}, {"x // a|\ny", inComment}, {"// a\n|", inCode}, {"/* a|", inComment},
		{"/* a */|", inCode}, {"/* a |*/ b", inComment}, {"\"a|\"", inString}, {"\"a\"|", inCode}, {"\"a|", inString}, {"`a|", inString},
		{"`a\nb|` + c", inString}, {"'|a'", inString}, {"import \"f|", inImportPath}, {"import \"f|\"", inImportPath},
		{"import (\n\t\"a\"\n\t\"b|\n)", inImportPath}, {"import (\n\t\"a\"\n)\nx := \"b|\"", inString}, {"import \"a\"; \"b|\"", inString},
		{"import m \"ma|", inImportPath}, {"f(\"a\", |", inCode}, {"\"//\" + a|", inCode},
	}
	for _, c := range cases {
		before, after, _ := strings.Cut(c.text, "|")
		if got, _ := surroundingOf(before+after, len(before)); got != c.want {
			t.Errorf("%q is in %d, want %d", c.text, got, c.want)
		}
	}
}

func TestWordsAndOffsets(t *testing.T) {
	cases := []struct{ text, word string }{
		{"abc|", "abc"}, {"a|bc", "abc"}, {"|abc", "abc"}, {"a.b|c", "bc"}, {"x + |", ""}, {"λx|", "λx"}, {"a1|", "a1"}, {"12|", ""}, {"f(|x)", "x"}, {"_a|", "_a"},
	}
	for _, c := range cases {
		before, after, _ := strings.Cut(c.text, "|")
		start, end := wordAround(before+after, len(before))
		if got := (before + after)[start:end]; got != c.word {
			t.Errorf("%q touches %q, want %q", c.text, got, c.word)
		}
	}
	for _, c := range []struct {
		code         string
		cursor, want int
	}{{"abc", 2, 2}, {"éa", 1, 2}, {"\U0001F600x", 1, 4}, {"abc", 9, 3}, {"abc", -1, 0}, {"\xff\xfe", 1, 1}, {"", 3, 0}} {
		if got := byteOffset(c.code, c.cursor); got != c.want {
			t.Errorf("cursor %d in %q is at %d, want %d", c.cursor, c.code, got, c.want)
		}
	}
}

func TestOpenBracketsAreClosedFromInside(t *testing.T) {
	cases := map[string]string{
		"": "", "f(": ")", "f(a[{": "}])", "f(a) {": "}", "\"(\" + [": "]", "// (\n{": "}", ")(": ")", "f(']', `{`": ")",
	}
	for text, want := range cases {
		if got := openBrackets(text); got != want {
			t.Errorf("%q needs %q, want %q", text, got, want)
		}
	}
}
