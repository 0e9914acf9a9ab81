package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// Scatter draws the values of each series against its positions as points, for instance learned
// concentrations against true ones. With more than 200 points it also draws the medians of twelve
// equal groups along the horizontal axis, as larger dots on a line.
func Scatter(xLabel, yLabel string, series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	f := newFigure(described("scatter plot", len(series)))
	f.Plot.X.Label.Text, f.yLabel, f.series = xLabel, yLabel, series
	f.Plot.Add(points{series})
	var middles []Series
	for _, s := range series {
		if len(s.Values) > 200 {
			middles = append(middles, medians(s, 12))
		}
	}
	if len(middles) == len(series) {
		f.Plot.Add(curves{series: middles, dots: true})
		f.yLabel += " (dots: medians of twelve groups)"
	}
	if len(series) > 1 {
		for i, s := range series {
			f.keys = append(f.keys, key{s.Name, colormap.Category(i)})
		}
	}
	f.roomAbove()
	f.twin = func() map[string]any { return scatterTwin(xLabel, yLabel, series) }
	return f
}

// medians returns the median position and value of groups of equal size along the horizontal axis.
// The result has no name, because the points have it.
func medians(s Series, groups int) Series {
	order := make([]int, 0, len(s.Values))
	for i, value := range s.Values {
		if !math.IsNaN(value) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.x(a) < s.x(b):
			return -1
		case s.x(a) > s.x(b):
			return 1
		}
		return 0
	})
	var middle Series
	for g := range groups {
		members := order[g*len(order)/groups : (g+1)*len(order)/groups]
		if len(members) == 0 {
			continue
		}
		var xs, ys []float64
		for _, i := range members {
			xs, ys = append(xs, s.x(i)), append(ys, s.Values[i])
		}
		middle.X = append(middle.X, sorted(xs)[len(xs)/2])
		middle.Values = append(middle.Values, sorted(ys)[len(ys)/2])
	}
	return middle
}

// sorted returns the values in ascending order, without gaps.
func sorted(values []float64) []float64 {
	kept := make([]float64, 0, len(values))
	for _, value := range values {
		if !math.IsNaN(value) {
			kept = append(kept, value)
		}
	}
	slices.Sort(kept)
	return kept
}

// points draws series as translucent dots, so that dense regions are darker.
type points struct{ series []Series }

// DataRange implements plot.DataRanger.
func (k points) DataRange() (xmin, xmax, ymin, ymax float64) {
	return curves{series: k.series}.DataRange()
}

// Plot implements plot.Plotter.
func (k points) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, s := range k.series {
		style := draw.GlyphStyle{Radius: 1.8, Shape: draw.CircleGlyph{}}
		style.Color = colormap.Translucent(colormap.Category(i), max(0.2, min(0.7, 60/float64(len(s.Values)))))
		for n, value := range s.Values {
			if !math.IsNaN(value) {
				c.DrawGlyph(style, vg.Point{X: x(s.x(n)), Y: y(value)})
			}
		}
	}
}
