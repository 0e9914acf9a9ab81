package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// violinFrom is the smallest number of values of a group with an outline; smaller groups show each
// value as a dot.
const violinFrom = 12

// Violins draws the distributions of ordered groups, for instance of the concentration κ or the
// uncertainty of captions at each level of a hierarchy: an outline whose width is the density of
// the values, a bar from the lower to the upper quartile, a dot at the median, and a line that
// joins the medians. Groups with fewer than twelve values show each value. The name of a group is
// written below it; positions are ignored.
func Violins(xLabel, yLabel string, groups ...Series) *Figure {
	if f := checked(groups); f != nil {
		return f
	}
	f := newFigure(fmt.Sprintf("distributions of %d groups", len(groups)))
	f.Plot.X.Label.Text, f.yLabel = xLabel, yLabel
	v := violins{}
	for _, g := range groups {
		v.groups = append(v.groups, newViolin(g))
	}
	f.Plot.Add(v)
	var ticks plot.ConstantTicks
	for i, g := range groups {
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: g.Name})
	}
	f.Plot.X.Tick.Marker, f.Plot.X.Tick.Length, f.Plot.X.LineStyle.Width = ticks, 0, 0
	f.roomAbove()
	f.twin = func() map[string]any { return violinsTwin(xLabel, yLabel, groups) }
	return f
}

// A violin is a group with its quartiles and outline.
type violin struct {
	values                []float64 // in ascending order, without gaps
	lower, median, higher float64   // quartiles
	at, density           []float64 // the outline; nil for few or equal values
}

// newViolin returns the quartiles and the density of a group.
func newViolin(group Series) violin {
	values := sorted(group.Values)
	v := violin{values: values, lower: quantile(values, 0.25), median: quantile(values, 0.5), higher: quantile(values, 0.75)}
	v.at, v.density = density(values)
	return v
}

// quantile interpolates between ascending values, like R's type 7.
func quantile(values []float64, share float64) float64 {
	place := share * float64(len(values)-1)
	i := min(int(place), len(values)-1)
	if i+1 >= len(values) {
		return values[i]
	}
	return values[i] + (place-float64(i))*(values[i+1]-values[i])
}

// densityPoints is the number of points at which a density is estimated.
const densityPoints = 100

// density estimates the density of ascending values between the smallest and the largest, with a
// Gaussian kernel of Silverman's bandwidth (1986, equation 3.31), divided by its maximum.
func density(values []float64) (at, estimate []float64) {
	n := len(values)
	if n < violinFrom || values[0] == values[n-1] {
		return nil, nil
	}
	mean, square := 0.0, 0.0
	for _, value := range values {
		mean += value / float64(n)
	}
	for _, value := range values {
		square += (value - mean) * (value - mean) / float64(n-1)
	}
	scale := math.Sqrt(square)
	if spread := (quantile(values, 0.75) - quantile(values, 0.25)) / 1.34; spread > 0 {
		scale = min(scale, spread)
	}
	width := 0.9 * scale * math.Pow(float64(n), -0.2)
	low, high, most := values[0], values[n-1], 0.0
	for i := range densityPoints {
		x := low + (high-low)*float64(i)/(densityPoints-1)
		sum := 0.0
		for _, value := range values {
			u := (x - value) / width
			sum += math.Exp(-u * u / 2)
		}
		at, estimate, most = append(at, x), append(estimate, sum), max(most, sum)
	}
	for i := range estimate {
		estimate[i] /= most
	}
	return at, estimate
}

// violins draws groups side by side.
type violins struct{ groups []violin }

// DataRange implements plot.DataRanger.
func (v violins) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymin, ymax = math.Inf(1), math.Inf(-1)
	for _, g := range v.groups {
		ymin, ymax = min(ymin, g.values[0]), max(ymax, g.values[len(g.values)-1])
	}
	return 0.5, float64(len(v.groups)) + 0.5, ymin, ymax
}

// Plot implements plot.Plotter.
func (v violins) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := min((x(2)-x(1))*0.4, 60)
	tint, ink := colormap.Category(0), colormap.Category(0)
	var medians []vg.Point
	for i, g := range v.groups {
		middle := x(float64(i + 1))
		medians = append(medians, vg.Point{X: middle, Y: y(g.median)})
		if g.at == nil {
			for _, value := range g.values {
				c.DrawGlyph(draw.GlyphStyle{Color: colormap.Translucent(tint, 0.5), Radius: 2, Shape: draw.CircleGlyph{}}, vg.Point{X: middle, Y: y(value)})
			}
			continue
		}
		var outline []vg.Point
		for k, value := range g.at {
			outline = append(outline, vg.Point{X: middle + half*vg.Length(g.density[k]), Y: y(value)})
		}
		for k := len(g.at) - 1; k >= 0; k-- {
			outline = append(outline, vg.Point{X: middle - half*vg.Length(g.density[k]), Y: y(g.at[k])})
		}
		c.FillPolygon(colormap.Translucent(tint, 0.22), outline)
		c.StrokeLines(draw.LineStyle{Color: ink, Width: 1}, append(outline, outline[0]))
	}
	c.StrokeLines(draw.LineStyle{Color: colormap.Category(1), Width: 1.25, Dashes: []vg.Length{4, 3}}, medians)
	for i, g := range v.groups {
		middle := x(float64(i + 1))
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 4}, middle, y(g.lower), middle, y(g.higher))
		dot(&c, medians[i], dotRadius+0.4, colormap.Category(1))
	}
}
