package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

// A drawnText is a text with its box on the canvas.
type drawnText struct {
	text string
	box  vg.Rectangle
}

// recorded draws a figure on a recording canvas.
func recorded(t *testing.T, f *Figure) (*recorder.Canvas, []drawnText) {
	t.Helper()
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	width, height := f.size()
	var canvas recorder.Canvas
	f.drawOn(draw.NewCanvas(&canvas, width, height))
	var texts []drawnText
	for _, action := range canvas.Actions {
		fill, ok := action.(*recorder.FillString)
		if !ok {
			continue
		}
		face := font.DefaultCache.Lookup(fill.Font, fill.Size)
		ascent, descent := face.Extents().Ascent, face.Extents().Descent
		texts = append(texts, drawnText{fill.String, vg.Rectangle{
			Min: vg.Point{X: fill.Point.X, Y: fill.Point.Y - descent},
			Max: vg.Point{X: fill.Point.X + face.Width(fill.String), Y: fill.Point.Y + ascent},
		}})
	}
	return &canvas, texts
}

// overlap reports whether two boxes overlap by more than rounding and the empty space of lines
// without descenders.
func overlap(a, b vg.Rectangle) bool {
	const slack = 2
	return a.Min.X+slack < b.Max.X && b.Min.X+slack < a.Max.X && a.Min.Y+slack < b.Max.Y && b.Min.Y+slack < a.Max.Y
}

func many(n int, values func(i, k int) float64) []Series {
	series := make([]Series, n)
	for i := range series {
		series[i].Name = fmt.Sprintf("method-%d", i+1)
		for k := range 10 {
			series[i].Values = append(series[i].Values, values(i, k))
		}
	}
	return series
}

func TestTextsStayInsideAndApart(t *testing.T) {
	flat := func(i, _ int) float64 { return 0.5 + 0.0001*float64(i) }
	falling := func(i, k int) float64 { return 0.9 - 0.05*float64(k) - 0.02*float64(i) }
	equal := func(float64) float64 { return 1 }
	balls := make([]Ball, 6)
	for i := range balls {
		balls[i] = Ball{Name: fmt.Sprintf("κ = %d", i), Mean: []float64{1, -1, 1}, Profile: equal}
	}
	figures := map[string]*Figure{
		"seven methods at one height": RecallByLevel(many(7, flat)...),
		"seven falling methods":       RecallByLevel(many(7, falling)...),
		"a hundred levels":            RecallByLevel(Series{Name: "clip", Values: rising(100)}),
		"thousands of steps":          Loss(Series{Name: "loss", Values: rising(123456)}),
		"small numbers":               Lines("x", "y", Series{Name: "a", X: []float64{1e-4, 3e-4}, Values: []float64{-2e-5, 1e-5}}),
		"large numbers":               Lines("x", "y", Series{Name: "a", X: []float64{0, 5e7}, Values: []float64{-3e9, 4e9}}),
		"two histograms":              Concentrations(many(2, falling)...),
		"scatter of two":              Scatter("true κ", "learned κ", many(2, falling)...),
		"six spheres":                 Spheres(balls...),
		"one sphere":                  Spheres(balls[0]),
	}
	for name, f := range figures {
		widths := []int{640, 400}
		if name == "one sphere" {
			widths = append(widths, 320, 200) // as a frame of a slider
		}
		for _, width := range widths {
			f.Width = width
			f.Title = "A title that needs more than one line when the figure is only four hundred pixels wide"
			f.Note = "and a note that tells at some length what was measured, on which data, and with which settings"
			_, texts := recorded(t, f)
			w, h := f.size()
			for i, a := range texts {
				if a.box.Min.X < 0 || a.box.Min.Y < -1 || a.box.Max.X > w || a.box.Max.Y > h {
					t.Errorf("%s, %d wide: %q leaves the figure: %v", name, width, a.text, a.box)
				}
				for _, b := range texts[:i] {
					if a.text != b.text && overlap(a.box, b.box) { // μ is drawn over its own rim
						t.Errorf("%s, %d wide: %q and %q overlap", name, width, a.text, b.text)
					}
				}
			}
		}
	}
}

// shownTexts returns the joined texts of a figure.
func shownTexts(t *testing.T, f *Figure) string {
	t.Helper()
	_, texts := recorded(t, f)
	var all []string
	for _, text := range texts {
		all = append(all, text.text)
	}
	return strings.Join(all, "|")
}

