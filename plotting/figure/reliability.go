package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// A Calibration holds answers by confidence, in intervals of equal width between 0 and 1: the mean
// confidence of each interval, the fraction of its answers that are right, and the number of its
// answers. Empty intervals have NaN. Package calibration's Reliability provides these lists.
type Calibration struct {
	Name       string
	Confidence []float64
	Accuracy   []float64
	Count      []int
}

// Reliability draws reliability diagrams (DeGroot and Fienberg 1983) in a square: the accuracy of
// answers over their confidence. Calibrated confidences lie on the dashed diagonal; points below it
// are overconfident. Bars at the bottom show the fractions of the answers; the highest bar is an
// eighth of the axis. The name of a line includes its expected calibration error, the mean distance
// from the diagonal over all answers. Lists of different lengths, no answers, and numbers outside 0
// … 1 yield a figure with an error.
func Reliability(list ...Calibration) *Figure {
	series := make([]Series, len(list))
	for i, c := range list {
		s, f := c.series()
		if f != nil {
			return f
		}
		series[i] = s
	}
	if f := checked(series); f != nil {
		return f
	}
	f := newFigure(described("reliability", len(list)))
	f.Width, f.Height = 560, 440
	f.Plot.X.Label.Text, f.yLabel = "confidence", "accuracy (expected calibration error at the name of a line)"
	f.Plot.Add(shares(list), diagonal{}, curves{series: series, dots: true})
	f.Plot.X.Min, f.Plot.X.Max, f.Plot.Y.Min, f.Plot.Y.Max = 0, 1, 0, 1
	f.twin = func() map[string]any { return linesTwin("confidence", "accuracy", series, true) }
	return f
}

// series returns the line of a calibration, or a figure with an error.
func (c Calibration) series() (Series, *Figure) {
	if len(c.Count) == 0 || len(c.Confidence) != len(c.Count) || len(c.Accuracy) != len(c.Count) {
		return Series{}, failed("%q has %d confidences, %d accuracies and %d counts, want as many of each and at least 1", c.Name, len(c.Confidence), len(c.Accuracy), len(c.Count))
	}
	s, all, apart := Series{}, 0.0, 0.0
	for i, count := range c.Count {
		confidence, accuracy := c.Confidence[i], c.Accuracy[i]
		switch {
		case count == 0:
			continue
		case count < 0 || !(0 <= confidence && confidence <= 1 && 0 <= accuracy && accuracy <= 1):
			return s, failed("%q: interval %d has %d answers with confidence %g and accuracy %g, want numbers between 0 and 1", c.Name, i, count, confidence, accuracy)
		}
		s.X, s.Values = append(s.X, confidence), append(s.Values, accuracy)
		all, apart = all+float64(count), apart+float64(count)*math.Abs(accuracy-confidence)
	}
	if all == 0 {
		return s, failed("%q has no answers", c.Name)
	}
	s.Name = fmt.Sprintf("%s %.3f", c.Name, apart/all)
	return s, nil
}

// shares draws the fraction of the answers in each interval.
type shares []Calibration

// sharesHeight is the height of the highest bar as a fraction of the axis.
const sharesHeight = 0.125

// Plot implements plot.Plotter.
func (l shares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, calibration := range l {
		all, most, n := 0, 0, float64(len(calibration.Count))
		for _, count := range calibration.Count {
			all, most = all+count, max(most, count)
		}
		if all == 0 {
			continue
		}
		for k, count := range calibration.Count {
			if count == 0 {
				continue
			}
			// The bars of several lines share the width of an interval.
			width := 1 / n / float64(len(l))
			left := float64(k)/n + width*float64(i)
			top := y(sharesHeight * float64(count) / float64(most))
			from, to := x(left)+0.5, x(left+width)-0.5
			c.FillPolygon(colormap.Translucent(colormap.Category(i), 0.35), []vg.Point{{X: from, Y: y(0)}, {X: from, Y: top}, {X: to, Y: top}, {X: to, Y: y(0)}})
		}
	}
}
