package assist

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatFitsTheExpectedTypeComesFirst(t *testing.T) {
	a := assistant(t, "valueText := \"s\"\nvalueNumber := 1\nvalueFloat := 1.5\nvalueFlag := true\nfunc valueOf() float64 { return 1 }\nfunc show(text string, numbers ...float64) {}\ntype point struct { x float64; name string }")
	for code, want := range map[string]string{
		"show(value|":                                  "valueText",
		"math.Sqrt(value|":                             "valueFloat",
		"strings.ToUpper(value|)":                      "valueText",
		"valueNumber = value|":                         "valueNumber",
		"var f float64 = value|":                       "valueFloat",
		"func f() string {\n\treturn value|\n}":        "valueText",
		"if valueFloat > value|":                       "valueFloat",
		"p := point{name: value|}":                     "valueText",
		"if value|":                                    "valueFlag",
		"f := func() (int, string) { return 1, value|": "valueText",
	} {
		text, at := cursor(code)
		got := a.Complete(text, at).Texts()
		if len(got) < 4 || got[0] != want {
			t.Errorf("%q: %v, want %s first", code, got, want)
		}
	}
	text, at := cursor("show(\"s\", value|")
	if got := a.Complete(text, at).Texts(); len(got) < 2 || !slices.Equal(got[:2], []string{"valueFloat", "valueOf"}) {
		t.Errorf("variadic argument: %v, want the float and the function that gives one first", got)
	}
}

func TestPathsInQuotesAreCompleted(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"data.csv", "dates.txt", ".hidden", "other"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	a := assistant(t)
	for code, want := range map[string][]string{
		"os.Open(\"dat|\")":             {"data.csv", "data/", "dates.txt"},
		"os.Open(\"" + folder + "/oth|": {"other"},
		"os.ReadFile(\"./.h|\")":        {".hidden"},
		"os.Open(\"missing/|\")":        {},
		"é := \"dates|\"":               {"dates.txt"},
	} {
		text, at := cursor(code)
		got := a.Complete(text, at)
		if !slices.Equal(got.Texts(), want) {
			t.Errorf("%q: %v, want %v", code, got.Texts(), want)
		}
	}
	text, at := cursor("os.Open(\"data/x|\")")
	if got := a.Complete(text, at); got.Start != at-1 || got.End != at {
		t.Errorf("replaces %d to %d, want the last part alone", got.Start, got.End)
	}
}