func TestFiguresNameWhatTheyShow(t *testing.T) {
	two := many(2, func(i, k int) float64 { return float64(i + k) })
	for name, test := range map[string]struct {
		f    *Figure
		want []string
	}{
		"recall":    {RecallByLevel(two...), []string{"Recall@1", "uncertainty level (1: most certain, 10: least certain)", "method-1", "method-2"}},
		"loss":      {Loss(two...), []string{"loss", "step", "method-1", "method-2"}},
		"histogram": {Concentrations(two...), []string{"concentration κ", "share of values, bins of", "method-1", "method-2"}},
		"scatter":   {Scatter("true", "learned", two...), []string{"true", "learned", "method-1", "method-2"}},
		"spheres":   {Spheres(Ball{Name: "κ = 3", Profile: func(float64) float64 { return 1 }}), []string{"κ = 3", "μ", "density, each relative to its maximum   0", "max"}},
	} {
		test.f.Title, test.f.Note = "The title", "The note"
		got := shownTexts(t, test.f)
		for _, want := range append(test.want, "The title", "The note") {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %s", name, want, got)
			}
		}
	}
}

func TestNamesHaveTheColorOfTheirLine(t *testing.T) {
	canvas, _ := recorded(t, RecallByLevel(many(3, func(i, k int) float64 { return float64(i - k) })...))
	var current color.Color
	found := 0
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.FillString:
			var i int
			if _, err := fmt.Sscanf(action.String, "method-%d", &i); err == nil {
				found++
				if current != color.Color(colormap.Category(i-1)) {
					t.Errorf("%s has color %v", action.String, current)
				}
			}
		}
	}
	if found != 3 {
		t.Errorf("%d names, want 3", found)
	}
}

// strokes counts lines with at least the given number of points.
func strokes(canvas *recorder.Canvas, points int) int {
	n := 0
	for _, action := range canvas.Actions {
		if stroke, ok := action.(*recorder.Stroke); ok && len(stroke.Path) >= points {
			n++
		}
	}
	return n
}

