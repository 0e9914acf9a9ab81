package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func rising(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return values
}

func TestPictureHasTwiceThePagePixels(t *testing.T) {
	f := Lines("x", "y", Series{Values: rising(3)})
	f.Width, f.Height = 300, 200
	content, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil || config.Width != 600 || config.Height != 400 {
		t.Errorf("%d×%d pixels, %v", config.Width, config.Height, err)
	}
	if w, h := f.DisplaySize(); w != 300 || h != 200 {
		t.Errorf("size on the page %d×%d", w, h)
	}
}

func TestFormatsAreWellFormed(t *testing.T) {
	f := Spheres(Ball{Name: "κ < 2", Profile: func(t float64) float64 { return 1 + t }})
	f.Title = "R² & κ"
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pdf, err := f.PDF()
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("pdf begins with %q, %v", pdf[:min(8, len(pdf))], err)
	}
}

func TestSaveChoosesTheFormatByTheName(t *testing.T) {
	f := Lines("x", "y", Series{Values: rising(3)})
	for name, magic := range map[string]string{"a.png": "\x89PNG", "b.SVG": "<?xml", "c.pdf": "%PDF"} {
		path := filepath.Join(t.TempDir(), name)
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(content, []byte(magic)) {
			t.Errorf("%s begins with %q, %v", name, content[:5], err)
		}
	}
	if err := f.Save("figure.gif"); err == nil || !strings.Contains(err.Error(), "figure.gif ends in none of") {
		t.Errorf("got %v", err)
	}
	if err := f.Save(filepath.Join(t.TempDir(), "none", "a.png")); err == nil {
		t.Error("saved into a folder that is not there")
	}
}

func TestFiguresThatCannotBeDrawnSayWhy(t *testing.T) {
	flat := func(float64) float64 { return 1 }
	for want, f := range map[string]*Figure{
		"figure: no series to draw":                                       Lines("x", "y"),
		`series "a" has no values`:                                        Loss(Series{Name: "a"}),
		`series "a" has 2 values, 1 positions and a band of 0 and 0`:      Scatter("x", "y", Series{Name: "a", Values: rising(2), X: rising(1)}),
		`series "a" has 2 values, 0 positions and a band of 2 and 0`:      Lines("x", "y", Series{Name: "a", Values: rising(2), Low: rising(2)}),
		`series "a" has no finite value at 1`:                             Histogram("x", Series{Name: "a", Values: []float64{1, math.Inf(1)}}),
		`series "b" has 3 levels, want 2`:                                 RecallByLevel(Series{Name: "a", Values: rising(2)}, Series{Name: "b", Values: rising(3)}),
		`series "runs" has 0 values`:                                      RecallByLevel(Bands("runs", [][]float64{{1, 2}, {1}})),
		`series "none" has no values`:                                     RecallByLevel(Bands("none", nil)),
		"figure: no sphere to draw":                                       Spheres(),
		`sphere "a": no profile: set Profile to the density`:              Spheres(Ball{Name: "a"}),
		`sphere "b": no profile: set Profile to the density`:              Spheres(Ball{Name: "b", Samples: [][]float64{{1, 0, 0}}, Contours: []float64{0.5}}),
		`sphere "a": mean direction is [0 0 0]`:                           Spheres(Ball{Name: "a", Mean: []float64{0, 0, 0}, Profile: flat}),
		`sphere "a": sample 0 has 2 coordinates`:                          Spheres(Ball{Name: "a", Profile: flat, Samples: [][]float64{{1, 2}}}),
		`sphere "a": density is -1 at cosine 1.000`:                       Spheres(Ball{Name: "a", Profile: func(t float64) float64 { return -t }}),
		`sphere "a": density is zero everywhere`:                          Spheres(Ball{Name: "a", Profile: func(float64) float64 { return 0 }}),
		`series "" has 1 values, 0 positions and a band of 1 and 1 value`: nil,
	} {
		if f == nil { // a band on one value is valid
			if err := Lines("x", "y", Series{Values: rising(1), Low: rising(1), High: rising(1)}).Err(); err != nil {
				t.Error(err)
			}
			continue
		}
		if f.Err() == nil || !strings.Contains(f.Err().Error(), want) {
			t.Errorf("got %v, want %s", f.Err(), want)
			continue
		}
		if _, err := f.PNG(); err != f.Err() {
			t.Errorf("PNG returns %v", err)
		}
		if f.String() != f.Err().Error() {
			t.Errorf("text is %q", f.String())
		}
	}
}

