package check_test

import (
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/testdata/cases"
)

// TestCorpusChecksAsExpected checks every cell of the corpus. Cells that run must pass. A cell with
// a mistake that a compiler would report must fail.
func TestCorpusChecksAsExpected(t *testing.T) {
	files := cases.Corpus()
	if len(files) == 0 {
		t.Skip("the corpus is not beside the repository")
	}
	for _, file := range files {
		list, err := cases.Notebooks(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			name, _, _ := strings.Cut(c.Name, " |")
			t.Run(name, func(t *testing.T) { playCase(t, c) })
		}
	}
}

// playCase checks the cells of one case.
func playCase(t *testing.T, c cases.Notebook) {
	s := check.NewSession(store(t))
	isCell := func(part cases.Section) bool { return part.Marker == "cell" || part.Marker == "errcell" }
	fails := slices.ContainsFunc(c.Sections, func(part cases.Section) bool { return part.Marker == "err" })
	number, last := 0, 0
	for i, part := range c.Sections {
		if isCell(part) {
			last = i
		}
	}
	for i, part := range c.Sections {
		marker, source := part.Marker, part.Text
		if !isCell(part) {
			continue
		}
		number++
		checked, err := checkCell(s, number, source)
		if err == nil {
			verify(t, s, checked)
		}
		switch {
		case err == nil && i == last && fails && strings.HasPrefix(t.Name(), "TestCorpusChecksAsExpected/err-"):
			t.Errorf("cell %d passes: %s", number, outline(checked))
		case err != nil && marker == "cell" && !(fails && i == last):
			t.Errorf("cell %d: %v\n%s", number, err, source)
		}
	}
}
