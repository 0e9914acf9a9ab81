package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTablesMayGetWiderWithTheirNumbers(t *testing.T) {
	narrow := strings.Join([]string{
		"method    R@1   S",
		"───────  ─────  ────",
		"vmf       9.99  −0.9",
		"psd       8.50  −1.0",
	}, "\n")
	wide := strings.Join([]string{
		"method     R@1   S",
		"───────  ──────  ────",
		"vmf       10.00  −0.9",
		"psd        8.50  −1.0",
	}, "\n")
	if lines := Text(narrow, wide, Tolerances{Relative: 0.01}); lines != nil {
		t.Errorf("a wider column: %q", lines)
	}
	if lines := Text(narrow, wide, Tolerances{}); len(lines) == 0 {
		t.Error("without tolerances columns must stay as they are")
	}
	for name, other := range map[string]string{
		"a column less":    strings.ReplaceAll(wide, "  −0.9", ""),
		"a rule less":      strings.ReplaceAll(wide, "  ────\n", "\n"),
		"another rule":     strings.ReplaceAll(wide, "─", "═"),
		"a row less":       wide[:strings.LastIndex(wide, "\n")],
		"rows exchanged":   strings.NewReplacer("vmf ", "psd ", "psd ", "vmf ").Replace(wide),
		"another name":     strings.ReplaceAll(wide, "vmf", "pfe"),
		"a number for one": strings.ReplaceAll(wide, "8.50", " n/a"),
	} {
		if lines := Text(narrow, other, Tolerances{Relative: 0.01}); len(lines) == 0 {
			t.Errorf("%s passes", name)
		}
	}
}

func TestTablesOfMarkdownAndHTMLAreComparedByNumbers(t *testing.T) {
	markdown := "| method | R@1 |\n|:-----|----:|\n| vmf | 0.473 |"
	if lines := Text(markdown, "| method | R@1 |\n|:-------|-----:|\n| vmf | 0.4731 |", Tolerances{Relative: 0.001}); lines != nil {
		t.Errorf("Markdown: %q", lines)
	}
	html := "<table><tr><td style=\"text-align:right\">0.473</td><td>±0.01</td></tr></table>"
	if lines := Text(html, strings.Replace(html, "0.473", "0.474", 1), Tolerances{Absolute: 0.001}); lines != nil {
		t.Errorf("HTML: %q", lines)
	}
	want := []string{"- " + html, "+ " + strings.Replace(html, "0.01", "0.5", 1), "~ 0.01 → 0.5: differs by 0.49, allowed is 0.001"}
	if lines := Text(html, strings.Replace(html, "0.01", "0.5", 1), Tolerances{Absolute: 0.001}); !slices.Equal(lines, want) {
		t.Errorf("HTML: %q", lines)
	}
}