func TestDrawingErrorsOfAChangedPlotAreReported(t *testing.T) {
	f := Lines("x", "y", Series{Values: rising(3)})
	f.Plot.Add(nil)
	if _, err := f.PNG(); err == nil || !strings.Contains(err.Error(), "drawing failed") {
		t.Errorf("got %v", err)
	}
	f = Lines("x", "y", Series{Values: rising(3)})
	f.Width = 0
	if _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), "size is 0×400") {
		t.Errorf("got %v", err)
	}
}

func TestTextFormNamesTheFigure(t *testing.T) {
	f := RecallByLevel(Series{Values: rising(10)}, Series{Values: rising(10)})
	if got := f.String(); got != "Recall@1 by uncertainty level, 2 lines, 640×400" {
		t.Errorf("got %q", got)
	}
	f.Title = "Result"
	if got := f.String(); got != "Result (Recall@1 by uncertainty level, 2 lines), 640×400" {
		t.Errorf("got %q", got)
	}
}

func TestOneValueAndEqualValuesCanBeDrawn(t *testing.T) {
	for _, f := range []*Figure{
		Lines("x", "y", Series{Name: "one", Values: []float64{3}}),
		RecallByLevel(Series{Values: []float64{0.5}}),
		Histogram("x", Series{Values: []float64{2, 2, 2}}),
		Scatter("x", "y", Series{Values: []float64{1, 1}}),
		Loss(Series{Values: []float64{math.NaN(), 1, math.NaN(), 2, 3}}),
	} {
		if _, err := f.PNG(); err != nil {
			t.Error(err)
		}
	}
}

func TestBandsAreMeanAndPopulationDeviation(t *testing.T) {
	s := Bands("runs", [][]float64{{1, 5}, {3, 5}})
	if !slices.Equal(s.Values, []float64{2, 5}) || !slices.Equal(s.Low, []float64{1, 5}) || !slices.Equal(s.High, []float64{3, 5}) {
		t.Errorf("got %v, %v, %v", s.Values, s.Low, s.High)
	}
}

