package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// A Dimension is one axis of parallel coordinates, with a number of each line.
type Dimension struct {
	Name   string
	Values []float64 // NaN leaves a gap in the line
	Log    bool      // the axis is logarithmic, as those of learning rates
	Labels []string  // names of the values 0, 1, …, such as methods; nil for numbers
}

// Parallel draws parallel coordinates (Inselberg 1985): a vertical axis for each dimension, from
// left to right, and a line for each row of values, such as the trainings of a sweep. Lines are
// colored by the last dimension, darker is more, and the largest are drawn last. Fewer than two
// dimensions, lists of different lengths, infinite values, values of a logarithmic axis that are
// not above 0, labels that are missing, and a last dimension without numbers make the figure
// unusable.
func Parallel(dimensions ...Dimension) *Figure {
	if len(dimensions) < 2 {
		return failed("%d dimensions, want at least 2", len(dimensions))
	}
	last := dimensions[len(dimensions)-1]
	for _, d := range dimensions {
		if err := d.check(len(last.Values)); err != nil {
			return failed("dimension %q: %w", d.Name, err)
		}
	}
	cloud := Cloud{Colors: last.Values}
	marks := parallels{dimensions, cloud.scale()}
	if math.IsInf(marks.scale.low, 0) {
		return failed("dimension %q, which colors the lines, has no numbers", last.Name)
	}
	f := newFigure(fmt.Sprintf("parallel coordinates, %d lines in %d dimensions", len(last.Values), len(dimensions)))
	f.Plot.Add(marks)
	ticks := make(plot.ConstantTicks, len(dimensions))
	for i, d := range dimensions {
		ticks[i] = plot.Tick{Value: float64(i), Label: d.Name}
	}
	f.Plot.X.Tick.Marker, f.Plot.X.Tick.LineStyle.Color, f.Plot.X.LineStyle.Color = ticks, color.Transparent, color.Transparent
	f.Plot.Y.Tick.Marker = plot.ConstantTicks(nil)
	f.Plot.X.Min, f.Plot.X.Max, f.Plot.Y.Min, f.Plot.Y.Max = -0.15, float64(len(dimensions))-0.65, 0, 1
	for _, value := range []float64{marks.scale.low, (marks.scale.low + marks.scale.high) / 2, marks.scale.high} {
		f.keys = append(f.keys, key{fmt.Sprintf("%s %.3g", last.Name, value), marks.scale.color(value)})
	}
	f.twin = marks.twin
	return f
}

// check reports values that cannot be drawn.
func (d Dimension) check(rows int) error {
	if len(d.Values) != rows || rows == 0 {
		return fmt.Errorf("%d values, the last has %d, want as many of each and at least 1", len(d.Values), rows)
	}
	for i, value := range d.Values {
		switch {
		case math.IsInf(value, 0) || d.Log && value <= 0:
			return fmt.Errorf("value %d is %g, want a finite number, above 0 on a logarithmic axis", i, value)
		case d.Labels != nil && !math.IsNaN(value) && (value != math.Trunc(value) || value < 0 || int(value) >= len(d.Labels)):
			return fmt.Errorf("value %d is %g, and there are labels of 0 to %d", i, value, len(d.Labels)-1)
		}
	}
	return nil
}

// bounds returns the ends of the axis, in logarithms where it is logarithmic.
func (d Dimension) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, value := range d.Values {
		if x := d.at(value); !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	if d.Labels != nil {
		low, high = 0, float64(len(d.Labels)-1)
	}
	if !(low < high) { // one value is in the middle
		low, high = low-0.5, high+0.5
	}
	return low, high
}

// at returns where a value is on its axis before scaling.
func (d Dimension) at(value float64) float64 {
	if d.Log {
		return math.Log10(value)
	}
	return value
}

// mostLabels is how many different values of a dimension are written; of more, the ends and round
// numbers between them.
const mostLabels = 8

// ticks returns labels of the axis, with values as at gives them.
func (d Dimension) ticks() []plot.Tick {
	var ticks []plot.Tick
	for i, label := range d.Labels {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: label})
	}
	if d.Labels != nil {
		return ticks
	}
	distinct := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(d.Values))), math.IsNaN)
	if len(distinct) <= mostLabels {
		for _, value := range distinct {
			ticks = append(ticks, plot.Tick{Value: d.at(value), Label: strconv.FormatFloat(value, 'g', 4, 64)})
		}
		return ticks
	}
	low, high := d.bounds()
	if !d.Log {
		return niceTicks(low, high)
	}
	for power := math.Ceil(low); power <= high; power++ {
		ticks = append(ticks, plot.Tick{Value: power, Label: strconv.FormatFloat(math.Pow(10, power), 'g', 3, 64)})
	}
	return ticks
}