func TestGapsPartALine(t *testing.T) {
	gap := math.NaN()
	x := func(v float64) vg.Length { return vg.Length(v) }
	got := runs(Series{Values: []float64{gap, 1, 2, gap, gap, 3, gap}}, x, x)
	if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 1 || got[1][0].X != 6 {
		t.Errorf("got %v", got)
	}
	if got := runs(Series{Values: []float64{gap}}, x, x); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestBandSkipsGaps(t *testing.T) {
	gap := math.NaN()
	x := func(v float64) vg.Length { return vg.Length(v) }
	s := Series{Values: []float64{1, gap, 3}, Low: []float64{0, gap, 2}, High: []float64{2, gap, 4}}
	got := band(s, x, x)
	want := []vg.Point{{X: 1, Y: 2}, {X: 3, Y: 4}, {X: 3, Y: 2}, {X: 1, Y: 0}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if value := lastValue(Series{Values: []float64{1, 2, gap}}); value != 2 {
		t.Errorf("last value %g", value)
	}
}

func TestLongLossesAreDrawnTwice(t *testing.T) {
	short, _ := recorded(t, Loss(Series{Values: rising(smoothFrom - 1)}))
	long, _ := recorded(t, Loss(Series{Values: rising(smoothFrom)}))
	if a, b := strokes(short, 100), strokes(long, 100); a != 1 || b != 2 {
		t.Errorf("a short loss has %d lines, a long one %d", a, b)
	}
}

func TestScatterShowsMediansOnlyOfMany(t *testing.T) {
	few := Scatter("x", "y", Series{Values: rising(200)})
	crowd := Scatter("x", "y", Series{Values: rising(201)})
	if strings.Contains(shownTexts(t, few), "medians") || !strings.Contains(shownTexts(t, crowd), "medians of twelve groups") {
		t.Error("medians are named wrongly")
	}
}

func TestAxesReachToLabels(t *testing.T) {
	for _, test := range []struct{ low, high, wantLow, wantHigh float64 }{
		{0.21, 0.74, 0.2, 0.8},
		{0, 1, 0, 1},
		{5, 5, 4.4, 5.6},
		{-0.3, 12, -2.5, 12.5},
	} {
		f := &Figure{Plot: plot.New()}
		f.Plot.Y.Min, f.Plot.Y.Max = test.low, test.high
		f.roomAbove()
		if math.Abs(f.Plot.Y.Min-test.wantLow) > 1e-9 || math.Abs(f.Plot.Y.Max-test.wantHigh) > 1e-9 {
			t.Errorf("%g to %g became %g to %g", test.low, test.high, f.Plot.Y.Min, f.Plot.Y.Max)
		}
	}
}

func TestLevelTicksAreAtMostTwenty(t *testing.T) {
	for levels, want := range map[int]int{1: 1, 10: 10, 20: 20, 21: 11, 100: 20} {
		if got := len(levelTicks(levels)); got != want {
			t.Errorf("%d levels have %d ticks, want %d", levels, got, want)
		}
	}
}

func TestOnlyNearSamplesAreDrawn(t *testing.T) {
	ball := Ball{Profile: func(float64) float64 { return 1 }, Mean: []float64{0, 0, 2}}
	count := func(samples ...[]float64) int {
		ball.Samples = samples
		canvas, _ := recorded(t, Spheres(ball))
		n := 0
		for _, action := range canvas.Actions {
			if c, ok := action.(*recorder.SetColor); ok && c.Color == color.Color(colormap.Category(1)) {
				n++
			}
		}
		return n
	}
	near, far := cameraToward[:], []float64{-cameraToward[0], -cameraToward[1], -cameraToward[2]}
	if count() != 0 || count(near) != 1 || count(far) != 0 || count(near, far, []float64{0, 0, 0}) != 1 {
		t.Errorf("drawn: %d, %d, %d", count(near), count(far), count(near, far, []float64{0, 0, 0}))
	}
}

func TestMeanOnTheFarSideHasNoArrow(t *testing.T) {
	ball := Ball{Profile: func(float64) float64 { return 1 }, Mean: []float64{-cameraToward[0], -cameraToward[1], -cameraToward[2]}}
	if got := shownTexts(t, Spheres(ball)); strings.Contains(got, "μ") {
		t.Errorf("texts %s", got)
	}
}

func TestSamplesAloneAreOnAPlainSphere(t *testing.T) {
	samples := [][]float64{{1, 0, 0}, {0.8, 0.6, 0}, {-1, 0, 0}} // the last one is on the far side
	f := Spheres(Ball{Name: "mine", Samples: samples})
	if got := shownTexts(t, f); !strings.Contains(got, "mine") || strings.Contains(got, "μ") || strings.Contains(got, "max") {
		t.Errorf("a sphere without a density shows %q", got)
	}
	if got := shownTexts(t, Spheres(Ball{Samples: samples, Mean: samples[0]}, Ball{Profile: func(float64) float64 { return 1 }})); !strings.Contains(got, "μ") || !strings.Contains(got, "max") {
		t.Errorf("a mean and a density show %q", got)
	}
}

func TestHistogramBinsFollowTheNarrowestSeries(t *testing.T) {
	narrow, wide := Series{Values: make([]float64, 1000)}, Series{Values: make([]float64, 1000)}
	for i := range 1000 {
		narrow.Values[i] = float64(i) / 1000
		wide.Values[i] = float64(i) / 100
	}
	alone, together := newHistogram([]Series{wide}), newHistogram([]Series{narrow, wide})
	if together.width > alone.width || len(together.shares[0]) > 100 {
		t.Errorf("bins of %g alone, of %g (%d) together", alone.width, together.width, len(together.shares[0]))
	}
}

func TestLogarithmicAxesAreLabelledWithPowersOfTen(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.1, 1000, "0.1 1 10 100 1000"},
		{1, 30, "1 2 5 10 20"},
		{1e-12, 1, "$10^{-12}$ $10^{-10}$ $10^{-8}$ $10^{-6}$ $10^{-4}$ $10^{-2}$ $10^{0}$"},
		{2e7, 6e7, `$2\cdot10^{7}$ $5\cdot10^{7}$`},
		{0, 1, ""},
	} {
		var labels []string
		for _, tick := range logTicks(c.low, c.high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %g to %g the labels are %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestLogarithmicAxesRefuseNumbersThatTheyCannotShow(t *testing.T) {
	for want, f := range map[string]*Figure{
		`figure: LogX: series "a" has 0 at point 0; a logarithmic axis shows positive numbers only`:              Lines("x", "y", Series{Name: "a", X: []float64{0, 1}, Values: []float64{1, 2}}).LogX(),
		`figure: LogY: series "a" has -2 at point 1; a logarithmic axis shows positive numbers only`:             Scatter("x", "y", Series{Name: "a", Values: []float64{1, -2}}).LogY(),
		`figure: LogY: a figure of the kind density on the sphere has no logarithmic axes; use Lines or Scatter`: Spheres(Ball{Profile: func(float64) float64 { return 1 }}).LogY(),
	} {
		if err := f.Err(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestTrianglesRefuseWhatAreNoShares(t *testing.T) {
	names := []string{"a", "b", "c"}
	for want, f := range map[string]*Figure{
		`figure: a triangle has 3 corners, not the 2 of ["a" "b"]`:                                           Triangle(names[:2], Shares{}),
		`figure: no shares to draw`:                                                                          Triangle(names),
		`figure: shares "s": row 1 has 2 numbers, want 3`:                                                    Triangle(names, Shares{"s", [][]float64{{1, 0, 0}, {1, 0}}}),
		`figure: shares "s": row 0 is [0.5 0.6 -0.1], want three numbers that are not negative and sum to 1`: Triangle(names, Shares{"s", [][]float64{{0.5, 0.6, -0.1}}}),
		`figure: shares "s": row 0 is [0.5 0.6 0.1], want three numbers that are not negative and sum to 1`:  Triangle(names, Shares{"s", [][]float64{{0.5, 0.6, 0.1}}}),
	} {
		if err := f.Err(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
