package vet

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

// notebookOf returns a notebook with the cells that lines "---" divide. A first line "#tag" is a
// tag of its cell, and "#ran N" its execution count.
func notebookOf(text string) *nbformat.Notebook {
	n := nbformat.New()
	for source := range strings.SplitSeq(text, "\n---\n") {
		tag, rest, tagged := strings.Cut(source, "\n")
		if !tagged || !strings.HasPrefix(tag, "#") {
			n.Add(nbformat.Code, source)
			continue
		}
		c := n.Add(nbformat.Code, rest)
		if strings.HasPrefix(tag, "#ran ") {
			c.ExecutionCount = int(tag[5] - '0')
		} else {
			c.Metadata["tags"] = []any{tag[1:]}
		}
	}
	return n
}

// TestFindings compares the findings in short notebooks, and in their right neighbors, with those
// that a reader expects.
func TestFindings(t *testing.T) {
	for _, c := range []struct{ name, cells, want string }{
		{"nothing", "x := 1\n---\nx", ""},
		{"a mistake", "x := 1\n---\nx + \"a\"", `cell 2:1:1: does-not-compile: invalid operation: x + "a" (mismatched types int and untyped string) (convert to text: fmt.Sprint(x) + "a")`},
		{"a name of a cell below", "f(2)\n---\nfunc f(n int) int { return n }", "cell 1:1:1: defined-below: f is used here and defined below, in cell 2 (move the definition above this cell)"},
		{"a name of a cell that does not compile", "x := y\n---\nx", "cell 1:1:6: does-not-compile: undefined: y (no cell that has run declares y)"},
		{"a cell that may fail", "#raises-exception\nx := y", ""},
		{"a cell that is skipped", "#skip-execution\nx := y", ""},
		{"an unknown magic", "%tiem f()", "cell 1:1:1: unknown-magic: unknown magic %tiem; did you mean %time? %help lists all magics"},
		{"a function of two cells", "func f() int { return 1 }\n---\nf()\n---\nfunc f() int { return 2 }\n---\nf()", "cell 3:1:6: defined-twice: function f is defined again here (first in cell 1): cell 2, which uses it, has another meaning when it is run again (use another name, or keep one definition)"},
		{"a variable of two types", "x := 1\n---\nx\n---\nx := \"a\"\n---\nx", "cell 3:1:1: defined-twice: variable x is defined again here (first in cell 1): cell 2, which uses it, has another meaning when it is run again (use another name, or keep one definition)"},
		{"an error of each cell", "a, err := strconv.Atoi(\"1\")\nif err != nil { panic(err) }\na\n---\nb, err := strconv.Atoi(\"2\")\nif err != nil { panic(err) }\nb", ""},
		{"a change below a use", "x := 1\n---\nx\n---\nx = 2\nx", "cell 3:1:1: order: x changes here: cell 2 above, which uses it, gives another result when it is run again (change a copy with another name, or move the change above its uses)"},
		{"a change below a use, on purpose", "x := 1\n---\nx\n---\n//vet:ignore order, shows that state is kept\nx = 2\nx", ""},
		{"a change in terms of the old value", "xs := []int{}\n---\nxs = append(xs, 1)\nxs", "cell 2:1:1: runs-once: xs of cell 1 changes here in terms of its old value: when this cell is run twice, it changes twice (define the variable in this cell, or change a copy)"},
		{"a change of one cell", "xs := []int{}\nxs = append(xs, 1)\nxs", ""},
		{"an error of a statement", "os.Remove(\"x\")\n1", "cell 1:1:1: ignored-error: the error of os.Remove is ignored (assign it to err and look at it, or to _)"},
		{"an error of the last statement is shown", "os.Remove(\"x\")", ""},
		{"an error in a function", "func f() { os.Remove(\"x\") }\nf()", "cell 1:1:12: ignored-error: the error of os.Remove is ignored (assign it to err and look at it, or to _)"},
		{"an error that nothing reads", "n, err := strconv.Atoi(\"x\")\nn", "cell 1:1:4: ignored-error: nothing reads the error that err is set to here (look at it, or assign it to _)"},
		{"an error that is set again", "n, err := strconv.Atoi(\"x\")\nn, err = strconv.Atoi(\"y\")\nif err != nil { panic(err) }\nn", "cell 1:1:4: ignored-error: nothing reads the error that err is set to here (look at it, or assign it to _)"},
		{"an error that a later cell reads", "n, err := strconv.Atoi(\"x\")\n---\nn, err", ""},
		{"an error that is discarded", "n, _ := strconv.Atoi(\"x\")\nn", ""},
		{"printing", "var b strings.Builder\nb.WriteString(\"a\")\nfmt.Println(b.String())\n1", ""},
		{"what nothing uses", "a, b := 1, 2\na", "cell 1:1:4: unused: nothing uses the variable b"},
		{"a dead cell", "a := 1\n---\n2", "cell 1:1:1: dead-cell: this cell only defines a, which nothing uses (remove the cell)"},
		{"parameters", "#parameters\nepochs := 3\n---\n2", ""},
		{"a name for other notebooks", "func Area(r float64) float64 { return r * r }\n---\n2", ""},
		{"an import", "import (\n\t\"fmt\"\n\t\"os\"\n)\nfmt.Println()", "cell 1:3:2: unused-import: nothing uses the import \"os\" (remove it)"},
		{"an import that a later cell uses", "import m \"math\"\n---\nm.Pi", ""},
		{"a warning of vet", "fmt.Printf(\"%d\", \"a\")\n1", "cell 1:1:13: suspicious: fmt.Printf format %d has arg \"a\" of wrong type string"},
		{"a stored order", "#ran 2\nx := 1\n---\n#ran 1\ny := 2\n---\n#ran 3\nx + y", "cell 2:1:1: stored-order: this cell was run before a cell above it: the stored outputs are of another order (run the notebook from the top and save it)"},
		{"a cell that was not run", "#ran 1\nx := 1\n---\nx", "cell 2:1:1: stored-order: the notebook was stored with outputs, but 1 of 2 cells, this one first, were not run (run the notebook from the top and save it)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range Notebook(notebookOf(c.cells), sessiontest.Packages(t), Options{}) {
				got = append(got, f.String())
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

// TestFindingsOfStoredOutputs finds stored errors and modules without a stored version.
func TestFindingsOfStoredOutputs(t *testing.T) {
	n := notebookOf("import \"math\"\nmath.Pi")
	n.Cells[0].Outputs = []nbformat.Output{{Type: nbformat.ErrorOutput, Ename: "panic", Evalue: "boom"}}
	findings := Notebook(n, sessiontest.Packages(t), Options{Locked: func(path string) bool { return path != "math" }})
	var rules []string
	for _, f := range findings {
		rules = append(rules, f.Rule.Name)
	}
	if slices.Sort(rules); !slices.Equal(rules, []string{"not-locked", "stored-error"}) {
		t.Errorf("findings %v", findings)
	}
	if off := Notebook(n, sessiontest.Packages(t), Options{Off: []string{"stored-error"}}); len(off) != 0 {
		t.Errorf("a rule that is off has findings %v", off)
	}
}

// TestFixRemovesUnusedImports compares the cells after the fix, and looks for the findings again.
func TestFixRemovesUnusedImports(t *testing.T) {
	for source, want := range map[string]string{
		"import (\n\t\"fmt\"\n\t\"os\"\n\n\tm \"math\"\n)\nfmt.Println()": "import (\n\t\"fmt\"\n\n)\nfmt.Println()",
		"import (\n\t\"os\"\n)\n1":                                        "1",
		"import \"os\"\n1":                                                "1",
		"import \"os\"; 1":                                                "import \"os\"; 1",
		"import _ \"image/png\"\n1":                                       "import _ \"image/png\"\n1",
		"import \"os\"\nimport \"fmt\"\nfmt.Println()":                    "import \"fmt\"\nfmt.Println()",
	} {
		n := notebookOf(source)
		left := Fix(n, Notebook(n, sessiontest.Packages(t), Options{}))
		if got := n.Cells[0].Source; got != want {
			t.Errorf("%q became %q, want %q", source, got, want)
		}
		if again := Notebook(n, sessiontest.Packages(t), Options{}); len(again) != len(left) {
			t.Errorf("%q: %v are left, and then there are %v", source, left, again)
		}
	}
}

// TestSARIFNamesRulesAndPlaces encodes a finding as code scanning reads it.
func TestSARIFNamesRulesAndPlaces(t *testing.T) {
	n := notebookOf("os.Remove(\"x\")\n1")
	n.Cells[0].ID = "first"
	text, err := json.Marshal(SARIF([]File{{Path: "a.ipynb", Findings: Notebook(n, sessiontest.Packages(t), Options{})}}, "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"version":"2.1.0"`, `"ruleId":"ignored-error"`, `"uri":"a.ipynb"`, `"startLine":1`, `"name":"first"`, `"level":"warning"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil || len(log.Runs[0].Tool.Driver.Rules) != len(Rules) {
		t.Errorf("%v, %+v", err, log)
	}
}