// TestDifferencesReadLikeThis shows the text that a person sees.
func TestDifferencesReadLikeThis(t *testing.T) {
	for _, test := range []struct {
		name, stored, fresh string
		tolerances          Tolerances
		want                string
	}{
		{"a line in between", "a\nb\nc", "a\nx\nb\nc", Tolerances{}, "  a\n+ x\n  b\n  c"},
		{"the first line", "a\nb", "x\nb", Tolerances{}, "- a\n+ x\n  b"},
		{"the last line", "a\nb", "a\nx", Tolerances{}, "  a\n- b\n+ x"},
		{"lines that moved", "a\nb\nc", "c\na\nb", Tolerances{}, "+ c\n  a\n  b\n- c"},
		{"what is far away is left out", "1\n2\n3\n4\n5\n6\n7", "1\n2\n3\nx\n5\n6\n7", Tolerances{}, "~ …\n  2\n  3\n- 4\n+ x\n  5\n  6\n~ …"},
		{"two changes far apart", "a\n1\n2\n3\n4\n5\nb", "x\n1\n2\n3\n4\n5\ny", Tolerances{}, "- a\n+ x\n  1\n  2\n~ …\n  4\n  5\n- b\n+ y"},
		{"two changes near each other", "a\n1\nb", "x\n1\ny", Tolerances{}, "- a\n+ x\n  1\n- b\n+ y"},
		{"all", "a\nb", "x\ny", Tolerances{}, "- a\n- b\n+ x\n+ y"},
		{"numbers of two lines", "a 1.0\nb 2.0", "a 1.5\nb 2.5", Tolerances{Absolute: 0.01},
			"- a 1.0\n- b 2.0\n+ a 1.5\n+ b 2.5\n~ 1.0 → 1.5: differs by 0.5, allowed is 0.01\n~ 2.0 → 2.5: differs by 0.5, allowed is 0.01"},
		{"only the number that is too far", "a 1.0 2.0 3.0", "a 1.0 2.5 3.001", Tolerances{Absolute: 0.01},
			"- a 1.0 2.0 3.0\n+ a 1.0 2.5 3.001\n~ 2.0 → 2.5: differs by 0.5, allowed is 0.01"},
		{"no number but a word", "loss 0.5", "gain 0.5", Tolerances{Absolute: 0.01}, "- loss 0.5\n+ gain 0.5"},
		{"what is shown is new where numbers may differ", "a 1.00\nb\nc", "a 1.01\nb\nx", Tolerances{Absolute: 0.1}, "  a 1.01\n  b\n- c\n+ x"},
		{"empty lines", "a\n\nb", "a\nb", Tolerances{}, "  a\n- \n  b"},
	} {
		if got := strings.Join(Text(test.stored, test.fresh, test.tolerances), "\n"); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestManyNumbersAreNotAllNamed(t *testing.T) {
	var stored, fresh []string
	for i := range 20 {
		stored, fresh = append(stored, fmt.Sprintf("%d.5", i)), append(fresh, fmt.Sprintf("%d.5", i+100))
	}
	lines := Text(strings.Join(stored, " "), strings.Join(fresh, " "), Tolerances{Absolute: 1})
	if len(lines) != 2+mostRemarks+1 || lines[len(lines)-1] != "~ and 12 more numbers" || !strings.HasPrefix(lines[2], "~ 0.5 → 100.5") {
		t.Errorf("got %q", lines)
	}
}

// TestDifferencesCanBeAppliedToWhatIsStored checks that the lines are complete: kept and removed
// ones are the stored text, kept and added ones the new text.
func TestDifferencesCanBeAppliedToWhatIsStored(t *testing.T) {
	letters := "abc"
	texts := []string{}
	for i := range 81 {
		texts = append(texts, strings.Join([]string{letters[i%3 : i%3+1], letters[i/3%3 : i/3%3+1], letters[i/9%3 : i/9%3+1], letters[i/27%3 : i/27%3+1]}, "\n"))
	}
	for _, stored := range texts {
		for _, fresh := range texts {
			var old, now []string
			for _, s := range align(lines(stored), lines(fresh), &Tolerances{}) {
				if s.kind != '+' {
					old = append(old, s.text)
				}
				if s.kind != '-' {
					now = append(now, s.text)
				}
			}
			if strings.Join(old, "\n") != stored || strings.Join(now, "\n") != fresh {
				t.Fatalf("%q to %q is told as %q to %q", stored, fresh, old, now)
			}
		}
	}
}

func TestIgnoredPiecesDoNotHideOthers(t *testing.T) {
	ignoring := tolerances(t, map[string]any{"ignore": []any{`\d+ ms`, `(?m)^seed .*$`}, "absolute": 0.5})
	for _, test := range []struct {
		stored, fresh string
		equal         bool
	}{
		{"took 5 ms, loss 1.0", "took 812 ms, loss 1.2", true},
		{"took 5 ms, loss 1.0", "took 812 ms, loss 2.0", false},
		{"seed 5\na", "seed of today\na", true},
		{"seed 5\na", "no seed\na", false},
		{"took 5 ms", "took 5 s", false},
		{"took 5 ms and 6 ms", "took 5 ms", false},
	} {
		if lines := Text(test.stored, test.fresh, ignoring); (lines == nil) != test.equal {
			t.Errorf("%q and %q: %q", test.stored, test.fresh, lines)
		}
	}
}

func TestTextsOfManyLinesAreComparedInTheMiddle(t *testing.T) {
	var stored, fresh []string
	for i := range 900 {
		stored = append(stored, fmt.Sprintf("row %d of the table, %d.25", i, i))
		if i == 450 {
			fresh = append(fresh, "a new row")
		}
		fresh = append(fresh, fmt.Sprintf("row %d of the table, %d.25", i, i))
	}
	stored[0], stored[899] = "first", "last"
	got := Text(strings.Join(stored, "\n"), strings.Join(fresh, "\n"), Tolerances{Absolute: 1e-6})
	want := []string{
		"- first", "+ row 0 of the table, 0.25", "  row 1 of the table, 1.25", "  row 2 of the table, 2.25", "~ …",
		"  row 448 of the table, 448.25", "  row 449 of the table, 449.25", "+ a new row", "  row 450 of the table, 450.25", "  row 451 of the table, 451.25", "~ …",
		"  row 897 of the table, 897.25", "  row 898 of the table, 898.25", "- last", "+ row 899 of the table, 899.25",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
