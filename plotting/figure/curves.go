package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// A Series is a named sequence of numbers. NaN marks a gap.
type Series struct {
	Name   string
	Values []float64
	// X holds the horizontal positions; nil means 1, 2, 3, …
	X []float64
	// Low and High bound a band around Values, such as one standard deviation over seeds. If both
	// are nil there is no band.
	Low, High []float64
}

// Bands returns the mean of several runs as a series, with a band of one population standard
// deviation, as in the paper's tables, to either side. All runs must have the same length;
// otherwise figures of the series are errors.
func Bands(name string, runs [][]float64) Series {
	s := Series{Name: name}
	if len(runs) == 0 {
		return s
	}
	for i := range runs[0] {
		mean, square := 0.0, 0.0
		for _, run := range runs {
			if len(run) != len(runs[0]) {
				// Every figure rejects a series with a band but no values and names it.
				return Series{Name: name, Low: make([]float64, 1)}
			}
			mean += run[i] / float64(len(runs))
		}
		for _, run := range runs {
			square += (run[i] - mean) * (run[i] - mean) / float64(len(runs))
		}
		deviation := math.Sqrt(square)
		s.Values = append(s.Values, mean)
		s.Low = append(s.Low, mean-deviation)
		s.High = append(s.High, mean+deviation)
	}
	return s
}

// x returns the horizontal position of the i-th value.
func (s Series) x(i int) float64 {
	if s.X == nil {
		return float64(i + 1)
	}
	return s.X[i]
}

// checked returns a figure with an error if the series cannot be drawn, and nil otherwise.
func checked(series []Series) *Figure {
	if len(series) == 0 {
		return failed("no series to draw")
	}
	for _, s := range series {
		n := len(s.Values)
		if (s.X != nil && len(s.X) != n) || (s.Low != nil && len(s.Low) != n) || (s.High != nil && len(s.High) != n) ||
			(s.Low == nil) != (s.High == nil) {
			return failed("series %q has %d values, %d positions and a band of %d and %d values: X, Low and High need one number for each value",
				s.Name, n, len(s.X), len(s.Low), len(s.High))
		}
		finite := false
		for i, value := range s.Values {
			if math.IsInf(value, 0) || math.IsNaN(s.x(i)) || math.IsInf(s.x(i), 0) {
				return failed("series %q has no finite value at %d", s.Name, i)
			}
			finite = finite || !math.IsNaN(value)
		}
		if !finite {
			return failed("series %q has no values", s.Name)
		}
	}
	return nil
}

// curves draws series as lines with their names at the right end.
type curves struct {
	series []Series
	dots   bool
	thin   bool // without names: noisy lines below smooth ones
}

// DataRange implements plot.DataRanger.
func (k curves) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range k.series {
		for i := range s.Values {
			xmin, xmax = min(xmin, s.x(i)), max(xmax, s.x(i))
		}
		for _, values := range [][]float64{s.Values, s.Low, s.High} {
			for _, value := range values {
				if !math.IsNaN(value) {
					ymin, ymax = min(ymin, value), max(ymax, value)
				}
			}
		}
	}
	return xmin, xmax, ymin, ymax
}

// Plot implements plot.Plotter.
func (k curves) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, s := range k.series {
		if s.Low != nil {
			c.FillPolygon(colormap.Translucent(colormap.Category(i), 0.18), c.ClipPolygonXY(band(s, x, y)))
		}
	}
	for i, s := range k.series {
		style := draw.LineStyle{Color: colormap.Category(i), Width: lineWidth}
		if k.thin {
			style = draw.LineStyle{Color: colormap.Translucent(colormap.Category(i), 0.35), Width: 0.75}
		}
		for _, run := range runs(s, x, y) {
			c.StrokeLines(style, c.ClipLinesXY(run)...)
			if !k.dots && len(run) > 1 {
				continue
			}
			for _, point := range run {
				dot(&c, point, dotRadius, colormap.Category(i))
			}
		}
	}
	if !k.thin {
		k.names(&c, y)
	}
}

// dot draws a filled circle with a white rim that separates crossing lines.
func dot(c *draw.Canvas, at vg.Point, radius vg.Length, fill color.Color) {
	c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: radius + 0.8, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyph(draw.GlyphStyle{Color: fill, Radius: radius, Shape: draw.CircleGlyph{}}, at)
}

