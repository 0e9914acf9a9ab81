package compare

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

func TestNumbersAgreeWithinTolerances(t *testing.T) {
	relative := func(r float64) Tolerances { return Tolerances{Relative: r} }
	for _, test := range []struct {
		stored, fresh string
		tolerances    Tolerances
		equal         bool
	}{
		{"loss 0.5", "loss 0.5", Tolerances{}, true},
		{"loss 0.5", "loss 0.50", Tolerances{}, false},
		{"loss 0.5", "loss 0.50", relative(1e-9), true},
		{"loss 1.00000", "loss 1.00001", relative(1e-9), true}, // one unit of the last digit
		{"loss 1.00000", "loss 1.00002", relative(1e-9), false},
		{"loss 1.00000", "loss 1.00002", relative(1e-5), true}, // and one unit more
		{"loss 100.0", "loss 101.0", relative(0.01), true},
		{"loss 100.0", "loss 101.2", relative(0.01), false},
		{"S −0.976", "S −0.975", relative(1e-6), true},
		{"S −0.976", "S 0.976", relative(1e-6), false},
		{"S −0.976", "S 0.976", Tolerances{Absolute: 2}, true},
		{"1e-16", "3e-16", Tolerances{Absolute: 1e-15}, true},
		{"1e-16", "3e-12", Tolerances{Absolute: 1e-15}, false},
		{"5 cells", "6 cells", relative(1e-3), false}, // whole numbers have no last digit to forgive
		{"5 cells", "6 cells", Tolerances{Absolute: 1}, true},
		{"R2", "R3", Tolerances{Absolute: 10}, false}, // a word
		{"float64", "float32", Tolerances{Absolute: 100}, false},
		{"2026-11-21", "2026-11-20", Tolerances{Absolute: 1}, true}, // hyphens: 21 and 20, not −21 and −20
		{"NaN", "0.1", Tolerances{Absolute: 100}, false},
		{"NaN", "NaN", Tolerances{Absolute: 100}, true},
		{" 9.99  x", "10.00  x", relative(0.01), true}, // columns move
		{"a  b", "a b", Tolerances{}, false},
		{"kappa 3", "tau 3", Tolerances{Absolute: 100}, false},
		{"one", "one two", Tolerances{Absolute: 100}, false},
		{"x 1.5e3", "x 1.6e3", relative(0.1), true},
		{"640×480", "640×481", Tolerances{Absolute: 1}, true},
	} {
		lines := Text(test.stored, test.fresh, test.tolerances)
		if (len(lines) == 0) != test.equal {
			t.Errorf("%q and %q within %g and %g: %q", test.stored, test.fresh, test.tolerances.Relative, test.tolerances.Absolute, lines)
		}
	}
}

func TestDifferencesOfTextsShowTheLinesAndTheNumbers(t *testing.T) {
	stored := "a\nb\nc\nd\nvmf 0.473 0.805\npsd 0.448\ne\nf\ng\nh"
	fresh := "a\nb\nc\nd\nvmf 0.475 0.805\npsd 0.448\nnew\ne\nf\ng\nh"
	want := []string{
		"~ …", "  c", "  d", "- vmf 0.473 0.805", "+ vmf 0.475 0.805",
		"~ 0.473 → 0.475: differs by 0.002, allowed is 0.00047", "  psd 0.448", "+ new", "  e", "  f", "~ …",
	}
	if got := Text(stored, fresh, Tolerances{Relative: 0.001}); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if got := Text("", "x\n", Tolerances{}); !slices.Equal(got, []string{"+ x"}) {
		t.Errorf("got %q", got)
	}
	if got := Text("x", "", Tolerances{}); !slices.Equal(got, []string{"- x"}) {
		t.Errorf("got %q", got)
	}
}

