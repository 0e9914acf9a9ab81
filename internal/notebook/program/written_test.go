package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"gosphere/internal/golang"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

// typed type-checks a program as the compiler would, without a build.
func typed(t *testing.T, exported *Exported) error {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "main.go", exported.Source, parser.ParseComments)
	if err != nil {
		return err
	}
	_, err = (&types.Config{Importer: sessiontest.Packages(t), GoVersion: golang.Version}).Check("main", files, []*ast.File{parsed}, nil)
	return err
}

// sourceOf exports a notebook, type-checks the program and returns its text.
func sourceOf(t *testing.T, notebook *nbformat.Notebook) string {
	t.Helper()
	exported, err := Make(notebook, sessiontest.Packages(t), os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if err := typed(t, exported); err != nil {
		t.Errorf("%v in\n%s", err, exported.Source)
	}
	return string(exported.Source)
}

// TestWhatIsWritten lists, for cells separated by lines of dashes, lines that their program
// contains, and lines that it must not contain (!).
func TestWhatIsWritten(t *testing.T) {
	for name, test := range map[string]struct {
		cells string
		want  []string
	}{
		"one value":                          {"1 + 2", []string{"func main() {\n\tcell1()\n}", "\tshow(1 + 2)\n", "func show(value any) { fmt.Println(value) }", "!gosphere/"}},
		"no value":                           {"x := 1", []string{"var x int\n", "\tx = 1\n", "!show", "!import"}},
		"a call without a value":             {"fmt.Println(1)", []string{"\tfmt.Println(1)\n", "!show"}},
		"a value that fmt prints otherwise":  {"image.NewGray(image.Rect(0, 0, 2, 2))", []string{`"gosphere/runtime/display"`, "display.Show(value)"}},
		"a value of a type with other forms": {"type T int\nfunc (T) HTML() string { return \"<b>t</b>\" }\nT(1)", []string{"display.Show(value)"}},
		"a structure":                        {"struct{ A int }{1}", []string{"fmt.Println(value)", "!gosphere/"}},
		"bytes":                              {"[]byte(\"a\")", []string{"if text, ok := value.([]byte); ok && len(text) > 0 {", "!gosphere/"}},
		"types by their packages":            {"var d time.Duration\nvar r io.Reader\nr = os.Stdin", []string{"var d time.Duration", "var r io.Reader", `"io"`, `"os"`, `"time"`}},
		"a comment above a function":         {"// Twice doubles.\nfunc Twice(n int) int { return 2 * n }", []string{"// Twice doubles.\nfunc Twice(n int) int { return 2 * n }"}},
		"comments inside of statements":      {"x := 1 // one\n// two\ny := x", []string{"x = 1", "// two"}},
		"calls of must": {"x := must(strconv.Atoi(\"1\"))\nmust(os.Setenv(\"a\", must(two())))\n_, _ = must(three())\nfunc two() (string, error) { return \"\", nil }\nfunc three() (a, b int, err error) { return }",
			[]string{"x = must(strconv.Atoi(\"1\"))", "must0(os.Setenv(\"a\", must(two())))", "must2(three())", "func must[T any](value T, err error) T {", "func must0(err error) {", "func must2[T, U any](value T, second U, err error) (T, U) {"}},
		"another must": {"x := must(strconv.Atoi(\"1\"))\n---\nfunc must(x int) int { return x }\nmust(2)\n---\nmust0 := 1\nmust0",
			[]string{"x = must(strconv.Atoi(\"1\"))", "func must_2(x int) int", "show(must_2(2))", "var must0 int"}},
		"an import that nothing uses":                {"import \"os\"\n---\nx := 1", []string{"!\"os\"", "var x int"}},
		"an import for its effects":                  {"import _ \"image/png\"", []string{"\t_ \"image/png\"\n"}},
		"an import by another name":                  {"import text \"strings\"\ntext.ToUpper(\"a\")", []string{"\ttext \"strings\"\n", "text.ToUpper(\"a\")"}},
		"an import with a dot":                       {"import . \"math\"\nx := Sqrt(Pi)", []string{"x = math.Sqrt(math.Pi)", "\t\"math\"\n"}},
		"an import with a dot, whose name is hidden": {"import . \"math\"\nfunc f(math float64) float64 { return Floor(math) }\nf(2.5)", []string{"func f(math float64) float64 { return math_2.Floor(math) }", "math_2 \"math\""}},
		"an error as a second value":                 {"strconv.Atoi(\"12\")", []string{"\tshowResults(strconv.Atoi(\"12\"))\n", "func showResults(values ...any) {", "showWrapped(err, \"\")", "!showFailure", "!gosphere/"}},
		"an error and nothing else":                  {"os.Chdir(\".\")", []string{"\tshowResults(os.Chdir(\".\"))\n", "!showFailure", "!gosphere/"}},
		"results without an error":                   {"strings.Cut(\"a b\", \" \")", []string{"\tshowAll(strings.Cut(\"a b\", \" \"))\n", "!showResults"}},
		"a call that writes":                         {"w := os.Stderr\nw.WriteString(\"a\")", []string{"\tshowFailure(w.WriteString(\"a\"))\n", "!showResults", "!gosphere/"}},
		"a call that writes to memory":               {"var w strings.Builder\nw.WriteString(\"a\")", []string{"\tw.WriteString(\"a\")\n", "!show"}},
		"results that fmt prints otherwise":          {"func f() (*image.Gray, error) { return nil, nil }\nf()", []string{"showResults(f())", "display.Show(value)", "fmt.Println(data[\"text/plain\"])"}},
		"names of functions that show":               {"showAll, showResults := 1, 2\n---\nshowAll\n---\nos.ReadFile(\"x\")", []string{"showResults_2(os.ReadFile(\"x\"))", "func showAll_2(values ...any) {"}},
		"a package's name as a variable":             {"len(strings.Fields(\"a b\"))\n---\nstrings := 5\nstrings", []string{"strings_2 = 5", "show(strings_2)", "len(strings.Fields(\"a b\"))"}},
		"a name again with another type":             {"x := 1\n---\nx := \"a\"\nx + \"b\"", []string{"var x int", "var x_2 string", "show(x_2 + \"b\")"}},
		"a name with the number itself":              {"x_2 := 0\nx := 1\n---\nx := \"a\"", []string{"var x_2 int", "var x_3 string"}},
		"a local name stays":                         {"x := 1\n---\nx := \"a\"\nf := func(x int) int { return x }\nf(len(x))", []string{"func(x int) int { return x }", "f(len(x_2))"}},
		"a field with the same name stays":           {"type T struct{ x int }\nx := 1\n---\nx := \"a\"\ny := T{x: len(x)}.x", []string{"T{x: len(x_2)}.x"}},
		"a label stays":                              {"x := 0\nx:\nfor { x++; if x > 2 { break x } }", []string{"break x"}},
		"a type of an earlier cell":                  {"type P struct{ X int }\n---\ntype Q struct{ P }\nq := Q{P{1}}\nq.X", []string{"type Q struct{ P }", "var q Q"}},
		"a changed type keeps old values":            {"type P struct{ X int }\np := P{1}\n---\ntype P struct{ Y string }\nq := P{\"a\"}", []string{"var p P\n", "type P_2 struct{ Y string }", "var q P_2"}},
		"generic functions":                          {"func Id[T any](x T) T { return x }\n---\nId[int](3)", []string{"func Id[T any](x T) T { return x }", "show(Id[int](3))"}},
		"constants with iota":                        {"const ( a = iota; b )\n---\nb", []string{"const (\n\ta = iota\n\tb\n)", "show(b)"}},
		"typed constants are used":                   {"const d time.Duration = 5\nd.String()", []string{"const d time.Duration = 5", "show(d.String())"}},
		"several values at once":                     {"a, b := 1, \"x\"\nb, c := \"y\", 2.5", []string{"var a int", "var b string", "var c float64", "b, c = \"y\", 2.5"}},
		"a blank":                                    {"_, err := strconv.Atoi(\"x\")\n_ = err", []string{"_, err = strconv.Atoi(\"x\")", "var err error"}},
		"a deferred call":                            {"defer fmt.Println(1)\nx := 2", []string{"defer fmt.Println(1)"}},
		"functions that are declared again":          {"func f() int { return 1 }\nfunc g() int { return f() }\n---\nfunc f() int { return 2 }\ng()", []string{"func f_2() int { return 2 }", "func g_2() int { return f_2() }"}},
		"main of a cell":                             {"func main() { fmt.Println(\"hi\") }", []string{"func main_2() { fmt.Println(\"hi\") }", "\tmain_2()\n"}},
		"init of a cell":                             {"func init() { fmt.Println(\"hi\") }\nx := 1", []string{"func init_2()", "\tinit_2()\n\tx = 1\n"}},
		"cells named like the program's":             {"cell1 := 1\nshow := 2\nmain := cell1 + show\nmain", []string{"func cell1_2() {", "func show_2(value any)", "main_2 = cell1_3 + show"}},
		"predeclared names":                          {"len := 3\nnil := len\nnil", []string{"len_2 = 3", "nil_2 = len_2"}},
		"magics that tell something":                 {"%time x := 1\n%vars\nx", []string{"x = 1", "show(x)"}},
		"magics that do something":                   {"%cd data\n!ls -l\n%env A=b c", []string{"os.Chdir(\"data\")", "exec.Command(\"sh\", \"-c\", \"ls -l\")", "os.Setenv(\"A\", \"b c\")"}},
		"a file that a cell writes":                  {"%%writefile a.txt\none\ntwo", []string{"os.OpenFile(\"a.txt\", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)", "\"one\\ntwo\""}},
		"Windows line ends":                          {"x := 1\r\ny := x\r\ny", []string{"x = 1", "y = x", "show(y)"}},
		"letters of other scripts":                   {"κ := 5.0\nσ2 := κ * κ\n\"größer: \" + fmt.Sprint(σ2)", []string{"var κ float64", "σ2 = κ * κ", "größer"}},
		"raw strings with line ends":                 {"s := `a\n  b // no comment\n`\nlen(s)", []string{"s = `a\n  b // no comment\n`"}},
		"a struct without a name":                    {"p := struct{ X, Y int }{1, 2}\np.X", []string{"var p struct {\n\tX int\n\tY int\n}"}},
		"channels and functions":                     {"c := make(chan<- []map[string]func(int, ...string) (bool, error), 1)\ncap(c)", []string{"var c chan<- []map[string]func(int, ...string) (bool, error)"}},
		"a zero value of every kind":                 {"var a [2]int\nvar m map[string]int\nvar s struct{ X int }\nvar f func()\nvar e error\nfmt.Println(a, m, s, f == nil, e)", []string{"a = [2]int{}", "m = nil", "f = nil", "e = nil"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := sourceOf(t, notebookOf(test.cells))
			for _, want := range test.want {
				if absent, is := strings.CutPrefix(want, "!"); is == strings.Contains(got, absent) {
					if !is || strings.Contains(got, absent) {
						t.Errorf("want %q in\n%s", want, got)
					}
				}
			}
		})
	}
}

func TestProgramsOfAllCasesHaveTheirTypes(t *testing.T) {
	for name, text := range cases {
		t.Run(name, func(t *testing.T) { sourceOf(t, notebookOf(text)) })
	}
}

// TestProgramsOfAllNotebooksHaveTheirTypes replaces builds, which take seconds for each.
func TestProgramsOfAllNotebooksHaveTheirTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("checks every notebook")
	}
	for _, name := range committed(t) {
		t.Run(name, func(t *testing.T) {
			notebook, err := nbformat.ReadFile("../../../notebooks/" + name + ".ipynb")
			if err != nil {
				t.Fatal(err)
			}
			if reason, known := notExported[name]; known {
				if _, err := Make(notebook, sessiontest.Packages(t), os.DirFS(".")); err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("got the error %v, want one with %q", err, reason)
				}
				return
			}
			sourceOf(t, notebook)
		})
	}
}

