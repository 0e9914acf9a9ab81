package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// marginRoom is the size of the histograms next to a scatter plot, in page pixels.
const marginRoom = 64

// Marginals draws the values of each series against its positions as points, with histograms of the
// positions above and of the values at the right, which shows the joint and the marginal
// distributions of two quantities.
func Marginals(xLabel, yLabel string, series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	f := newFigure(described("scatter plot with marginals", len(series)))
	f.Height = 480
	f.Plot.X.Label.Text, f.yLabel = xLabel, yLabel
	f.Plot.Add(points{series})
	f.roomAbove()
	f.roomAside()
	across, along := make([]Series, len(series)), make([]Series, len(series))
	for i, s := range series {
		for n, value := range s.Values {
			if !math.IsNaN(value) {
				across[i].Values, along[i].Values = append(across[i].Values, s.x(n)), append(along[i].Values, value)
			}
		}
		if len(series) > 1 {
			f.keys = append(f.keys, key{s.Name, colormap.Category(i)})
		}
	}
	m := marginals{f, newHistogram(across), newHistogram(along)}
	f.paint = m.paint
	f.twin = func() map[string]any { return marginalsTwin(xLabel, yLabel, series) }
	return f
}

// marginals is a scatter plot with two histograms.
type marginals struct {
	figure        *Figure
	across, along histogram
}

// paint draws the points at the lower left and the histograms around them, on the same axes.
func (m marginals) paint(c draw.Canvas) {
	room := vg.Length(marginRoom) * vg.Inch / pixelsPerInch
	inner := draw.Crop(c, 0, -room, 0, -room)
	m.figure.Plot.Draw(inner)
	data := m.figure.Plot.DataCanvas(inner)
	x, y := m.figure.Plot.Transforms(&data)
	_, _, _, most := m.across.DataRange()
	floor := data.Max.Y + gap
	m.across.paintOutlines(c, func(value, share float64) vg.Point {
		return vg.Point{X: x(value), Y: floor + (c.Max.Y-floor)*vg.Length(share/most)}
	})
	_, _, _, most = m.along.DataRange()
	wall := data.Max.X + gap
	m.along.paintOutlines(c, func(value, share float64) vg.Point {
		return vg.Point{X: wall + (c.Max.X-wall)*vg.Length(share/most), Y: y(value)}
	})
}

// paintOutlines draws the steps of each series; at maps a value and a fraction to the canvas.
func (h histogram) paintOutlines(c draw.Canvas, at func(value, share float64) vg.Point) {
	for i, shares := range h.shares {
		opacity := 0.55
		if len(h.shares) > 1 {
			opacity = 0.25
		}
		outline := h.outline(shares, at)
		c.FillPolygon(colormap.Translucent(colormap.Category(i), opacity), outline)
		c.StrokeLines(draw.LineStyle{Color: colormap.Category(i), Width: 1.25}, outline)
	}
}

// outline returns the steps of one series, closed at the bottom, without the empty bins at its
// ends.
func (h histogram) outline(shares []float64, at func(value, share float64) vg.Point) []vg.Point {
	from, to := 0, len(shares)
	for from < to-1 && shares[from] == 0 {
		from++
	}
	for to > from+1 && shares[to-1] == 0 {
		to--
	}
	edge := func(k int) float64 { return h.low + h.width*float64(k) }
	outline := []vg.Point{at(edge(from), 0)}
	for k := from; k < to; k++ {
		outline = append(outline, at(edge(k), shares[k]), at(edge(k+1), shares[k]))
	}
	return append(outline, at(edge(to), 0))
}

// roomAside extends the horizontal axis to the round numbers around the data.
func (f *Figure) roomAside() { widen(&f.Plot.X) }

// widen extends an axis to the round numbers around its range.
func widen(axis *plot.Axis) {
	low, high := axis.Min, axis.Max
	if low == high {
		low, high = low-0.5, high+0.5
	}
	step := niceStep((high - low) / 6)
	axis.Min, axis.Max = math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
}
