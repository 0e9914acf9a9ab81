package assist

import (
	"strings"
	"testing"

	"gosphere/runtime/check"
)

func TestInspectionTellsWhatIsThere(t *testing.T) {
	a := assistant(t, append(setup,
		"// twice gives two times n.\nfunc twice(n int) int { return 2 * n }",
		"// limit of everything\nconst limit = 3\nconst (\n\tred = iota // the first\n\tgreen\n)\n// total counts.\nvar total float64")...)
	a.Value = func(s *check.Symbol) (any, bool) { return 41, s.Name == "myCounter" }
	cases := []struct{ code, want string }{
		{"math.Sqrt|", "func Sqrt(x float64) float64\n\nSqrt returns the square root of x."},
		{"myCounter|", "var myCounter int = 41"},
		{"myPoint.Xcoord|", "field Xcoord int"},
		{"myPoint.Greet|", "func (p Point) Greet() string\n\nGreet returns a greeting for p."},
		{"addTwo|", "func addTwo(n int) int\n\naddTwo adds two."},
		{"var q Point|", "type Point struct {\n\tName string\n\tXcoord int\n}\n\nPoint is a named point."},
		{"math.Pow(|2, 3)", "func Pow(x float64, y float64) float64\n\nPow returns x**y"},
		{"math.Pow(2, |3", "func Pow(x float64, y float64) float64"},
		{"twice|", "func twice(n int) int\n\ntwice gives two times n."},
		{"tw|ice(3)", "func twice(n int) int\n\ntwice gives"},
		{"ma|th.Sqrt", "package math // import \"math\"\n\nPackage math provides"},
		{"limit|", "const limit = 3 // untyped int\n\nlimit of everything"},
		{"green + red|", "const red = 0 // untyped int\n\nthe first"},
		{"total|", "var total float64\n\ntotal counts."},
		{"x := myPoint\nx|", "var x Point"},
		{"for i, p := range myPoints {\n\tp|.Name", "var p Point"},
		{"var b strings.Builder\nb.WriteString|", "func (b *strings.Builder) WriteString(s string) (int, error)\n\nWriteString appends"},
		{"time.Duration|", "type time.Duration int64\n\nA Duration represents"},
		{"display|", "package display // import \"gosphere/runtime/display\"\n\nPackage display"},
		{"display.Progress|", "type display.Progress struct {\n\t// and fields that are not exported\n}\n\nA Progress shows"},
		{"csv.ParseError|", "type csv.ParseError struct {\n\tStartLine int\n\tLine int\n\tColumn int\n\tErr error\n}\n\nA ParseError is"},
		{"template.HTML|", "type template.HTML string\n\nHTML encapsulates"},
		{"math.Pi|", "const Pi = 3.14159 // untyped float"},
		{"fmt.Println(addTwo(|1))", "func addTwo(n int) int"},
		{"func f(count int) int {\n\treturn count|\n}", "var count int"},
		{"error|", "type error interface{Error() string}"},
		{"λ := 2; myPoint.Name|", "field Name string"},
		{"// Local is local.\nfunc Local() {}\nLocal|()", "func Local()\n\nLocal is local."},
	}
	for _, c := range cases {
		code, at := cursor(c.code)
		if got := a.Inspect(code, at, 0); !got.Found || !strings.HasPrefix(got.Plain, c.want) {
			t.Errorf("%q: found %v, %q\nwant %q", c.code, got.Found, got.Plain, c.want)
		}
	}
}

func TestInspectionOfACompiledTypeListsItsMethods(t *testing.T) {
	a := assistant(t, setup...)
	got := a.Inspect("csv.ParseError", 6, 0)
	if want := "\n\nfunc (e *csv.ParseError) Error() string\nfunc (e *csv.ParseError) Unwrap() error"; !strings.HasSuffix(got.Plain, want) {
		t.Errorf("%q does not end with %q", got.Plain, want)
	}
	if want := "```go\nfunc (e *csv.ParseError) Error() string\n"; !strings.Contains(got.Markdown, want) {
		t.Errorf("%q lacks %q", got.Markdown, want)
	}
}

func TestInspectionOfTheUnknownFindsNothing(t *testing.T) {
	a := assistant(t, setup...)
	for _, text := range []string{"myPoint.display|", "display + 1|", "nothing|", "|", "3|", "// math.Sqrt|", "\"math.Sqrt|\"", "math.Nope|", "if|", "1 + | 2", "nope.nope(|", ") (|"} {
		code, at := cursor(text)
		if got := a.Inspect(code, at, 0); got.Found {
			t.Errorf("%q finds %q", text, got.Plain)
		}
	}
}

func TestDetailShowsTheSource(t *testing.T) {
	a := assistant(t, setup...)
	if got := a.Inspect("addTwo", 3, 1); !strings.Contains(got.Plain, "\treturn n + 2\n}") {
		t.Errorf("no source in %q", got.Plain)
	}
	got := a.Inspect("addTwo", 3, 0)
	if want := "```go\nfunc addTwo(n int) int\n```\n\naddTwo adds two.\n\n*declared in Cell [2], line 13*"; got.Markdown != want {
		t.Errorf("markdown %q, want %q", got.Markdown, want)
	}
	if data := got.Reply().Data; data["text/plain"] != got.Plain || data["text/markdown"] != got.Markdown {
		t.Errorf("data %v", data)
	}
}

func TestLongValuesAreShortened(t *testing.T) {
	a := assistant(t, setup...)
	a.Value = func(*check.Symbol) (any, bool) { return strings.Repeat("é", 1000), true }
	got, _, _ := strings.Cut(a.Inspect("myCounter", 1, 0).Plain, "\n\ndeclared in ")
	if n := len([]rune(got)); n > longest+40 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d characters: %q", n, got)
	}
}
