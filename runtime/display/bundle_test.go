package display

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
)

type point struct{ X, Y int }

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }

type loop []any

func TestPlainTextIsWhatSprintWrites(t *testing.T) {
	var nothing *point
	var none error
	for _, value := range []any{
		nil, none, nothing, 5, 2.5 * 2, "a \"quoted\" word", point{1, 2}, &point{1, 2}, []int{1, 2, 3}, []byte{1, 2},
		map[string]int{"b": 2, "a": 1}, celsius(20), []celsius{1, 2}, struct{ t celsius }{3}, errors.New("broken"),
		[]any{nil, 1, "x", []int(nil)}, [2]bool{true}, time.Unix(0, 0).UTC(), complex(1, 2), []point{{1, 2}},
		map[point]string{{1, 2}: "p"}, struct{}{}, make([]int, 0), [][]int{{1}, nil}, 'x', uint8(3),
	} {
		data, _ := Bundle(value)
		if got, want := data[textPlain], fmt.Sprint(value); got != want {
			t.Errorf("%T: got %q, want %q", value, got, want)
		}
	}
}

func TestFunctionsAndChannelsShowTheirTypes(t *testing.T) {
	var none func()
	for _, c := range []struct {
		value any
		want  string
	}{
		{strings.ToUpper, "func(string) string"}, {make(chan int), "chan int"}, {(<-chan point)(make(chan point)), "<-chan display.point"}, {none, "<nil>"},
	} {
		if data, _ := Bundle(c.value); data[textPlain] != c.want {
			t.Errorf("%T shows %q, want %q", c.value, data[textPlain], c.want)
		}
	}
}

func TestLargeValuesAreShortenedInBothDirections(t *testing.T) {
	numbers := make([]int, 1_000_000)
	for i := range numbers {
		numbers[i] = i
	}
	words := map[int]string{}
	for i := range 5000 {
		words[i] = "w"
	}
	nested := make([][]int, 3000)
	for i := range nested {
		nested[i] = numbers[:3000]
	}
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"slice", numbers, "[0 1 2 3 4 5 6 7 8 9 … 999995 999996 999997 999998 999999] (1000000 in all)"},
		{"map", words, "map[0:w 1:w 2:w 3:w 4:w 5:w 6:w 7:w 8:w 9:w … 4995:w 4996:w 4997:w 4998:w 4999:w] (5000 in all)"},
		{"pointer", &numbers, "&[0 1 2 3 4 5 6 7 8 9 … 999995 999996 999997 999998 999999] (1000000 in all)"},
		{"struct", struct {
			n []int
			s string
		}{numbers, "end"}, "{[0 1 2 3 4 5 6 7 8 9 … 999995 999996 999997 999998 999999] end}"},
		{"nested", nested[:1], "[[0 1 2 3 4 5 6 7 8 9 … 2995 2996 2997 2998 2999]] (1 in all)"},
	}
	for _, test := range tests {
		data, _ := Bundle(test.value)
		if data[textPlain] != test.want {
			t.Errorf("%s: got %q", test.name, data[textPlain])
		}
	}
	data, _ := Bundle(nested)
	if n := len(data[textPlain].(string)); n > 10_000 {
		t.Errorf("nine million numbers take %d bytes", n)
	}
}

func TestLongTextIsCutAtALetter(t *testing.T) {
	data, _ := Bundle(strings.Repeat("κ", 1<<20))
	text := data[textPlain].(string)
	if len(text) > textLimit+100 || !strings.HasSuffix(text, "κ… (2097152 bytes, the first 32768 shown)") {
		t.Errorf("%d bytes ending in %q", len(text), text[len(text)-60:])
	}
}

func TestValueThatHoldsItselfEnds(t *testing.T) {
	cycle := loop{1, nil}
	cycle[1] = cycle
	data, _ := Bundle(cycle)
	if text := data[textPlain].(string); !strings.HasPrefix(text, "[1 [1 [1 ") || !strings.Contains(text, "…") {
		t.Errorf("got %q", text)
	}
	table := map[string]any{}
	table["self"] = table
	data, _ = Bundle(table)
	if text := data[textPlain].(string); !strings.HasPrefix(text, "map[self:map[self:") {
		t.Errorf("got %q", text)
	}
}