// notExported are the notebooks that cannot be exported, with the text of the error.
var notExported = map[string]string{"tour": "%%sql is no Go"}

func TestTextCellsBecomeComments(t *testing.T) {
	notebook := nbformat.New()
	notebook.Add(nbformat.Markdown, "# Title\n\nFirst */ paragraph.  \n")
	notebook.Add(nbformat.Code, "x := 1").ID = "a"
	notebook.Add(nbformat.Raw, "raw")
	notebook.Add(nbformat.Markdown, "Between.")
	notebook.Add(nbformat.Code, "x + 1").ID = "b"
	notebook.Add(nbformat.Markdown, "At the end.")
	got := sourceOf(t, notebook)
	for _, want := range []string{
		"// # Title\n//\n// First */ paragraph.\n//\n// cell2 is cell 2 of the notebook (id a).\nfunc cell2() {",
		"// Between.\n//\n// cell5 is cell 5 of the notebook (id b).\nfunc cell5() {",
		"// At the end.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "raw") {
		t.Error("a raw cell is in the program")
	}
}

func TestTagsOfCellsCount(t *testing.T) {
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "x := 1")
	notebook.Add(nbformat.Code, "y := undefinedHere", "skip-execution")
	notebook.Add(nbformat.Code, "panic(\"no\")", "raises-exception")
	notebook.Add(nbformat.Code, "z := \"a\" + 1", "raises-exception")
	notebook.Add(nbformat.Code, "attempt := x\nattempt")
	got := sourceOf(t, notebook)
	for _, want := range []string{
		"// Cell 2 is left out: it is tagged skip-execution.", "// Cell 4 is left out: it does not compile.",
		"\tcell1()\n\tattempt_2(cell3)\n\tcell5()\n", "func attempt_2(cell func()) {", "attempt_3 = x",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "cell4") || strings.Contains(got, "undefinedHere") {
		t.Errorf("a cell that is left out is there:\n%s", got)
	}
}

func TestProgramsOfNothingAreProgramsStill(t *testing.T) {
	for name, notebook := range map[string]*nbformat.Notebook{
		"no cells":         nbformat.New(),
		"an empty cell":    notebookOf(""),
		"a comment":        notebookOf("// nothing"),
		"a magic":          notebookOf("%version"),
		"declared nothing": notebookOf("var _ = 1"),
	} {
		if got := sourceOf(t, notebook); !strings.Contains(got, "func main() {") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
