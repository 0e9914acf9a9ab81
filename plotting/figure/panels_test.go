package figure_test

import (
	"math"
	"strings"
	"testing"

	"gosphere/plotting/figure"
)

func ExamplePanels() {
	level := func(from, to float64) []float64 {
		values := make([]float64, 10)
		for i := range values {
			values[i] = from + (to-from)*float64(i)/9
		}
		return values
	}
	panel := func(title string, names ...string) *figure.Figure {
		f := figure.RecallByLevel(
			figure.Series{Name: names[0], Values: level(0.5, 0.45)},
			figure.Series{Name: names[1], Values: level(0.75, 0.2)},
		)
		f.Title, f.Width, f.Height = title, 320, 260
		f.Plot.Y.Min, f.Plot.Y.Max, f.Plot.X.Label.Text = 0, 0.8, "uncertainty level"
		return f
	}
	f := figure.Panels(2, panel("Text to image", "", ""), panel("Image to text", "pfe", "asymvlm-vmf"))
	f.Title = "Recall@1 by uncertainty level"
	save(f, "panels.png")
}

func ExampleBars() {
	f := figure.Bars("mean Recall@1", []string{"text to image", "image to text"},
		figure.Bands("asymvlm-vmf", [][]float64{{0.42, 0.53}, {0.44, 0.55}}),
		figure.Series{Name: "symvlm", Values: []float64{0.14, 0.15}},
		figure.Bands("asymvlm-image", [][]float64{{0.5, 0.47}, {0.49, 0.49}, {0.46, 0.51}}),
	)
	f.Title, f.Width, f.Height = "Averages over ten levels", 480, 300
	save(f, "bars.png")
}

func TestPanelsAndBarsThatCannotBeDrawnSayWhy(t *testing.T) {
	good := figure.Lines("x", "y", figure.Series{Values: []float64{1, 2}})
	for want, f := range map[string]*figure.Figure{
		"0 panels in rows of 2":                figure.Panels(2),
		"1 panels in rows of 0":                figure.Panels(0, good),
		"panel 2 is nil":                       figure.Panels(2, good, nil),
		"panel 2: no series to draw":           figure.Panels(2, good, figure.Lines("x", "y")),
		`series "a" has 1 values for 2 groups`: figure.Bars("y", []string{"g", "h"}, figure.Series{Name: "a", Values: []float64{1}}),
		`series "a" has no finite value at 0`:  figure.Bars("y", []string{"g"}, figure.Series{Name: "a", Values: []float64{math.Inf(1)}}),
	} {
		if err := f.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestPanelsAreAsLargeAsTheLargest(t *testing.T) {
	small := figure.Lines("x", "y", figure.Series{Values: []float64{1, 2}})
	small.Width, small.Height = 200, 200
	large := figure.Lines("x", "y", figure.Series{Values: []float64{1, 2}})
	f := figure.Panels(2, small, large, small)
	if width, height := f.DisplaySize(); width != 2*large.Width || height != 2*large.Height {
		t.Errorf("%d×%d", width, height)
	}
	for _, written := range []func() ([]byte, error){f.PNG, f.SVG, f.PDF} {
		if content, err := written(); err != nil || len(content) < 1000 {
			t.Errorf("%d bytes, %v", len(content), err)
		}
	}
	if one := figure.Panels(5, small); one.Width != 200 {
		t.Errorf("one panel is %d wide", one.Width)
	}
}
