package figure

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

func TestAreaIsExactForStraightLines(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{0, 1}, []float64{0, 1}, 0.5},
		{[]float64{0, 0, 1}, []float64{0, 1, 1}, 1},
		{[]float64{0, 0.5, 1}, []float64{0, 1, 1}, 0.75},
		{[]float64{0.5, 1}, []float64{0.2, 0.4}, 0.3}, // a mean, because the line does not begin at 0
	} {
		if got := area(Series{X: c.x, Values: c.y}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("area below %v, %v is %g, want %g", c.x, c.y, got, c.want)
		}
	}
	if got := area(Series{X: []float64{1, 1}, Values: []float64{0, 1}}); !math.IsNaN(got) {
		t.Errorf("a line of no width has the area %g", got)
	}
}

func TestRatesOutsideTheirRangeAreRefused(t *testing.T) {
	ok := []float64{0, 1}
	for want, f := range map[string]*Figure{
		"no series to draw":                                ROC(),
		`series "a" has 2 values and 0 positions`:          ROC(Series{Name: "a", Values: ok}),
		`series "a" has 1 values and 1 positions`:          ROC(Series{Name: "a", X: ok[:1], Values: ok[:1]}),
		`series "a": point 1 is (1, 1.5)`:                  ROC(Series{Name: "a", X: ok, Values: []float64{0, 1.5}}),
		`series "a": point 0 is (-0.1, 0)`:                 ROC(Series{Name: "a", X: []float64{-0.1, 1}, Values: ok}),
		`series "a": point 1 is (1, NaN)`:                  ROC(Series{Name: "a", X: ok, Values: []float64{0, math.NaN()}}),
		`series "a" falls at point 1`:                      ROC(Series{Name: "a", X: ok, Values: []float64{1, 0}}),
		`series "b" falls at point 1`:                      RiskCoverage(Series{Name: "b", X: []float64{1, 0}, Values: ok}),
		`series "b" has 2 values and 3 positions, want as`: RiskCoverage(Series{Name: "b", X: []float64{0, 0.5, 1}, Values: ok}),
	} {
		if f.Err() == nil || !strings.Contains(f.Err().Error(), want) {
			t.Errorf("got %v, want %s", f.Err(), want)
		}
	}
	if err := RiskCoverage(Series{Name: "b", X: ok, Values: []float64{0.4, 0.1}}).Err(); err != nil {
		t.Errorf("a risk may fall: %v", err)
	}
}

func TestNamesCarryTheArea(t *testing.T) {
	step := Series{Name: "good", X: []float64{0, 0, 1}, Values: []float64{0, 1, 1}}
	guess := Series{Name: "guess", X: []float64{0, 1}, Values: []float64{0, 1}}
	if texts := shownTexts(t, ROC(step, guess)); !strings.Contains(texts, "good 1.000") || !strings.Contains(texts, "guess 0.500") {
		t.Errorf("texts %s", texts)
	}
	if step.Name != "good" {
		t.Error("the caller's series is renamed")
	}
	if texts := shownTexts(t, RiskCoverage(Series{Name: "u", X: []float64{0.5, 1}, Values: []float64{0.1, 0.3}})); !strings.Contains(texts, "u 0.200") {
		t.Errorf("texts %s", texts)
	}
}

func TestBetterLinesHaveTheHigherNamesWhereAllEndTogether(t *testing.T) {
	line := func(name string, middle float64) Series {
		return Series{Name: name, X: []float64{0, 0.5, 1}, Values: []float64{0, middle, 1}}
	}
	_, texts := recorded(t, ROC(line("worse", 0.6), line("best", 0.95), line("middle", 0.8)))
	at := map[string]float64{}
	for _, text := range texts {
		at[strings.Fields(text.text + " ")[0]] = float64(text.box.Min.Y)
	}
	if !(at["best"] > at["middle"] && at["middle"] > at["worse"]) {
		t.Errorf("heights of names %v", at)
	}
}

func TestGuessingIsADashedDiagonal(t *testing.T) {
	canvas, _ := recorded(t, ROC(Series{Name: "a", X: []float64{0, 1}, Values: []float64{0, 1}}))
	dashed, diagonals := false, 0
	var current any
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.SetColor:
			current = action.Color
		case *recorder.SetLineDash:
			dashed = len(action.Dashes) > 0
		case *recorder.Stroke:
			from, to := action.Path[0].Pos, action.Path[len(action.Path)-1].Pos
			if dashed && current == any(colormap.Axis) && to.X > from.X+100 && to.Y > from.Y+100 {
				diagonals++
			}
		}
	}
	if diagonals != 1 {
		t.Errorf("%d diagonals", diagonals)
	}
}

func TestAxesOfRatesAreWhole(t *testing.T) {
	f := ROC(Series{Name: "a", X: []float64{0.2, 0.4}, Values: []float64{0.3, 0.5}})
	if p := f.Plot; p.X.Min != 0 || p.X.Max != 1 || p.Y.Min != 0 || p.Y.Max != 1 {
		t.Errorf("axes from (%g, %g) to (%g, %g)", p.X.Min, p.Y.Min, p.X.Max, p.Y.Max)
	}
	f = RiskCoverage(Series{Name: "a", X: []float64{0.2, 1}, Values: []float64{0.3, 0.41}})
	if p := f.Plot; p.X.Min != 0 || p.X.Max != 1 || p.Y.Min != 0 || p.Y.Max < 0.41 {
		t.Errorf("axes from (%g, %g) to (%g, %g)", p.X.Min, p.Y.Min, p.X.Max, p.Y.Max)
	}
}
