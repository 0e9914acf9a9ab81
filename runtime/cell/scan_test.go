package cell

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestTokensCoverTheirText(t *testing.T) {
	for _, source := range []string{
		"x := 1 + foo(\"a\", 'b') // c\n", "`raw\r\nwith returns\r\n`; y", "a\xffb", "/* c */ f()", "s := \"open", "λ.μ", "x<<=1; y&^=2", "\ufeffx", "a\x00b", "`open",
	} {
		end := 0
		for _, l := range scan(source) {
			if l.start < end || l.end < l.start || l.end > len(source) {
				t.Errorf("%q: token %q from %d to %d after %d", source, l.literal, l.start, l.end, end)
			}
			end = l.end
			if l.token == token.IDENT && source[l.start:l.end] != l.literal {
				t.Errorf("%q: %q is said to be %q", source, l.literal, source[l.start:l.end])
			}
		}
	}
}

func TestRawStringsWithCarriageReturnsAreOneToken(t *testing.T) {
	source := "s := `a\r\nb`\nx"
	pieces := Pieces(source)
	if len(pieces) != 2 || source[pieces[0].Code:pieces[0].CodeEnd] != "s := `a\r\nb`" {
		t.Errorf("pieces %+v", pieces)
	}
}

func TestBlankKeepsLengthAndLines(t *testing.T) {
	for _, text := range []string{"", "abc", "é\n\tx\r\n", "\xff\n"} {
		b := string(blank(text))
		if len(b) != len(text) || strings.Count(b, "\n") != strings.Count(text, "\n") || strings.Trim(b, " \n") != "" {
			t.Errorf("%q becomes %q", text, b)
		}
	}
}

func TestLineDirectivesAreBlanked(t *testing.T) {
	cases := map[string]string{
		"//line a:1\nx":         "          \nx",
		"/*line a:1*/x":         "            x",
		"// line of text\nx":    "// line of text\nx",
		"s := \"//line a:1\"":   "s := \"//line a:1\"",
		"x //line a:1\ny":       "x           \ny",
		"/*line\na:1*/\nx := 2": "/*line\na:1*/\nx := 2",
	}
	for source, want := range cases {
		if got, _ := withoutLineDirectives(source); got != want {
			t.Errorf("%q becomes %q, want %q", source, got, want)
		}
	}
}

func TestLineDirectivesAreRead(t *testing.T) {
	source := "//line a.go:7\nx\n//line c:/b.go:10:20\n x //line a.go:1\n//line :3\r\n//line d.go\n//line e.go:0\n//line f.go:1:x\n/*line g.go:1*/\n"
	want := []LineDirective{{1, "a.go", 7}, {3, "c:/b.go", 10}, {5, "", 3}}
	if _, got := withoutLineDirectives(source); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKindsOfFunctions(t *testing.T) {
	declarations := []string{"func f", "func f()", "func f[T any]()", "func (t T) M()", "func (t *T[K, V]) M() {}", "func (T) M() {}", "func ((T)) M() {}", "func"}
	literals := []string{"func() {}()", "func(a int) {}(1)", "func(a, b int) (c int) { return }(1, 2)", "func(f func() int) int { return f() }(g)", "func() T[int] { return 1 }()", "func() *T { return nil }()", "func("}
	for _, source := range declarations {
		if k := Pieces(source)[0].Kind; k != FunctionDeclaration {
			t.Errorf("%q has kind %d", source, k)
		}
	}
	for _, source := range literals {
		if k := Pieces(source)[0].Kind; k != Statement {
			t.Errorf("%q has kind %d", source, k)
		}
	}
}