// runs returns the parts of a series between its gaps.
func runs(s Series, x, y func(float64) vg.Length) [][]vg.Point {
	var pieces [][]vg.Point
	var piece []vg.Point
	for i, value := range s.Values {
		if math.IsNaN(value) {
			if len(piece) > 0 {
				pieces = append(pieces, piece)
			}
			piece = nil
			continue
		}
		piece = append(piece, vg.Point{X: x(s.x(i)), Y: y(value)})
	}
	if len(piece) > 0 {
		pieces = append(pieces, piece)
	}
	return pieces
}

// band returns the outline of a series' band, without its gaps.
func band(s Series, x, y func(float64) vg.Length) []vg.Point {
	var outline []vg.Point
	for i := range s.High {
		if !math.IsNaN(s.High[i]) && !math.IsNaN(s.Low[i]) {
			outline = append(outline, vg.Point{X: x(s.x(i)), Y: y(s.High[i])})
		}
	}
	for i := len(s.Low) - 1; i >= 0; i-- {
		if !math.IsNaN(s.High[i]) && !math.IsNaN(s.Low[i]) {
			outline = append(outline, vg.Point{X: x(s.x(i)), Y: y(s.Low[i])})
		}
	}
	return outline
}

// names writes each name next to the last value of its line, and separates names that would
// overlap.
func (k curves) names(c *draw.Canvas, y func(float64) vg.Length) {
	type label struct {
		i           int
		at          vg.Length
		end, middle float64 // without the digits in which roundings differ between processors
	}
	rounded := func(at vg.Length) float64 { return math.Round(1e6 * float64(at)) }
	var labels []label
	for i, s := range k.series {
		if s.Name != "" {
			at := y(lastValue(s))
			labels = append(labels, label{i, at, rounded(at), rounded(y(middle(s)))})
		}
	}
	// Of lines that meet at the end, such as rates, the upper one has the larger mean; of densities,
	// whose means agree, it is the first.
	slices.SortFunc(labels, func(a, b label) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.middle, b.middle), cmp.Compare(b.i, a.i))
	})
	positions := make([]vg.Length, len(labels))
	for i := range labels {
		positions[i] = labels[i].at
	}
	spread(positions, labelSize*1.15, c.Min.Y, c.Max.Y)
	for i, l := range labels {
		style := sans(labelSize, colormap.Category(l.i), true)
		style.YAlign = draw.YCenter
		c.FillText(style, vg.Point{X: c.Max.X + 7, Y: positions[i]}, k.series[l.i].Name)
	}
}

// GlyphBoxes implements plot.GlyphBoxer. It reserves space for the names.
func (k curves) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	if k.thin {
		return nil
	}
	var widest vg.Length
	for _, s := range k.series {
		widest = max(widest, sans(labelSize, color.Black, true).Width(s.Name))
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: widest + 9}}}}
}

// lastValue returns the last value that is not a gap.
func lastValue(s Series) float64 {
	for i := len(s.Values) - 1; i >= 0; i-- {
		if !math.IsNaN(s.Values[i]) {
			return s.Values[i]
		}
	}
	return math.NaN()
}

// middle returns the mean of the values that are not gaps.
func middle(s Series) float64 {
	sum, n := 0.0, 0.0
	for _, value := range s.Values {
		if !math.IsNaN(value) {
			sum, n = sum+value, n+1
		}
	}
	return sum / n
}

// spread separates ascending positions until neighbors have the given distance, with the smallest
// displacements: overlapping labels become a block around the mean of their positions.
func spread(positions []vg.Length, distance, low, high vg.Length) {
	type block struct {
		sum  vg.Length // sum of the wanted positions, each minus its offset within the block
		size int
	}
	start := func(b block) vg.Length {
		at := b.sum / vg.Length(b.size)
		return max(low, min(at, high-distance*vg.Length(b.size-1)))
	}
	var blocks []block
	for _, wanted := range positions {
		blocks = append(blocks, block{wanted, 1})
		for n := len(blocks); n > 1; n = len(blocks) {
			before, after := blocks[n-2], blocks[n-1]
			if start(before)+distance*vg.Length(before.size) <= start(after) {
				break
			}
			merged := block{before.sum + after.sum - distance*vg.Length(before.size*after.size), before.size + after.size}
			blocks = append(blocks[:n-2], merged)
		}
	}
	i := 0
	for _, b := range blocks {
		for k := range b.size {
			positions[i] = start(b) + distance*vg.Length(k)
			i++
		}
	}
}
