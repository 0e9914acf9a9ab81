package magics

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

const imported = `import cell__magic "gosphere/runtime/magic"; `

func TestMagicsBecomeCalls(t *testing.T) {
	for source, want := range map[string]string{
		"x := 1":                          "x := 1",
		"%cd data":                        imported + `cell__magic.Run("%cd data")`,
		"  %vars x  \nx":                  imported + "cell__magic.Run(\"%vars x\")\nx",
		"!echo `date` \"x":                imported + "cell__magic.Run(\"!echo `date` \\\"x\")",
		"%cd a\n%cd b":                    imported + "cell__magic.Run(\"%cd a\")\ncell__magic.Run(\"%cd b\")",
		"%time f(x)":                      imported + `cell__magic.Begin("%time"); f(x)`,
		"%time f(x) // slow\ny":           imported + "cell__magic.Begin(\"%time\"); f(x) ; cell__magic.End()// slow\ny",
		"%time f(x) // slow\n// the end":  imported + "cell__magic.Begin(\"%time\"); f(x) // slow\n// the end",
		"%time for {\n\tf()\n}\nx":        imported + "cell__magic.Begin(\"%time\"); for {\n\tf()\n}; cell__magic.End()\nx",
		"%timeit len(s)":                  imported + "cell__magic.Timeit(func() { _ = len(s) }, \"len(s)\")",
		"%timeit a[i] + 1":                imported + "cell__magic.Timeit(func() { _ = a[i] + 1 }, \"a[i] + 1\")",
		"%timeit <-c":                     imported + "cell__magic.Timeit(func() { <-c }, \"<-c\")",
		"%timeit f(x)\n":                  imported + "cell__magic.Timeit(func() { f(x) }, \"f(x)\")\n",
		"\n%%time\nx := 1\nx":             "\n" + imported + "cell__magic.Begin(\"%%time\")\nx := 1\nx",
		"%%time\n%cd a\nx":                imported + "cell__magic.Begin(\"%%time\")\ncell__magic.Run(\"%cd a\")\nx",
		"%%timeit\nx++":                   imported + "cell__magic.Timeit(func() {\nx++\n}, \"x++\")\n",
		"%%timeit x := f() // once\nx++":  imported + "{ x := f(); cell__magic.Timeit(func() {\nx++\n}, \"x++\") }\n",
		"%%timeit x := \"//\"; y := 2\nx": imported + "{ x := \"//\"; y := 2; cell__magic.Timeit(func() {\n_ = x\n}, \"x\") }\n",
		"%%timeit // comment\nx++":        imported + "cell__magic.Timeit(func() {\nx++\n}, \"x++\")\n",
		"%%bash\nls `x`\n%not\n":          imported + "cell__magic.RunCell(\"%%bash\", \"ls `x`\\n%not\\n\")",
		"%%writefile -a a.txt\n\"":        imported + `cell__magic.RunCell("%%writefile -a a.txt", "\"")`,
	} {
		got, err := Expand(source)
		if err != nil {
			t.Errorf("%q: %v", source, err)
		} else if got.Source != want {
			t.Errorf("%q\nbecomes %q\n   want %q", source, got.Source, want)
		}
	}
}

func TestGoThatLooksLikeAMagicStaysGo(t *testing.T) {
	for _, source := range []string{
		"s := `\n%cd x\n!ls\n`",
		"/*\n%cd x\n!ls\n*/",
		"ok := a &&\n\t!b",
		"f(\n\t!b,\n)",
		"list := []bool{\n!b,\n}",
		"if a {\n!b\n}",
		"!(a && b)",
		"x := 5 %\n\t3",
		"s := \"`\"\nt := '`'\n// `\nx",
		"s := `a` // `\nx",
		"x := \"\\\"\" /* \" */ + `\n%`",
	} {
		if got, err := Expand(source); err != nil || got.Source != source {
			t.Errorf("%q becomes %q, %v", source, got.Source, err)
		}
		if got := Blank(source); got != source {
			t.Errorf("%q blank is %q", source, got)
		}
	}
}

func TestMistakesInMagicsAreTold(t *testing.T) {
	for source, want := range map[string]struct {
		line, column int
		words        string
	}{
		"x\n %vrs":                 {2, 2, "did you mean %vars?"},
		"%pip install torch":       {1, 1, "write %require MODULE@VERSION"},
		"%nothing":                 {1, 1, "unknown magic %nothing; %help"},
		"%bash ls":                 {1, 1, "write %%bash in the first line"},
		"%%cd x":                   {1, 1, "write %cd: it applies to one line"},
		"x := 1\n%%bash\nls":       {2, 1, "write it in the first line"},
		"if x {\n\t%cd y\n}":       {2, 2, "not allowed inside brackets"},
		"x := 1\n%reset":           {2, 1, "must be the only line of its cell"},
		"%time":                    {1, 1, "%time f(x)"},
		"%timeit  // nothing":      {1, 1, "%timeit f(x)"},
		"%%time f(x)":              {1, 1, "after %time"},
		"%timeit -n 10 f()":        {1, 1, "%timeit takes no options such as -n 10, because it chooses the number of runs: write %timeit f()"},
		"x := 1\n%timeit -q f()":   {2, 1, "write %timeit f()"},
		"%%timeit -r3\nf()":        {1, 1, "%%timeit takes no options, because it chooses the number of runs: omit -r3"},
		"%%timeit 1+1":             {1, 1, "to time one statement write it after %timeit"},
		"%%timeit\nx\n%cd y":       {1, 1, "cannot contain other magics"},
		"%%time\nx\n%cd a\n%wrong": {4, 1, "%wrong"},
		"package main\n%cd x":      {1, 1, "package clause"},
	} {
		_, err := Expand(source)
		place, ok := err.(*PlaceError)
		if !ok {
			t.Errorf("%q: %v", source, err)
			continue
		}
		if place.Line != want.line || place.Column != want.column || !strings.Contains(place.Message, want.words) {
			t.Errorf("%q: %d:%d %s\nwant %d:%d %s", source, place.Line, place.Column, place.Message, want.line, want.column, want.words)
		}
	}
}