func TestLongDifferencesAreCut(t *testing.T) {
	old, now := strings.Repeat("old\n", 5000), strings.Repeat("new\n", 5000)
	lines := Text(old, now, Tolerances{})
	if len(lines) != mostShown+1 || !strings.Contains(lines[mostShown], "9940 more lines") {
		t.Errorf("got %d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	wide := Text("x", strings.Repeat("κ", 1000), Tolerances{})
	if got := len([]rune(wide[len(wide)-1])); got != widest+3 {
		t.Errorf("a line of 1000 letters is shown with %d", got)
	}
}

// picture encodes a picture of 10×10 pixels of which the first n have a gray value and the others
// are white.
func picture(t *testing.T, width, n int, gray uint8) []byte {
	t.Helper()
	drawn := image.NewGray(image.Rect(0, 0, width, 10))
	for i := range width * 10 {
		drawn.Pix[i] = 255
		if i < n {
			drawn.Pix[i] = gray
		}
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, drawn); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func TestFiguresAreComparedByPixels(t *testing.T) {
	white := picture(t, 10, 0, 0)
	for _, test := range []struct {
		name   string
		fresh  []byte
		pixels float64
		want   string
	}{
		{"equal", white, 0, ""},
		{"one pixel a little darker, exactly", picture(t, 10, 1, 254), 0, "1 % of the pixels differ (x 0 to 1, y 0 to 1), 0 % may"},
		{"all pixels a little darker, by eye", picture(t, 10, 100, 250), 0.01, ""},
		{"four black pixels where five may differ", picture(t, 10, 4, 0), 0.05, ""},
		{"six black pixels where five may differ", picture(t, 10, 6, 0), 0.05, "6 % of the pixels differ (x 0 to 6, y 0 to 1), 5 % may"},
		{"wider", picture(t, 11, 0, 0), 1, "the picture was 10×10 and is 11×10 pixels"},
		{"no picture", []byte("text"), 1, "the new picture cannot be read"},
	} {
		got := Figure(white, test.fresh, Tolerances{Pixels: test.pixels})
		if got != test.want && (test.want == "" || !strings.Contains(got, test.want)) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestOverlayMarksWhatDiffers(t *testing.T) {
	overlay := Overlay(picture(t, 10, 0, 0), picture(t, 10, 1, 0))
	if red := overlay.At(0, 0); red != (color.RGBA{R: 208, A: 255}) {
		t.Errorf("the pixel that differs is %v", red)
	}
	if white := overlay.At(5, 5); white != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("another pixel is %v", white)
	}
	if Overlay(picture(t, 10, 0, 0), picture(t, 11, 0, 0)) != nil || Overlay(nil, nil) != nil {
		t.Error("pictures that cannot be laid over each other are")
	}
}

func display(data map[string]any) nbformat.Output {
	return nbformat.Output{Type: nbformat.DisplayData, Data: data}
}

func TestOutputsAreComparedByKind(t *testing.T) {
	stream := func(name, text string) nbformat.Output {
		return nbformat.Output{Type: nbformat.Stream, Name: name, Text: text}
	}
	plain := func(text string) nbformat.Output { return display(map[string]any{"text/plain": text}) }
	encoded := func(n int) string { return base64.StdEncoding.EncodeToString(picture(t, 10, n, 0)) }
	svg := func(x string) nbformat.Output {
		return display(map[string]any{"image/svg+xml": `<svg><path d="M0,` + x + `L2"/> <g/></svg>`})
	}
	for _, test := range []struct {
		name          string
		stored, fresh []nbformat.Output
		tolerances    Tolerances
		want          string // places and lines
	}{
		{"streams cut elsewhere", []nbformat.Output{stream("stdout", "a"), stream("stdout", "b")}, []nbformat.Output{stream("stdout", "ab")}, Tolerances{}, ""},
		{"another stream", []nbformat.Output{stream("stdout", "a")}, []nbformat.Output{stream("stderr", "a")}, Tolerances{}, "outputs: - text on stdout|+ text on stderr"},
		{"an output is gone", []nbformat.Output{plain("a"), plain("b")}, []nbformat.Output{plain("a")}, Tolerances{}, "outputs:   display of text/plain|- display of text/plain|  a|- b"},
		{"a number", []nbformat.Output{plain("1.5")}, []nbformat.Output{plain("1.7")}, Tolerances{Absolute: 0.01}, "output 1, text/plain: - 1.5|+ 1.7|~ 1.5 → 1.7: differs by 0.2, allowed is 0.01"},
		{"a number that is left out", []nbformat.Output{plain("took 1.5 s")}, []nbformat.Output{plain("took 1.6 s")}, Tolerances{Ignore: []string{`[\d.]+ s`}}, ""},
		{"html below its text", []nbformat.Output{display(map[string]any{"text/plain": "1", "text/html": "<b>1</b>"})},
			[]nbformat.Output{display(map[string]any{"text/plain": "2", "text/html": "<b>2</b>"})}, Tolerances{}, "output 1, text/plain: - 1|+ 2"},
		{"a picture", []nbformat.Output{display(map[string]any{"image/png": encoded(0)})},
			[]nbformat.Output{display(map[string]any{"image/png": encoded(3) + "\n"})}, Tolerances{}, "output 1, image/png: ~ picture of 10×10: 3 % of the pixels differ (x 0 to 3, y 0 to 1), 0 % may"},
		{"a drawing within tolerance", []nbformat.Output{svg("1.5")}, []nbformat.Output{svg("1.501")}, Tolerances{Absolute: 0.01}, ""},
		{"a drawing outside", []nbformat.Output{svg("1.5")}, []nbformat.Output{svg("1.7")}, Tolerances{}, `output 1, image/svg+xml:   <svg>|- <path d=" M 0 , 1.5 L 2"/>|+ <path d=" M 0 , 1.7 L 2"/>|  <g/>|  </svg>`},
		{"JSON", []nbformat.Output{display(map[string]any{"application/json": map[string]any{"a": 1.0}})},
			[]nbformat.Output{display(map[string]any{"application/json": map[string]any{"a": 2.0}})}, Tolerances{}, `output 1, application/json:   {|-  "a": 1|+  "a": 2|  }`},
		{"models of widgets have new names", []nbformat.Output{display(map[string]any{widgetView: map[string]any{"model_id": "a"}})},
			[]nbformat.Output{display(map[string]any{widgetView: map[string]any{"model_id": "b"}})}, Tolerances{}, ""},
		{"time and rate of a progress bar", []nbformat.Output{plain("[####] sampling: 3 of 3 in 1:07, loss 0.4, 99 samples/s")},
			[]nbformat.Output{plain("[####] sampling: 3 of 3 in 0.4 s, loss 0.4")}, Tolerances{}, ""},
		{"what a progress bar found", []nbformat.Output{plain("[####] sampling: 3 of 3 in 1 s, loss 0.4")},
			[]nbformat.Output{plain("[####] sampling: 3 of 3 in 1 s, loss 0.5")}, Tolerances{}, "output 1, text/plain: - [####] sampling: 3 of 3 in …, loss 0.4|+ [####] sampling: 3 of 3 in …, loss 0.5"},
		{"not compared", []nbformat.Output{plain("a")}, nil, Tolerances{Skip: "a reason"}, ""},
		{"another error", []nbformat.Output{{Type: nbformat.ErrorOutput, Ename: "panic", Evalue: "a"}}, []nbformat.Output{{Type: nbformat.ErrorOutput, Ename: "panic", Evalue: "b"}},
			Tolerances{}, "output 1, error panic: - a|+ b"},
		{"the same error in other colors", []nbformat.Output{{Type: nbformat.ErrorOutput, Traceback: []string{"\x1b[31mx"}}},
			[]nbformat.Output{{Type: nbformat.ErrorOutput, Traceback: []string{"\x1b[32mx"}}}, Tolerances{}, ""},
	} {
		for i, pattern := range test.tolerances.Ignore {
			notebook := nbformat.New()
			notebook.Metadata["gosphere"] = map[string]any{"check": map[string]any{"ignore": []any{pattern}}}
			var err error
			if test.tolerances, err = TolerancesOf(notebook, &nbformat.Cell{}); err != nil {
				t.Fatal(i, err)
			}
		}
		var got []string
		for _, d := range Outputs(test.stored, test.fresh, test.tolerances) {
			got = append(got, d.Place+": "+strings.Join(d.Lines, "|"))
		}
		if text := strings.Join(got, "\n"); text != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, text, test.want)
		}
	}
}

func TestTolerancesOfACellReplaceThoseOfTheNotebook(t *testing.T) {
	notebook := nbformat.New()
	notebook.Metadata["gosphere"] = map[string]any{"check": map[string]any{"relative": 0.1, "pixels": 0.5}}
	cell := notebook.Add(nbformat.Code, "x")
	cell.Metadata["gosphere"] = map[string]any{"check": map[string]any{"relative": 0.2, "ignore": []any{"a+"}}}
	got, err := TolerancesOf(notebook, cell)
	if err != nil || got.Relative != 0.2 || got.Pixels != 0.5 || got.without("caat") != "c…t" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWrongTolerancesAreNamed(t *testing.T) {
	for want, value := range map[string]any{
		"metadata of cell a: gosphere.check is 5, want an object":                                    5,
		"gosphere.check.relative is -1, want a number from 0 to":                                     map[string]any{"relative": -1.0},
		"gosphere.check.pixels is 1.5, want a number from 0 to 1":                                    map[string]any{"pixels": 1.5},
		"gosphere.check.absolute is x, want a number":                                                map[string]any{"absolute": "x"},
		"gosphere.check.skip is true, want the reason as a text":                                     map[string]any{"skip": true},
		"gosphere.check.ignore is x, want a list of regular expressions":                             map[string]any{"ignore": "x"},
		"gosphere.check.ignore is [1], want a list of regular expressions":                           map[string]any{"ignore": []any{1}},
		"gosphere.check.ignore: error parsing regexp":                                                map[string]any{"ignore": []any{"("}},
		"gosphere.check.tolerance is unknown; known are relative, absolute, pixels, ignore and skip": map[string]any{"tolerance": 1.0},
	} {
		cell := &nbformat.Cell{ID: "a", Metadata: map[string]any{"gosphere": map[string]any{"check": value}}}
		if _, err := TolerancesOf(nbformat.New(), cell); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", value, err, want)
		}
	}
}

// FuzzText checks that texts agree with themselves, and that the lines of a difference are those of
// the two texts.
func FuzzText(f *testing.F) {
	f.Add("a 1.5\nb", "a 1.6\nb", 0.01)
	f.Add("−1e5 \xff", "x\n\n", 0.0)
	f.Fuzz(func(t *testing.T, stored, fresh string, relative float64) {
		tolerances := Tolerances{Relative: max(relative, 0)}
		if lines := Text(stored, stored, tolerances); lines != nil {
			t.Fatalf("%q differs from itself: %q", stored, lines)
		}
		if exact := Text(stored, fresh, Tolerances{}); exact == nil && strings.TrimSuffix(stored, "\n") != strings.TrimSuffix(fresh, "\n") {
			t.Fatalf("%q and %q are said to agree", stored, fresh)
		}
		Text(stored, fresh, tolerances)
	})
}
