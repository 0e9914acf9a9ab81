package compare

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

func printed(name, text string) nbformat.Output {
	return nbformat.Output{Type: nbformat.Stream, Name: name, Text: text}
}

func failed(name, value string, traceback ...string) nbformat.Output {
	return nbformat.Output{Type: nbformat.ErrorOutput, Ename: name, Evalue: value, Traceback: traceback}
}

// found returns the differences between outputs, one per line.
func found(stored, fresh []nbformat.Output, t Tolerances) string {
	var list []string
	for _, d := range Outputs(stored, fresh, t) {
		list = append(list, d.Place+": "+strings.Join(d.Lines, "|"))
	}
	return strings.Join(list, "\n")
}

func TestOrderOfStreamsCounts(t *testing.T) {
	out, err := printed("stdout", "a\n"), printed("stderr", "b\n")
	for _, test := range []struct {
		name          string
		stored, fresh []nbformat.Output
		want          string
	}{
		{"cut into many", []nbformat.Output{out, out, err, err}, []nbformat.Output{printed("stdout", "a\na\n"), printed("stderr", "b\nb\n")}, ""},
		{"cut within a line", []nbformat.Output{printed("stdout", "1."), printed("stdout", "5\n")}, []nbformat.Output{printed("stdout", "1.5\n")}, ""},
		{"one behind the other", []nbformat.Output{out, err}, []nbformat.Output{err, out}, "outputs: - text on stdout|  text on stderr|+ text on stdout|- a|  b|+ a"},
		{"one between", []nbformat.Output{out, err, out}, []nbformat.Output{out, out, err}, "outputs:   text on stdout|  text on stderr|- text on stdout|  a|- b|  a|+ b"},
		{"a display between", []nbformat.Output{out, display(map[string]any{"text/plain": "x"}), out}, []nbformat.Output{out, out, display(map[string]any{"text/plain": "x"})},
			"outputs:   text on stdout|  display of text/plain|- text on stdout|  a|- x|  a|+ x"},
		{"an empty line more", []nbformat.Output{out}, []nbformat.Output{printed("stdout", "a\n\n")}, "output 1, stdout:   a|+ "},
		{"no line end", []nbformat.Output{out}, []nbformat.Output{printed("stdout", "a")}, ""}, // shown alike
		{"nothing any more", []nbformat.Output{out}, nil, "outputs: - text on stdout|- a"},
		{"something for the first time", nil, []nbformat.Output{err}, "outputs: + text on stderr|+ b"},
	} {
		if got := found(test.stored, test.fresh, Tolerances{}); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

func TestErrorsAreComparedByNameValueAndTraceback(t *testing.T) {
	ignoring := tolerances(t, map[string]any{"ignore": []any{"0x[0-9a-f]+"}})
	for _, test := range []struct {
		name          string
		stored, fresh nbformat.Output
		tolerances    Tolerances
		want          string
	}{
		{"the same", failed("panic", "no", "panic: no"), failed("panic", "no", "panic: no"), Tolerances{}, ""},
		{"another name", failed("panic", "no"), failed("error", "no"), Tolerances{}, "outputs: - error panic|+ error error"},
		{"another value", failed("panic", "5 of 7", "panic: 5 of 7"), failed("panic", "6 of 7", "panic: 6 of 7"), Tolerances{}, "output 1, error panic: - 5 of 7|+ 6 of 7"},
		{"within the tolerance", failed("panic", "5 of 7", "panic: 5 of 7"), failed("panic", "6 of 7", "panic: 6 of 7"), Tolerances{Absolute: 1}, ""},
		{"outside of it", failed("panic", "5 of 7"), failed("panic", "9 of 7"), Tolerances{Absolute: 1},
			"output 1, error panic: - 5 of 7|+ 9 of 7|~ 5 → 9: differs by 4, allowed is 1"},
		{"an address", failed("panic", "at 0xc01", "panic: at 0xc01"), failed("panic", "at 0xd02", "panic: at 0xd02"), ignoring, ""},
		{"another place", failed("panic", "no", "panic: no", "Cell [1] line 2"), failed("panic", "no", "panic: no", "Cell [1] line 3"), Tolerances{},
			"output 1, traceback:   panic: no|- Cell [1] line 2|+ Cell [1] line 3"},
		{"instead of a value", failed("panic", "no"), display(map[string]any{"text/plain": "1"}), Tolerances{}, "outputs: - error panic|+ display of text/plain|- no|+ 1"},
	} {
		if got := found([]nbformat.Output{test.stored}, []nbformat.Output{test.fresh}, test.tolerances); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}

// tolerances parses fields as in the metadata of a cell.
func tolerances(t *testing.T, fields map[string]any) Tolerances {
	t.Helper()
	got, err := TolerancesOf(nbformat.New(), &nbformat.Cell{ID: "a", Metadata: map[string]any{"gosphere": map[string]any{"check": fields}}})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEveryKindOfDataIsCompared(t *testing.T) {
	coded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	number := func(text string) map[string]any {
		return map[string]any{"mark": "line", "data": []any{json.Number(text)}}
	}
	for _, test := range []struct {
		mime          string
		stored, fresh any
		want          string
	}{
		{"text/html", "<td>0.50</td>", "<td>0.60</td>", "- <td>0.50</td>|+ <td>0.60</td>|~ 0.50 → 0.60: differs by 0.1, allowed is 0.005"},
		{"text/html", "<td>0.500</td>", "<td>0.501</td>", ""},
		{"text/markdown", "**a** 1", "*a* 1", "- **a** 1|+ *a* 1"},
		{"text/latex", `$\kappa = 5.00$`, `$\kappa = 5.01$`, ""},
		{"application/json", map[string]any{"a": 1.0, "b": 2.0}, map[string]any{"b": 2.0, "a": 1.0}, ""},
		{"application/json", []any{1.0, 2.0}, []any{2.0, 1.0}, "  [|-  1,|-  2|+  2,|+  1|~ 1 → 2: differs by 1, allowed is 0.01|~ 2 → 1: differs by 1, allowed is 0.02|  ]"},
		{"application/json", map[string]any{"a": nil}, map[string]any{"a": false}, `  {|-  "a": null|+  "a": false|  }`},
		{"application/json", map[string]any{"a": 1.0}, "a", `- {|-  "a": 1|- }|+ "a"`},
		{"application/vnd.vegalite.v5+json", number("0.5"), number("0.5000001"), ""},
		{"application/vnd.vegalite.v5+json", number("0.5"), number("0.7"), `  {|   "data": [|-   0.5|+   0.7|~ 0.5 → 0.7: differs by 0.2, allowed is 0.005|   ],|   "mark": "line"`},
		{"application/pdf", coded("%PDF-1.7"), coded("%PDF-1.7"), ""},
		{"application/pdf", coded("%PDF-1.7"), coded("%PDF-1.7 more"), "~ the bytes differ (8 stored, 13 new)"},
		{"audio/wav", coded("ab"), coded("ac"), "~ the bytes differ (2 stored, 2 new)"},
		{"video/mp4", coded("ab"), coded("ab")[:2] + "\n" + coded("ab")[2:], ""},
		{"image/gif", coded("GIF89a one"), coded("GIF89a two"), "~ the bytes differ (10 stored, 10 new)"},
		{"image/webp", coded("one"), coded("one"), ""},
		{"image/svg+xml", "<svg>\n<g/>\n</svg>", "<svg> <g/></svg>", ""},
		{"image/svg+xml", `<svg><text>κ 5</text></svg>`, `<svg><text>κ 9</text></svg>`, "  <svg>|- <text>κ 5</text>|+ <text>κ 9</text>|~ 5 → 9: differs by 4, allowed is 0.05|  </svg>"},
		{"application/vnd.nobody+json", map[string]any{"a": "x"}, map[string]any{"a": "y"}, `  {|-  "a": "x"|+  "a": "y"|  }`},
		{"application/x-unknown", "x 1.0", "x 2.0", "- x 1.0|+ x 2.0|~ 1.0 → 2.0: differs by 1, allowed is 0.01"},
	} {
		got := found([]nbformat.Output{display(map[string]any{test.mime: test.stored})}, []nbformat.Output{display(map[string]any{test.mime: test.fresh})}, Tolerances{Relative: 0.01})
		got = strings.TrimPrefix(got, "output 1, "+test.mime+": ")
		if got = strings.TrimPrefix(strings.TrimSuffix(got, "|~ …"), "~ …|"); got != test.want {
			t.Errorf("%s, %v and %v:\n got %q\nwant %q", test.mime, test.stored, test.fresh, got, test.want)
		}
	}
}

func TestAFormThatIsGoneIsTold(t *testing.T) {
	both := display(map[string]any{"text/plain": "1", "text/html": "<b>1</b>"})
	plain := display(map[string]any{"text/plain": "1"})
	want := "outputs: - display of text/html, text/plain|+ display of text/plain"
	if got := found([]nbformat.Output{both}, []nbformat.Output{plain}, Tolerances{}); got != want {
		t.Errorf("got %q", got)
	}
	result := nbformat.Output{Type: nbformat.ExecuteResult, Data: map[string]any{"text/plain": "1"}}
	if got := found([]nbformat.Output{plain}, []nbformat.Output{result}, Tolerances{}); got != "" {
		t.Errorf("a value that is shown and one that is displayed differ: %q", got)
	}
}

func TestHTMLIsToldWhereItsTextAgrees(t *testing.T) {
	shown := func(markup string) []nbformat.Output {
		return []nbformat.Output{display(map[string]any{"text/plain": "table", "text/html": markup})}
	}
	if got := found(shown("<b>1</b>"), shown("<b>2</b>"), Tolerances{}); got != "output 1, text/html: - <b>1</b>|+ <b>2</b>" {
		t.Errorf("got %q", got)
	}
}

func TestTimesOfProgressBarsAreNotComparedAndOthersAre(t *testing.T) {
	bar := func(text string) []nbformat.Output {
		return []nbformat.Output{display(map[string]any{"text/plain": text})}
	}
	for _, test := range []struct {
		stored, fresh string
		equal         bool
	}{
		{"[##··] training: 3 of 6 in 2.5 s", "[##··] training: 3 of 6 in 1:02:03", true},
		{"training: 3 in 2 s", "training: 3 in 9 s", true},
		{"[####] training: 6 of 6 in 2 s, 812 samples/s", "[####] training: 6 of 6 in 2 s, 5 samples/s", true},
		{"[####] training: 6 of 6 in 2 s, 812 samples/s: it collapsed", "[####] training: 6 of 6 in 2 s, 5 samples/s: it collapsed", true},
		{"[####] training: 6 of 6 in 2 s, 812 samples/s: it collapsed", "[####] training: 6 of 6 in 2 s, 812 samples/s: it ended", false},
		{"[##··] training: 3 of 6 in 2 s", "[###·] training: 4 of 6 in 2 s", false},
		{"[##··] training: 3 of 6 in 2 s", "[##··] sampling: 3 of 6 in 2 s", false},
		{"took 2 s", "took 3 s", false},
		{"a\ntraining: 3 in 2 s", "a\ntraining: 3 in 9 s", false}, // no bar, but a text that speaks of one
	} {
		if got := found(bar(test.stored), bar(test.fresh), Tolerances{}); (got == "") != test.equal {
			t.Errorf("%q and %q: %q", test.stored, test.fresh, got)
		}
	}
	// If printed, the same words are the user's.
	if found([]nbformat.Output{printed("stdout", "training: 3 in 2 s")}, []nbformat.Output{printed("stdout", "training: 3 in 9 s")}, Tolerances{}) == "" {
		t.Error("printed times are not compared")
	}
}

func TestOutputsAreNotChangedByTheComparison(t *testing.T) {
	stored := []nbformat.Output{printed("stdout", "a"), printed("stdout", "b"), display(map[string]any{"text/plain": "[##] x: 1 of 1 in 2 s"})}
	fresh := []nbformat.Output{printed("stdout", "ab"), display(map[string]any{"text/plain": "[##] x: 1 of 1 in 3 s"})}
	if got := found(stored, fresh, Tolerances{}); got != "" {
		t.Errorf("got %q", got)
	}
	if len(stored) != 3 || stored[0].Text != "a" || stored[2].Data["text/plain"] != "[##] x: 1 of 1 in 2 s" {
		t.Errorf("the stored outputs became %+v", stored)
	}
}

func TestCurvesBelowABarAreThereOnSlowMachinesOnly(t *testing.T) {
	bar := display(map[string]any{"text/plain": "[####] training clip: 6 of 6 in 2 s", "text/html": "<progress>"})
	curves := func(title string) nbformat.Output {
		return display(map[string]any{"text/plain": title + " (lines, 2 lines), 640×400", "image/png": "AAAA"})
	}
	for _, test := range []struct {
		name          string
		stored, fresh []nbformat.Output
		equal         bool
	}{
		{"new ones", []nbformat.Output{bar}, []nbformat.Output{bar, curves("training clip")}, true},
		{"none any more", []nbformat.Output{bar, curves("training clip")}, []nbformat.Output{bar}, true},
		{"those of another training", []nbformat.Output{bar}, []nbformat.Output{bar, curves("training pfe")}, false},
		{"without a bar", nil, []nbformat.Output{curves("training clip")}, false},
		{"no figure but a text", []nbformat.Output{bar}, []nbformat.Output{bar, display(map[string]any{"text/plain": "training clip (lines), 5×5"})}, false},
	} {
		if got := found(test.stored, test.fresh, Tolerances{}); (got == "") != test.equal {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestTimesOfMagicsAreNotComparedAndOthersAre(t *testing.T) {
	for _, test := range []struct {
		stored, fresh string
		equal         bool
	}{
		{"x\nwall time 422 µs, CPU time 78 µs, allocated 1 KB\n", "x\nwall time 1.1 s, allocated 1.37 MB\n", true},
		{"948 ns ± 151 ns per loop (mean ± sd of 7 runs of 313782 loops), least 742 ns\n", "1.2 µs ± 1 ns per loop (mean ± sd of 7 runs of 9 loops), least 1.1 µs\n", true},
		{"x 1\nwall time 1 s, allocated 1 KB\n", "x 2\nwall time 1 s, allocated 1 KB\n", false},
		{"my wall time 1 s, allocated 1 KB\n", "my wall time 2 s, allocated 1 KB\n", false},
		{"wall time 1 s\n", "wall time 2 s\n", false},
		{"wall time 1 s, allocated 1 KB\n", "1 s ± 1 s per loop (mean ± sd of 7 runs of 9 loops), least 1 s\n", false},
	} {
		got := found([]nbformat.Output{printed("stdout", test.stored)}, []nbformat.Output{printed("stdout", test.fresh)}, Tolerances{})
		if (got == "") != test.equal {
			t.Errorf("%q and %q: %q", test.stored, test.fresh, got)
		}
	}
}
