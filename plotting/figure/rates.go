package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// ROC draws receiver operating characteristics in a square: X holds false positive rates and Values
// true positive rates, both between 0 and 1 and increasing. Points are joined by straight lines,
// the name of a line includes the area under it, and the dashed diagonal is guessing.
func ROC(series ...Series) *Figure {
	named := make([]Series, len(series))
	for i, s := range series {
		if f := checkedRates(s, true); f != nil {
			return f
		}
		named[i] = s
		named[i].Name = fmt.Sprintf("%s %.3f", s.Name, area(s))
	}
	if f := checked(named); f != nil {
		return f
	}
	f := newFigure(described("receiver operating characteristic", len(series)))
	f.Width, f.Height = 560, 440
	f.Plot.X.Label.Text, f.yLabel = "false positive rate", "true positive rate (area below the line at its name)"
	f.Plot.Add(diagonal{}, curves{series: named})
	f.Plot.X.Min, f.Plot.X.Max, f.Plot.Y.Min, f.Plot.Y.Max = 0, 1, 0, 1
	f.twin = func() map[string]any { return linesTwin("false positive rate", "true positive rate", named, false) }
	return f
}

// RiskCoverage draws the risk of selective answers: X holds the fraction of queries that are
// answered, the most certain first, in increasing order, and Values the fraction of wrong answers
// among them. The name of a line includes the area under it, AURC. An uncertainty that orders
// queries well has a small area, and an uninformative one a flat line.
func RiskCoverage(series ...Series) *Figure {
	named := make([]Series, len(series))
	for i, s := range series {
		if f := checkedRates(s, false); f != nil {
			return f
		}
		named[i] = s
		named[i].Name = fmt.Sprintf("%s %.3f", s.Name, area(s))
	}
	if f := checked(named); f != nil {
		return f
	}
	f := newFigure(described("risk by coverage", len(series)))
	f.Plot.X.Label.Text, f.yLabel = "coverage (the most certain queries first)", "risk: share of wrong answers (area below the line at its name)"
	f.Plot.Add(curves{series: named})
	f.Plot.X.Min, f.Plot.X.Max = 0, 1
	f.roomAbove()
	f.Plot.Y.Min = 0
	f.twin = func() map[string]any { return linesTwin("coverage", "risk", named, false) }
	return f
}

// checkedRates returns a figure with an error for a series that is not a curve of rates, and nil
// otherwise.
func checkedRates(s Series, risingValues bool) *Figure {
	if s.X == nil || len(s.X) != len(s.Values) || len(s.X) < 2 {
		return failed("series %q has %d values and %d positions, want as many of both and at least 2", s.Name, len(s.Values), len(s.X))
	}
	for i := range s.X {
		if !(0 <= s.X[i] && s.X[i] <= 1 && 0 <= s.Values[i] && s.Values[i] <= 1) {
			return failed("series %q: point %d is (%g, %g), want rates between 0 and 1", s.Name, i, s.X[i], s.Values[i])
		}
		if i > 0 && (s.X[i] < s.X[i-1] || risingValues && s.Values[i] < s.Values[i-1]) {
			return failed("series %q falls at point %d", s.Name, i)
		}
	}
	return nil
}

// area returns the area under straight lines between the points, divided by the length of their
// interval.
func area(s Series) float64 {
	sum := 0.0
	for i := 1; i < len(s.X); i++ {
		sum += (s.X[i] - s.X[i-1]) * (s.Values[i] + s.Values[i-1]) / 2
	}
	if reach := s.X[len(s.X)-1] - s.X[0]; reach > 0 {
		return sum / reach
	}
	return math.NaN()
}

// diagonal draws the line of guessing.
type diagonal struct{}

// Plot implements plot.Plotter.
func (diagonal) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: colormap.Axis, Width: 1, Dashes: []vg.Length{3, 3}}
	c.StrokeLine2(style, x(0), y(0), x(1), y(1))
}