type richValue struct{ fail string }

func (r richValue) String() string { return "rich" }
func (r richValue) HTML() string {
	if r.fail == "HTML" {
		panic("no page today")
	}
	return "<b>rich</b>"
}
func (r richValue) Markdown() string { return "**rich**" }
func (r richValue) LaTeX() string    { return "$rich$" }
func (r richValue) SVG() string      { return "<svg/>" }
func (r richValue) PNG() ([]byte, error) {
	if r.fail == "PNG" {
		return nil, errors.New("no ink")
	}
	return []byte("png"), nil
}
func (r richValue) JPEG() ([]byte, error) {
	if r.fail == "JPEG" {
		var none []int
		_ = none[len(r.fail)]
	}
	return []byte("jpeg"), nil
}
func (r richValue) DisplaySize() (int, int) { return 320, 200 }

func TestMethodsGiveRichForms(t *testing.T) {
	data, metadata := Bundle(richValue{})
	want := map[string]any{
		textPlain: "rich", textHTML: "<b>rich</b>", textMarkdown: "**rich**", textLaTeX: "$rich$",
		imageSVG: "<svg/>", imagePNG: "cG5n", imageJPEG: "anBlZw==",
	}
	if fmt.Sprint(data) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", data, want)
	}
	if got := fmt.Sprint(metadata); got != "map[image/png:map[height:200 width:320]]" {
		t.Errorf("metadata %s", got)
	}
}

func TestFailingMethodLeavesTheTextWithTheReason(t *testing.T) {
	for fail, want := range map[string]string{
		"HTML": "rich\ndisplay: HTML panicked: no page today",
		"PNG":  "rich\ndisplay: PNG failed: no ink",
		"JPEG": "rich\ndisplay: JPEG panicked: runtime error: index out of range [4] with length 0",
	} {
		data, metadata := Bundle(richValue{fail})
		if data[textPlain] != want || len(data) != 1 || len(metadata) != 0 {
			t.Errorf("%s: got %q", fail, data)
		}
	}
}

type stringPanics struct{}

func (stringPanics) String() string { panic("boom") }

func TestPanicInStringIsReported(t *testing.T) {
	data, _ := Bundle(stringPanics{})
	if text := data[textPlain].(string); !strings.Contains(text, "boom") {
		t.Errorf("got %q", text)
	}
}

type bundled map[string]any

func (b bundled) MimeBundle() map[string]any {
	if b == nil {
		panic("empty")
	}
	return b
}

func TestMimeBundleReplacesOtherForms(t *testing.T) {
	data, _ := Bundle(bundled{"application/vnd.vegalite.v5+json": map[string]any{"mark": "bar"}, imagePNG: []byte("png"), textPlain: "a bar"})
	if data[textPlain] != "a bar" || data[imagePNG] != "cG5n" || data["application/vnd.vegalite.v5+json"] == nil {
		t.Errorf("got %v", data)
	}
	if data, _ := Bundle(bundled(nil)); data[textPlain] != "map[]\ndisplay: MimeBundle panicked: empty" {
		t.Errorf("got %q", data)
	}
}

type richError struct{}

func (richError) Error() string { return "sad" }
func (richError) HTML() string  { return "<i>sad</i>" }

func TestErrorsStayPlain(t *testing.T) {
	if data, _ := Bundle(richError{}); len(data) != 1 || data[textPlain] != "sad" {
		t.Errorf("got %v", data)
	}
}

func TestNilPointerWithMethodsIsNil(t *testing.T) {
	var p *plot.Plot
	if data, _ := Bundle(p); len(data) != 1 || data[textPlain] != "<nil>" {
		t.Errorf("got %v", data)
	}
}

