package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// Bars draws series as grouped bars, for instance the mean recalls of several methods in both
// directions of retrieval. Each series has one value per group, and its band is drawn as a whisker.
// The axis starts at 0, or at the lowest value if that is negative.
func Bars(yLabel string, groups []string, series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	for _, s := range series {
		if len(s.Values) != len(groups) {
			return failed("series %q has %d values for %d groups", s.Name, len(s.Values), len(groups))
		}
	}
	f := newFigure(described("bars", len(series)))
	f.yLabel = yLabel
	f.Plot.Add(bars{series})
	ticks := make(plot.ConstantTicks, len(groups))
	for g, name := range groups {
		ticks[g] = plot.Tick{Value: float64(g), Label: name}
	}
	// Invisible ticks keep the group names at a distance from the axis.
	f.Plot.X.Tick.Marker, f.Plot.X.Tick.LineStyle.Color, f.Plot.X.Padding = ticks, color.Transparent, 0
	f.roomAbove()
	f.Plot.Y.Min = min(0, f.Plot.Y.Min)
	if len(series) > 1 {
		for i, s := range series {
			f.keys = append(f.keys, key{s.Name, colormap.Category(i)})
		}
	}
	f.twin = func() map[string]any { return barsTwin(yLabel, groups, series) }
	return f
}

// groupShare is the fraction of the distance between two groups that the bars of a group occupy.
const groupShare = 0.8

// bars draws the bars.
type bars struct{ series []Series }

// DataRange implements plot.DataRanger.
func (b bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	_, _, ymin, ymax = curves{series: b.series}.DataRange()
	return -0.5, float64(len(b.series[0].Values)) - 0.5, min(ymin, 0), max(ymax, 0)
}

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	width := groupShare / float64(len(b.series))
	for i, s := range b.series {
		for g, value := range s.Values {
			if math.IsNaN(value) {
				continue
			}
			left := float64(g) - groupShare/2 + width*float64(i)
			// A white gap separates neighboring bars.
			from, to := x(left)+0.5, x(left+width)-0.5
			c.FillPolygon(colormap.Category(i), []vg.Point{{X: from, Y: y(0)}, {X: from, Y: y(value)}, {X: to, Y: y(value)}, {X: to, Y: y(0)}})
			if s.Low != nil && !math.IsNaN(s.Low[g]) && !math.IsNaN(s.High[g]) {
				whisker(c, (from+to)/2, y(s.Low[g]), y(s.High[g]))
			}
		}
	}
}

// whisker draws a vertical line with short end caps.
func whisker(c draw.Canvas, x, low, high vg.Length) {
	style := draw.LineStyle{Color: colormap.Ink, Width: 1}
	const half = 2.5
	c.StrokeLine2(style, x, low, x, high)
	c.StrokeLine2(style, x-half, low, x+half, low)
	c.StrokeLine2(style, x-half, high, x+half, high)
}