func TestTicksAreRoundNumbers(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{0.2, 0.8, "0.2 0.3 0.4 0.5 0.6 0.7 0.8"},
		{-3, 3, "-3 -2 -1 0 1 2 3"},
		{1, 2000, "500 1000 1500 2000"},
		{0, 0.012, "0 0.002 0.004 0.006 0.008 0.010 0.012"},
		{0, 1.4, "0 0.25 0.50 0.75 1.00 1.25"},
		{0, 1e-9, "0 2e-10 4e-10 6e-10 8e-10 1e-09"},
		{0, 5e6, "0 1e+06 2e+06 3e+06 4e+06 5e+06"},
	} {
		var labels []string
		for _, tick := range niceTicks(test.low, test.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%g to %g: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}

func TestWrapBreaksAtBlanksOnly(t *testing.T) {
	fits := func(line string) bool { return len(line) <= 10 }
	got := wrap("one two three incomprehensible four", fits)
	if want := []string{"one two", "three", "incomprehensible", "four"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestSpreadKeepsLabelsApartAndInside(t *testing.T) {
	for _, test := range []struct{ wanted, want []vg.Length }{
		{[]vg.Length{0, 50, 100}, []vg.Length{0, 50, 100}},
		{[]vg.Length{50, 50}, []vg.Length{45, 55}},
		{[]vg.Length{48, 50, 52}, []vg.Length{40, 50, 60}},
		{[]vg.Length{0, 0, 0}, []vg.Length{0, 10, 20}},
		{[]vg.Length{99, 100}, []vg.Length{90, 100}},
		{[]vg.Length{30, 41, 42}, []vg.Length{27.666667, 37.666667, 47.666667}},
	} {
		got := slices.Clone(test.wanted)
		spread(got, 10, 0, 100)
		for i := range got {
			if math.Abs(float64(got[i]-test.want[i])) > 1e-5 {
				t.Errorf("%v became %v, want %v", test.wanted, got, test.want)
				break
			}
		}
	}
}

func TestAverageSkipsGapsAndKeepsTheBeginning(t *testing.T) {
	got := averaged([]float64{1, 2, 6, math.NaN(), 4, 9}, 1)
	want := []float64{1, 3, 4, 5, 6.5, 6.5}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("got %v, want %v", got, want)
			break
		}
	}
}

func TestHistogramSharesSumToOne(t *testing.T) {
	h := newHistogram([]Series{{Values: []float64{1, 2, 2.5, 3, math.NaN(), 9}}, {Values: rising(100)}})
	for i, shares := range h.shares {
		total := 0.0
		for _, share := range shares {
			total += share
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("shares of series %d sum to %g", i, total)
		}
	}
	if len(h.shares[0]) != len(h.shares[1]) || len(h.shares[0]) < 8 {
		t.Errorf("%d and %d bins", len(h.shares[0]), len(h.shares[1]))
	}
}

func TestMediansFollowTheHorizontalAxis(t *testing.T) {
	s := Series{X: []float64{3, 1, 2, 4}, Values: []float64{30, 10, math.NaN(), 40}}
	m := medians(s, 3)
	if !slices.Equal(m.X, []float64{1, 3, 4}) || !slices.Equal(m.Values, []float64{10, 30, 40}) {
		t.Errorf("got %v and %v", m.X, m.Values)
	}
}

func TestCameraIsARightHandedFrame(t *testing.T) {
	for _, pair := range [][2]vector{{cameraRight, cameraUp}, {cameraUp, cameraToward}, {cameraRight, cameraToward}} {
		if d := pair[0].dot(pair[1]); math.Abs(d) > 1e-12 {
			t.Errorf("axes %v are not perpendicular: %g", pair, d)
		}
	}
	if cameraUp[2] <= 0 {
		t.Error("the north pole points down")
	}
	at, near := (disc{vg.Point{X: 5, Y: 5}, 2}).project(cameraToward)
	if !near || math.Abs(float64(at.X-5)) > 1e-12 || math.Abs(float64(at.Y-5)) > 1e-12 {
		t.Errorf("the point before the camera is seen at %v", at)
	}
}

func TestShadeIsDarkestAtTheMeanDirection(t *testing.T) {
	table, err := tabulated(Ball{Profile: func(t float64) float64 { return math.Exp(20 * (t - 1)) }})
	if err != nil {
		t.Fatal(err)
	}
	picture := shaded(cameraToward, table)
	middle, side := picture.NRGBAAt(shadedPixels/2, shadedPixels/2), picture.NRGBAAt(shadedPixels/2, shadedPixels/8)
	if middle.R >= side.R || picture.NRGBAAt(0, 0).A != 0 || middle.A != 255 {
		t.Errorf("middle %v, side %v, corner %v", middle, side, picture.NRGBAAt(0, 0))
	}
	if got := lookUp(table, 0.9); math.Abs(got-math.Exp(-2)) > 1e-3 {
		t.Errorf("interpolated density %g, want %g", got, math.Exp(-2))
	}
}

func TestPagesKeepHueAndSideOfWhatIsDrawn(t *testing.T) {
	// vgpdf writes a color as three numbers of 0 … 1 before "rg". The output is compressed, so the
	// test checks the arguments of the canvas.
	r, g, b, a := full{color.NRGBA64{R: 0xD5D5, G: 0x5E5E, B: 0, A: 0x2E2E}}.RGBA()
	if r != 0xD5D5 || g != 0x5E5E || b != 0 || a != 0x2E2E {
		t.Errorf("color became %x %x %x %x", r, g, b, a)
	}
	svg, err := Spheres(Ball{Profile: func(float64) float64 { return 1 }}).SVG()
	if err != nil || bytes.Contains(svg, []byte("image/jpg")) || !bytes.Contains(svg, []byte("image/png")) {
		t.Errorf("pictures in SVG are not called PNG, %v", err)
	}
}