func TestGoKeepsItsLinesAndShiftTellsTheColumns(t *testing.T) {
	source := "a := 1\n  %time b + unknown\nc"
	e, err := Expand(source)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.Split(source, "\n"), strings.Split(e.Source, "\n")
	if len(before) != len(after) || before[0] != after[0] || before[2] != after[2] {
		t.Fatalf("lines have moved: %q", e.Source)
	}
	if got, want := strings.Index(after[1], "unknown")-e.Shift[2], strings.Index(before[1], "unknown"); got != want {
		t.Errorf("the shifted column of the word is %d, in the cell it has %d", got, want)
	}
}

func TestBlankLeavesGoWhereItIs(t *testing.T) {
	for source, want := range map[string]string{
		"%cd ä\nx.":          "     \nx.",
		"%time x.y":          "      x.y",
		"  %timeit x":        "          x",
		"%%timeit x := 1\nx": "         x := 1\nx",
		"%%bash\nls (":       "      \n    ",
		"%%time\nx.":         "      \nx.",
		"x\r\n!ls\r\ny":      "x\r\n   \r\ny",
		"%%writefile a\n%cd": "             \n   ",
	} {
		got := Blank(source)
		if got != want {
			t.Errorf("%q becomes %q, want %q", source, got, want)
		}
		if len([]rune(got)) != len([]rune(source)) {
			t.Errorf("%q has another length", got)
		}
	}
}

func TestCompletionKnowsMagicsAndFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"data.csv", "dates.txt"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		source string
		cursor int
		want   string // matches, "-" where Go begins
	}{
		{"%ti", 3, "%time %timeit"},
		{"%%ti", 4, "%%time %%timeit"},
		{"x := 1\n  %vers", 14, "%version"},
		{"%load da", 8, "data.csv dates.txt"},
		{"!cat dat", 8, "data.csv dates.txt"},
		{"%load none", 10, ""},
		{"%time x.", 8, "-"},
		{"x.", 2, "-"},
		{"%env H", 6, ""},
	} {
		got, found := Complete(c.source, c.cursor)
		text := strings.Join(got.Matches, " ")
		if !found {
			text = "-"
		}
		if text != c.want {
			t.Errorf("%q at %d: %q, want %q", c.source, c.cursor, text, c.want)
		}
		if found && got.End != c.cursor {
			t.Errorf("%q: the completion ends at %d", c.source, got.End)
		}
	}
}

func TestHelpStandsAtTheName(t *testing.T) {
	if got := HelpAt("x\n%vars", 4); !strings.HasPrefix(got, "%vars [NAME...]") {
		t.Errorf("help is %q", got)
	}
	for source, cursor := range map[string]int{"%time foo": 8, "vars": 2, "%nothing": 3} {
		if got := HelpAt(source, cursor); got != "" {
			t.Errorf("%q has the help %q", source, got)
		}
	}
}

func TestCellMagicsEndWithAnEmptyLine(t *testing.T) {
	for source, want := range map[string][2]bool{
		"%%bash\nls":   {true, true},
		"%%bash\nls\n": {true, false},
		"%%time\nx":    {false, false},
		"x := 1":       {false, false},
	} {
		if cellMagic, open := IsOpen(source); cellMagic != want[0] || open != want[1] {
			t.Errorf("%q: %v %v, want %v", source, cellMagic, open, want)
		}
	}
}

// Blank keeps the length of a cell, and Expand returns cells without magics unchanged.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"%cd x\ny", "!ls `", "%time f(\n)", "%%bash\n%", "s := `\n%`\n%vars", "%timeit x // y", "\r\n%\n!\n%%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		blank := Blank(source)
		if strings.Count(blank, "\n") != strings.Count(source, "\n") || len([]rune(blank)) != len([]rune(source)) {
			t.Errorf("%q has the blank form %q", source, blank)
		}
		e, err := Expand(source)
		if err != nil {
			return
		}
		if file := "package p; func _() {\n" + source + "\n}"; !negation.MatchString(source) && isGo(file) && e.Source != source {
			t.Errorf("%q is Go and becomes %q", source, e.Source)
		}
	})
}

// A line !x at the beginning of a statement is a command; the value must be written as (!x).
var negation = regexp.MustCompile(`(?m)^[ \t]*!`)

func isGo(file string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", file, 0)
	return err == nil
}
