package assist

import (
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

func TestCompletionInsertsTheRightText(t *testing.T) {
	a := assistant(t, setup...)
	cases := []struct{ code, want string }{
		{"math.Sq|", "math.Sqrt"},
		{"strings.Replac|", "strings.ReplaceAll"},
		{"myCou|", "myCounter"},
		{"myPoint.Xco|", "myPoint.Xcoord"},
		{"myPoint.Gre|", "myPoint.Greet"},
		{"myPoints[0].Xco|", "myPoints[0].Xcoord"},
		{"var q Poin|", "var q Point"},
		{"addT|", "addTwo"},
		{"localValue := 3\nlocalV|", "localValue := 3\nlocalValue"},
		{"s := \"\U0001F600\u00e9\"; _ = s; math.Sq|", "s := \"\U0001F600\u00e9\"; _ = s; math.Sqrt"},
		{"fmt.Println(math.Sq|, 1)", "fmt.Println(math.Sqrt, 1)"},
		{"sort.Stri|", "sort.Strings"},
		{"fmt.Println(math.Sq|", "fmt.Println(math.Sqrt"},
		{"fmt.Println(myPoint.Na|\nx := 1", "fmt.Println(myPoint.Name\nx := 1"},
		{"for i := 0; i < 3; i++ {\n\tmyPoint.Na|", "for i := 0; i < 3; i++ {\n\tmyPoint.Name"},
		{"for i := range myPoi|", "for i := range myPoints"},
		{"for i := 0; i < myCo|", "for i := 0; i < myCounter"},
		{"if myPoint.Na|", "if myPoint.Name"},
		{"if x := myPoint; x.Na|", "if x := myPoint; x.Name"},
		{"func f(p Poi|", "func f(p Point"},
		{"func f(p Point) string {\n\treturn p.Na|\n}", "func f(p Point) string {\n\treturn p.Name\n}"},
		{"func f(param int) {\n\tpar|", "func f(param int) {\n\tparam"},
		{"func (p Point) Far() { p.Gre|", "func (p Point) Far() { p.Greet"},
		{"p := Point{Xco|", "p := Point{Xcoord"},
		{"p := Point{Name: \"a\", Xco|}", "p := Point{Name: \"a\", Xcoord}"},
		{"ps := []Point{{Xco|", "ps := []Point{{Xcoord"},
		{"pp := &Point{}\npp.Xco|", "pp := &Point{}\npp.Xcoord"},
		{"type E struct{ Point; Z int }\nvar e E\ne.Xco|", "type E struct{ Point; Z int }\nvar e E\ne.Xcoord"},
		{"myPoint.Greet().|\n", ""},
		{"time.Now().Yea|", "time.Now().Year"},
		{"x := time.Second\nx.Hou|", "x := time.Second\nx.Hours"},
		{"var b strings.Buil|", "var b strings.Builder"},
		{"var b strings.Builder\nb.WriteS|", "var b strings.Builder\nb.WriteString"},
		{"import \"mat|", "import \"math"},
		{"import (\n\t\"encoding/js|\"\n)", "import (\n\t\"encoding/json\"\n)"},
		{"retu|", "return"},
		{"x := appe|", "x := append"},
		{"var w io.Wri|", "var w io.Writer"},
		{"switch myPoint.Na|", "switch myPoint.Name"},
		{"switch 1 {\ncase myCo|", "switch 1 {\ncase myCounter"},
		{"go addT|", "go addTwo"},
		{"defer myPoint.Gre|", "defer myPoint.Greet"},
		{"m := map[string]Poi|", "m := map[string]Point"},
		{"type Q struct {\n\tp Poi|", "type Q struct {\n\tp Point"},
		{"λ := myPoint\nλ.Na|", "λ := myPoint\nλ.Name"},
		{"x := := 3\nmyPoint.Na|", "x := := 3\nmyPoint.Name"},
		{"func broken( {\n}\nmath.Sq|", ""},
		{"math.sqr|", "math.Sqrt"},
		{"mycou|", "myCounter"},
		{"err := fmt.Errorf(\"x\")\nerr.Err|", "err := fmt.Errorf(\"x\")\nerr.Error"},
		{"Gen := func(alpha int) { alp| }", "Gen := func(alpha int) { alpha }"},
		{"xs := slices.Sort|", "xs := slices.Sorted"},
		{"myPoint.Xco|ord + 1", "myPoint.Xcoordord + 1"},
	}
	for _, c := range cases {
		if c.want == "" {
			continue // must not fail; nothing is promised
		}
		code, at := cursor(c.code)
		got := a.Complete(code, at)
		runes := []rune(code)
		found := false
		for _, text := range got.Texts() {
			found = found || string(runes[:got.Start])+text+string(runes[got.End:]) == c.want
		}
		if !found {
			t.Errorf("%q has %d matches from %d to %d, none gives %q: %.200v", c.code, len(got.Matches), got.Start, got.End, c.want, got.Texts())
		}
	}
}

func TestCompletionOffersWhatFitsOnly(t *testing.T) {
	a := assistant(t, append(setup, "import \"math\"", "myColor := 2", "type point struct{ Height, Heft float64 }\np := point{1, 2}")...)
	cases := []struct {
		code string
		want string
	}{
		{"math.Co|", "Copysign Cos Cosh"},
		{"myCo|", "myColor myCounter"},
		{"p.He|", "Heft Height"},
		{"p.|", "Heft Height"},
		{"myPoint.|", "Greet Name Xcoord"},
		{"// math.Co|", ""},
		{"\"math.Co|\"", ""},
		{"`math.Co|", ""},
		{"nothing.Co|", ""},
		{"p.Height.|", ""},
		{"x := 3.|", ""},
		{"zzz|", ""},
		{"point{H|", "Heft Height"},
		{"point.|", "Heft Height"},
	}
	for _, c := range cases {
		code, at := cursor(c.code)
		if got := strings.Join(a.Complete(code, at).Texts(), " "); got != c.want {
			t.Errorf("%q gives %q, want %q", c.code, got, c.want)
		}
	}
}

func TestMatchesTellTypesAndSignatures(t *testing.T) {
	a := assistant(t, setup...)
	cases := []struct{ code, text, kind, signature string }{
		{"math.Sq|", "Sqrt", "function", "func(x float64) float64"},
		{"math.P|", "Pi", "constant", "untyped float"},
		{"myPoint.G|", "Greet", "method", "func() string"},
		{"myPoint.X|", "Xcoord", "field", "int"},
		{"myPoi|", "myPoints", "variable", "[]Point"},
		{"Poin|", "Point", "struct", "struct{Name string; Xcoord int}"},
		{"mat|", "math", "module", ""},
		{"io.Writ|", "Writer", "interface", "interface{Write(p []byte) (n int, err error)}"},
		{"time.Dur|", "Duration", "class", "int64"},
		{"fun|", "func", "keyword", ""},
		{"le|", "len", "function", ""},
	}
	for _, c := range cases {
		code, at := cursor(c.code)
		got := a.Complete(code, at)
		if !slices.ContainsFunc(got.Matches, func(m Match) bool { return m.Text == c.text && m.Type == c.kind && m.Signature == c.signature }) {
			t.Errorf("%q does not offer %s, %s %s, but %+v", c.code, c.text, c.kind, c.signature, got.Matches)
		}
	}
	code, at := cursor("λ := 1; math.Sqr|")
	c := a.Complete(code, at)
	list := c.Reply().Metadata[protocol.TypedMatches].([]protocol.TypedMatch)
	if len(list) != len(c.Matches) || list[0].Start != 13 || list[0].End != 16 || list[0].Text != "Sqrt" {
		t.Errorf("the metadata is %v", list)
	}
	if doc := list[0].Documentation; doc != "Sqrt returns the square root of x." {
		t.Errorf("the documentation is %q", doc)
	}
}

func TestCompletionLeavesTheSessionAlone(t *testing.T) {
	a := assistant(t, setup...)
	code, at := cursor("myCounter := \"s\"\nfunc addTwo() {}\nimport \"os\"\nmyCo|")
	a.Complete(code, at)
	if symbol := a.session.Lookup("myCounter"); symbol.Version != 1 || symbol.Object.Type().String() != "int" {
		t.Errorf("myCounter is %v", symbol.Object)
	}
	if n := len(a.session.Imports()); n != 3 {
		t.Errorf("%d imports, want 3", n)
	}
}

// FuzzQuestions asks about every kind of text. No answer may panic or refer to positions outside
// the text.
func FuzzQuestions(f *testing.F) {
	for _, seed := range []string{"math.Sq", "fmt.Println(", "for i := range x {", "s := \"é", "func (t T) ", "import \"", "p := Point{", "a.b.c().d[", "\xff.", "/*", "a.bt\x89.&J\xfc;."} {
		f.Add(seed, 5)
	}
	a := assistant(f, setup...)
	f.Fuzz(func(t *testing.T, code string, at int) {
		c := a.Complete(code, at)
		if n := len([]rune(code)); c.Start < 0 || c.End < c.Start || c.End > n {
			t.Errorf("from %d to %d of %d", c.Start, c.End, n)
		}
		a.Inspect(code, at, 1)
	})
}

// BenchmarkCompleteLongLists completes with hundreds of matches, all with documentation.
func BenchmarkCompleteLongLists(b *testing.B) {
	for _, code := range []string{"import \"net/http\"\nhttp.", "import \"gorgonia.org/tensor\"\nvar d *tensor.Dense\nd.", "import \"go/ast\"\nvar f ast.File\nf.", "e", "c"} {
		b.Run(code[strings.LastIndex(code, "\n")+1:], func(b *testing.B) {
			a := assistant(b, setup...)
			for b.Loop() {
				b.ReportMetric(float64(len(a.Complete(code, len(code)).Matches)), "matches")
			}
		})
	}
}

func BenchmarkCompleteMember(b *testing.B) {
	a := assistant(b, setup...)
	for b.Loop() {
		if len(a.Complete("fmt.Println(math.Sq", 19).Matches) == 0 {
			b.Fatal("no matches")
		}
	}
}

func BenchmarkCompleteName(b *testing.B) {
	a := assistant(b, setup...)
	for b.Loop() {
		if len(a.Complete("x := 1\nmyCou", 12).Matches) == 0 {
			b.Fatal("no matches")
		}
	}
}
