package lsp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gosphere/internal/notebook/imports"
	"gosphere/kernel/nbformat"
)

// randomCell returns a text for a cell, which may use and declare names of other cells, change
// their types, or not compile.
func randomCell(random *rand.Rand) string {
	name := func() string { return string(rune('a' + random.IntN(6))) }
	kind := func() string { return []string{"int", "float64", "string", "[]int"}[random.IntN(4)] }
	switch random.IntN(14) {
	case 0:
		return fmt.Sprintf("%s := %d", name(), random.IntN(9))
	case 1:
		return fmt.Sprintf("%s := %s", name(), name())
	case 2:
		return fmt.Sprintf("func f%s() %s { return %s }", name(), kind(), name())
	case 3:
		return fmt.Sprintf("%s := f%s()", name(), name())
	case 4:
		return fmt.Sprintf("type T%s struct{ X %s }", name(), kind())
	case 5:
		return fmt.Sprintf("func (t T%s) M() %s { return t.X }", name(), kind())
	case 6:
		return fmt.Sprintf("%s := T%s{}.M()", name(), name())
	case 7:
		return fmt.Sprintf("const k%s = %d", name(), random.IntN(3))
	case 8:
		return fmt.Sprintf("var %s [k%s]int", name(), name())
	case 9:
		return fmt.Sprintf("import %s \"%s\"", name(), []string{"fmt", "strings", "math"}[random.IntN(3)])
	case 10:
		return fmt.Sprintf("%s.Sqrt(2)", name())
	case 11:
		return fmt.Sprintf("%s += %s\nfmt.Println(%s)", name(), name(), name())
	case 12:
		return fmt.Sprintf("%s = (", name())
	}
	return []string{"", "%reset", "%time 1"}[random.IntN(3)]
}

// TestChecksAfterEditsAreThoseOfTheWholeNotebook edits random cells and compares the errors of all
// cells, of which only those that depend on an edit were checked again, with those of a check from
// the top.
func TestChecksAfterEditsAreThoseOfTheWholeNotebook(t *testing.T) {
	packages, err := imports.Of(compiled(t), nbformat.New(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const notebooks, edits, size = 10, 30, 12
	random := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range notebooks {
		d := &document{state: newAnalysis(packages, nil)}
		for range size {
			d.cells = append(d.cells, &cellText{text: randomCell(random), isCode: true})
		}
		d.number()
		d.state.from(d.cells, 0)
		for range edits {
			i := random.IntN(size)
			d.cells[i].text = randomCell(random)
			d.state.changed(i)
			checked += len(d.state.update(d.cells, i))
			whole := newAnalysis(packages, nil)
			whole.from(d.cells, 0)
			for _, c := range d.cells {
				got, want := fmt.Sprint(d.state.results[c].errors), fmt.Sprint(whole.results[c].errors)
				if got != want {
					t.Fatalf("after an edit of cell %d to %q, cell %d, %q, has the errors %s, want %s", i+1, d.cells[i].text, c.number, c.text, got, want)
				}
			}
		}
	}
	if all := notebooks * edits * size; checked > all*3/4 {
		t.Errorf("%d of %d cells were checked again, want at most three quarters", checked, all)
	} else {
		t.Logf("%d of %d cells were checked again", checked, all)
	}
}