// parallels draws the lines and their axes.
type parallels struct {
	dimensions []Dimension
	scale      cloudScale
}

// place returns the position of a value on the axis of a dimension, from 0 to 1.
func (p parallels) place(dimension int, value float64) float64 {
	d := p.dimensions[dimension]
	low, high := d.bounds()
	return (d.at(value) - low) / (high - low)
}

// order returns the lines by rising value of the last dimension, those without one first.
func (p parallels) order() []int {
	last := p.dimensions[len(p.dimensions)-1].Values
	order := make([]int, len(last))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := last[a], last[b]; {
		case x < y || math.IsNaN(x) && !math.IsNaN(y):
			return -1
		case x > y || math.IsNaN(y) && !math.IsNaN(x):
			return 1
		}
		return 0
	})
	return order
}

// Plot implements plot.Plotter.
func (p parallels) Plot(c draw.Canvas, axes *plot.Plot) {
	x, y := axes.Transforms(&c)
	last := p.dimensions[len(p.dimensions)-1].Values
	for _, line := range p.order() {
		style := draw.LineStyle{Color: colormap.Translucent(p.scale.color(last[line]), 0.85), Width: lineWidth}
		var run []vg.Point
		for i, d := range p.dimensions {
			if math.IsNaN(d.Values[line]) {
				c.StrokeLines(style, run)
				run = nil
				continue
			}
			run = append(run, vg.Point{X: x(float64(i)), Y: y(p.place(i, d.Values[line]))})
		}
		c.StrokeLines(style, run)
	}
	label := sans(noteSize, colormap.Ink, false)
	label.YAlign = draw.YCenter
	for i, d := range p.dimensions {
		c.StrokeLine2(draw.LineStyle{Color: colormap.Axis, Width: 1}, x(float64(i)), y(0), x(float64(i)), y(1))
		low, high := d.bounds()
		for _, tick := range d.ticks() {
			at := vg.Point{X: x(float64(i)) + 4, Y: y((tick.Value - low) / (high - low))}
			// White below the letters keeps them legible above the lines.
			width, height := label.Width(tick.Label), label.Height(tick.Label)
			c.FillPolygon(color.NRGBA{255, 255, 255, 200}, []vg.Point{{X: at.X - 1, Y: at.Y - height/2}, {X: at.X - 1, Y: at.Y + height/2},
				{X: at.X + width + 1, Y: at.Y + height/2}, {X: at.X + width + 1, Y: at.Y - height/2}})
			c.FillText(label, at, tick.Label)
		}
	}
}

// twin returns the interactive form.
func (p parallels) twin() map[string]any {
	values, last := []any{}, p.dimensions[len(p.dimensions)-1]
	var names []string
	for i, d := range p.dimensions {
		names = append(names, d.Name)
		for line, value := range d.Values {
			if math.IsNaN(value) {
				continue
			}
			row := object{"line": line, "dimension": d.Name, "place": p.place(i, value), "value": strconv.FormatFloat(value, 'g', 4, 64)}
			if d.Labels != nil {
				row["value"] = d.Labels[int(value)]
			}
			if color := last.Values[line]; !math.IsNaN(color) {
				row["color"] = color
			}
			values = append(values, row)
		}
	}
	var colors []string
	for i := range 9 {
		colors = append(colors, hex(p.scale.color(p.scale.low+(p.scale.high-p.scale.low)*float64(i)/8)))
	}
	return object{"data": object{"values": values}, "width": plotWidth, "height": plotHeight,
		"mark": object{"type": "line", "strokeWidth": 2, "opacity": 0.85, "point": true},
		"encoding": object{
			"x":      object{"field": "dimension", "type": "nominal", "sort": names, "title": nil},
			"y":      object{"field": "place", "type": "quantitative", "axis": nil},
			"detail": object{"field": "line", "type": "nominal"},
			"color": object{"field": "color", "type": "quantitative", "title": last.Name,
				"scale": object{"domain": []float64{p.scale.low, p.scale.high}, "range": colors}},
			"tooltip": []any{object{"field": "dimension", "title": "dimension"}, object{"field": "value", "title": "value"}}}}
}
