package display

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"sync"
	"testing"

	"gosphere/internal/host"
	"gosphere/kernel/protocol"
)

type onlyLaTeX struct{ K float64 }

func (o onlyLaTeX) LaTeX() string { return fmt.Sprintf(`$\kappa = %g$`, o.K) }

type onlySVG struct{}

func (*onlySVG) SVG() string { return "<svg/>" }

// onlyBytes has a method with the name of a form but another result type, so it is not a form.
type onlyBytes struct{}

func (onlyBytes) SVG() ([]byte, error) { return nil, nil }
func (onlyBytes) HTML() []byte         { return nil }

func TestOneFormIsEnough(t *testing.T) {
	for _, test := range []struct {
		value any
		forms string
	}{
		{onlyLaTeX{2}, `map[text/latex:$\kappa = 2$ text/plain:{2}]`},
		{&onlySVG{}, `map[image/svg+xml:<svg/> text/plain:&{}]`},
		{onlySVG{}, `map[text/plain:{}]`}, // the method belongs to the pointer
		{onlyBytes{}, `map[text/plain:{}]`},
	} {
		data, _ := Bundle(test.value)
		if got := fmt.Sprint(data); got != test.forms {
			t.Errorf("%T: got %s, want %s", test.value, got, test.forms)
		}
	}
}

type badSize struct{}

func (badSize) PNG() ([]byte, error)    { return []byte("png"), nil }
func (badSize) DisplaySize() (int, int) { panic("unmeasured") }

type noSize struct{ badSize }

func (noSize) DisplaySize() (int, int) { return 0, 0 }

func TestPictureWithoutSizeIsShownAsItIs(t *testing.T) {
	for _, value := range []any{badSize{}, noSize{}} {
		data, metadata := Bundle(value)
		if data[imagePNG] != "cG5n" || len(metadata) != 0 {
			t.Errorf("%T: %v, %v", value, data, metadata)
		}
	}
}

func TestBundleNeverSharesItsMaps(t *testing.T) {
	source := bundled{textPlain: "a"}
	data, metadata := Bundle(source)
	data[textPlain], metadata["x"] = "changed", 1
	if source[textPlain] != "a" {
		t.Error("the value's own map was changed")
	}
	if _, again := Bundle(source); len(again) != 0 {
		t.Error("metadata is shared")
	}
}

func TestPicturesTellTheirSizeInText(t *testing.T) {
	picture := image.NewGray(image.Rect(0, 0, 7, 5))
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, picture); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, picture, nil); err != nil {
		t.Fatal(err)
	}
	r := record(t)
	PNG(asPNG.Bytes())
	if got := r.last(t)[textPlain]; got != "PNG picture 7×5" {
		t.Errorf("got %q", got)
	}
	JPEG(asJPEG.Bytes())
	if got := r.last(t)[textPlain]; got != "JPEG picture 7×5" {
		t.Errorf("got %q", got)
	}
}

func TestTextOfAPageIsReadable(t *testing.T) {
	r := record(t)
	for page, want := range map[string]string{
		"<h1>Title</h1><p>one<br>two</p>":         "Title\none\ntwo",
		"<ul><li>a</li><li>b &amp; c</li></ul>":   "a\nb & c",
		"<script>alert(1)</script>text<!-- c -->": "text",
		"a < b":                         "a < b",
		"<style>\np { x: y }\n</style>": "HTML, 27 bytes",
	} {
		HTML(page)
		if got := r.last(t)[textPlain]; got != want {
			t.Errorf("%q became %q, want %q", page, got, want)
		}
	}
}

func TestJSONFollowsLaterChangesOfTheValueNot(t *testing.T) {
	r := record(t)
	value := map[string]int{"a": 1}
	JSON(value)
	value["a"] = 2
	if got := fmt.Sprint(r.last(t)[jsonData]); got != "map[a:1]" {
		t.Errorf("got %s", got)
	}
	if got := r.last(t)[textPlain]; got != "{\n  \"a\": 1\n}" {
		t.Errorf("text %q", got)
	}
	JSON(make(chan int))
	if got := r.last(t)[textPlain].(string); !strings.Contains(got, "unsupported type") {
		t.Errorf("a channel is shown as %q", got)
	}
}

func TestOutputsOfManyGoroutinesAllArrive(t *testing.T) {
	r := record(t)
	place := New(0)
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for range 50 {
				Show(w)
				place.Update(w)
			}
		})
	}
	workers.Wait()
	if len(r.contents) != 1+2*8*50 {
		t.Errorf("%d messages", len(r.contents))
	}
}

func TestHostsThatChangeWhileOutputsFlowAreSafe(t *testing.T) {
	record(t)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 100 {
				leave := host.Enter(cell{publish: func(protocol.Content) {}})
				Show(1)
				leave()
			}
		})
	}
	workers.Wait()
}

func TestCellsOfATableAreShort(t *testing.T) {
	r := record(t)
	Table([]string{strings.Repeat("κ", 1000)})
	if got := r.last(t)[textPlain].(string); got != strings.Repeat("κ", cellLimit)+"…" {
		t.Errorf("%d bytes", len(got))
	}
}

func TestColumnsOfNumbersAreFound(t *testing.T) {
	for _, test := range []struct {
		cells []string
		want  bool
	}{
		{[]string{"1", "-2.5", "+3", ".5", "1e-9"}, true},
		{[]string{"NaN", "-Inf", "7"}, true},
		{[]string{"", "4"}, true},
		{[]string{"", ""}, false},
		{[]string{"1", "x"}, false},
		{[]string{"–", "0.5 ± 0.1", "-", "−2"}, true}, // dashes stand where there is no number
		{[]string{"–", "–"}, false},
		{[]string{"-"}, false},
		{nil, false},
	} {
		var rows [][]string
		for _, cell := range test.cells {
			rows = append(rows, []string{cell})
		}
		if got := isNumeric(append(rows, []string{}), 0); got != test.want {
			t.Errorf("%q: %v", test.cells, got)
		}
	}
}
