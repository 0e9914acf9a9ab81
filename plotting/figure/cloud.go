package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// A Cloud holds points in the plane with a number for each, such as the first two principal
// components of captions with their uncertainty.
type Cloud struct {
	X, Y   []float64
	Colors []float64 // number of each point; NaN is gray
	Label  string    // name of the number
	Names  []string  // tooltips of the interactive form, such as captions; nil for none
}

// Colored draws points colored by a number. If numbers of both signs occur, zero is nearly white,
// negative numbers are blue and positive ones vermilion; otherwise darker means larger. The legend
// shows the colors of the smallest number, the middle of the scale, and the largest number. Lists
// of different lengths, no points, and infinite numbers yield a figure with an error.
func Colored(xLabel, yLabel string, c Cloud) *Figure {
	if err := c.check(); err != nil {
		return failed("%w", err)
	}
	f := newFigure(fmt.Sprintf("%d points colored by %s", len(c.X), c.Label))
	f.Plot.X.Label.Text, f.yLabel = xLabel, yLabel
	scale := c.scale()
	f.Plot.Add(cloudMarks{c, scale})
	for _, value := range []float64{scale.low, (scale.low + scale.high) / 2, scale.high} {
		f.keys = append(f.keys, key{fmt.Sprintf("%s %.3g", c.Label, value), scale.color(value)})
	}
	f.roomAbove()
	f.twin = func() map[string]any { return cloudTwin(xLabel, yLabel, c, scale) }
	return f
}

// check returns an error if the points cannot be drawn.
func (c Cloud) check() error {
	switch {
	case len(c.X) == 0:
		return fmt.Errorf("no points")
	case len(c.Y) != len(c.X) || len(c.Colors) != len(c.X) || c.Names != nil && len(c.Names) != len(c.X):
		return fmt.Errorf("%d positions to the right, %d upwards, %d colors and %d names of points, want as many of each", len(c.X), len(c.Y), len(c.Colors), len(c.Names))
	}
	finite := false
	for i := range c.X {
		if math.IsNaN(c.X[i]-c.Y[i]) || math.IsInf(c.X[i], 0) || math.IsInf(c.Y[i], 0) || math.IsInf(c.Colors[i], 0) {
			return fmt.Errorf("point %d is at (%g, %g) with the color of %g", i, c.X[i], c.Y[i], c.Colors[i])
		}
		finite = finite || !math.IsNaN(c.Colors[i])
	}
	if !finite {
		return fmt.Errorf("every number for a color is NaN")
	}
	return nil
}

// A cloudScale maps numbers to colors.
type cloudScale struct {
	colors    *colormap.Map
	low, high float64
	from      float64 // start of the scale in the map, so that points differ from paper
}

// scale returns the scale for the numbers of the points.
func (c Cloud) scale() cloudScale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, value := range c.Colors {
		if !math.IsNaN(value) {
			low, high = min(low, value), max(high, value)
		}
	}
	s := cloudScale{colormap.Density, low, high, 0.25}
	if low < 0 && high > 0 {
		most := max(-low, high)
		s = cloudScale{colormap.Balance, -most, most, 0}
	}
	if s.low == s.high {
		s.low, s.high = s.low-0.5, s.high+0.5
	}
	return s
}

func (s cloudScale) color(value float64) color.RGBA {
	if math.IsNaN(value) {
		return colormap.Axis
	}
	return s.colors.At(s.from + (1-s.from)*(value-s.low)/(s.high-s.low))
}

// cloudMarks draws the points.
type cloudMarks struct {
	cloud Cloud
	scale cloudScale
}

// DataRange implements plot.DataRanger.
func (m cloudMarks) DataRange() (xmin, xmax, ymin, ymax float64) {
	return curves{series: []Series{{X: m.cloud.X, Values: m.cloud.Y}}}.DataRange()
}

// Plot implements plot.Plotter.
func (m cloudMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, value := range m.cloud.Colors {
		c.DrawGlyph(draw.GlyphStyle{Radius: 2, Shape: draw.CircleGlyph{}, Color: m.scale.color(value)}, vg.Point{X: x(m.cloud.X[i]), Y: y(m.cloud.Y[i])})
	}
}

// cloudTwin returns the interactive form.
func cloudTwin(xLabel, yLabel string, c Cloud, scale cloudScale) object {
	list := []any{}
	for i := range c.X {
		row := object{"x": c.X[i], "y": c.Y[i]}
		if !math.IsNaN(c.Colors[i]) {
			row["value"] = c.Colors[i]
		}
		if c.Names != nil {
			row["name"] = c.Names[i]
		}
		list = append(list, row)
	}
	number := func(field, title string) object {
		return object{"field": field, "type": "quantitative", "title": title, "format": ".4~g"}
	}
	tips := []any{number("value", c.Label), number("x", xLabel), number("y", yLabel)}
	if c.Names != nil {
		tips = append([]any{object{"field": "name", "title": "name"}}, tips...)
	}
	var colors []string
	for i := range 9 {
		colors = append(colors, hex(scale.color(scale.low+(scale.high-scale.low)*float64(i)/8)))
	}
	return object{"data": object{"values": list}, "width": plotWidth, "height": plotHeight,
		"mark":   object{"type": "point", "filled": true, "opacity": 0.8, "size": 20, "clip": true},
		"params": []any{object{"name": "view", "select": "interval", "bind": "scales"}},
		"encoding": object{"x": quantity("x", xLabel), "y": quantity("y", yLabel), "tooltip": tips,
			"color": object{"field": "value", "type": "quantitative", "title": c.Label,
				"scale": object{"domain": []float64{scale.low, scale.high}, "range": colors}}}}
}