func decoded(t *testing.T, form any) image.Image {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(form.(string))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func TestImageKeepsItsPixels(t *testing.T) {
	picture := image.NewRGBA(image.Rect(0, 0, 4, 3))
	picture.Set(2, 1, color.RGBA{R: 200, A: 255})
	picture.Set(3, 2, color.RGBA{B: 10, A: 128})
	data, metadata := Bundle(picture)
	got := decoded(t, data[imagePNG])
	red, _, _, alpha := got.At(2, 1).RGBA()
	if got.Bounds() != picture.Bounds() || red != 200*0x101 || alpha != 0xffff {
		t.Errorf("picture %v, pixel %v", got.Bounds(), got.At(2, 1))
	}
	if data[textPlain] != "*image.RGBA 4×3" || len(metadata) != 0 {
		t.Errorf("text %q, metadata %v", data[textPlain], metadata)
	}
}

func TestBoundlessImageStaysText(t *testing.T) {
	if data, _ := Bundle(image.NewUniform(color.Black)); len(data) != 1 {
		t.Errorf("got forms %v", len(data))
	}
}

func TestPlotIsDrawnAtTwiceItsSizeOnThePage(t *testing.T) {
	p := plot.New()
	p.Title.Text = "loss"
	data, metadata := Bundle(p)
	if size := decoded(t, data[imagePNG]).Bounds().Size(); size != (image.Point{X: 1280, Y: 800}) {
		t.Errorf("bitmap of %v pixels", size)
	}
	if got := fmt.Sprint(metadata[imagePNG]); got != "map[height:400 width:640]" {
		t.Errorf("metadata %s", got)
	}
	if data[textPlain] != `plot "loss"` {
		t.Errorf("text %q", data[textPlain])
	}
}

func TestPlotThatPanicsIsReported(t *testing.T) {
	p := plot.New()
	p.X.Scale = plot.LogScale{}
	p.X.Min, p.X.Max = -1, 1
	if data, _ := Bundle(p); len(data) != 1 || !strings.Contains(data[textPlain].(string), "drawing the plot panicked") {
		t.Errorf("got %v", data)
	}
}

func TestMatrixHasAGrid(t *testing.T) {
	data, _ := Bundle(mat.NewDense(2, 2, []float64{1, 2.5, -3, 1e-9}))
	if page, _ := data[textHTML].(string); strings.Count(page, "<td") != 4 || !strings.Contains(page, ">1e-09<") {
		t.Errorf("got %v", data[textHTML])
	}
	if data[textPlain] != "⎡ 1    2.5⎤\n⎣-3  1e-09⎦" {
		t.Errorf("text %q", data[textPlain])
	}
	for value, want := range map[mat.Matrix]string{
		&mat.Dense{}: "*mat.Dense 0×0", mat.NewVecDense(2, []float64{1, 2}): "⎡1⎤\n⎣2⎦", mat.NewDense(1, 2, []float64{0.1, 1.0 / 3}): "[0.1  0.333333]",
	} {
		if data, _ := Bundle(value); data[textPlain] != want {
			t.Errorf("text %q, want %q", data[textPlain], want)
		}
	}
	large := mat.NewDense(300, 300, nil)
	large.Set(299, 299, rand.New(rand.NewPCG(1, 2)).Float64())
	data, _ = Bundle(large)
	if text := data[textPlain].(string); !strings.HasPrefix(text, "Dims(300, 300)") {
		t.Errorf("text %q", text[:40])
	}
	if page := data[textHTML].(string); !strings.Contains(page, "300 rows × 300 columns") || strings.Count(page, "<tr>") != rowsShown+lastRows+1 {
		t.Errorf("page %s", page)
	}
}

func TestShowPanicsWithTheReason(t *testing.T) {
	for fail, want := range map[string]string{"PNG": "display: PNG failed: no ink", "HTML": "display: HTML panicked: no page today"} {
		func() {
			defer func() {
				var failure *Failure
				if err, _ := recover().(error); !errors.As(err, &failure) || err.Error() != want {
					t.Errorf("%s: panic %v", fail, err)
				}
			}()
			Show(richValue{fail})
		}()
	}
	// A package of the cause is named once.
	if err := (&Failure{fmt.Errorf("display: PNG failed: %w", errors.New("figure: no points"))}); err.Error() != "figure: no points" {
		t.Error(err)
	}
}
