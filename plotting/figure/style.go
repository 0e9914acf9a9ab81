package figure

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// Sizes of the style for figures of 640 page pixels (6.7 inches). The smallest text has 9 points,
// which is readable on screen and in a printed column.
const (
	titleSize = vg.Length(12)
	labelSize = vg.Length(9.5)
	noteSize  = vg.Length(9)
	hairline  = vg.Length(0.5)
	lineWidth = vg.Length(1.75)
	dotRadius = vg.Length(2.6)
	margin    = vg.Length(9)
	gap       = vg.Length(4)
)

// A key is one entry of the legend above the axes, for marks that cannot be labeled directly.
type key struct {
	name  string
	color color.RGBA
}

// sans returns a sans-serif text style.
func sans(size vg.Length, c color.Color, bold bool) text.Style {
	face := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		face.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: face, Handler: handler, XAlign: draw.XLeft, YAlign: draw.YBottom}
}

// newPlot returns axes in the style: a line at the bottom, horizontal hairlines, no frame.
func newPlot() *plot.Plot {
	p := plot.New()
	restyle(p)
	p.Add(grid{})
	return p
}

// restyle applies the style to axes.
func restyle(p *plot.Plot) {
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle = sans(labelSize, colormap.Soft, false)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign = draw.XCenter, draw.YBottom
		axis.Tick.Label.Font = sans(noteSize, colormap.Soft, false).Font
		axis.Tick.Label.Color = colormap.Soft
		axis.Tick.Marker = plot.TickerFunc(niceTicks)
		axis.LineStyle = draw.LineStyle{Color: colormap.Axis, Width: hairline}
		axis.Tick.LineStyle = axis.LineStyle
		axis.Padding = 3
	}
	p.X.Tick.Length, p.X.Label.Padding = 3, 3
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width, p.Y.Tick.Length = 0, 0, 0
}

// niceTicks returns at most seven labels at round numbers.
func niceTicks(low, high float64) []plot.Tick {
	step := niceStep((high - low) / 6)
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if scaled := step * math.Pow(10, float64(decimals)); math.Abs(scaled-math.Round(scaled)) > 1e-6 {
		decimals++ // 2.5, 0.25
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		label := strconv.FormatFloat(k*step, 'f', decimals, 64)
		if math.Abs(k*step) >= 1e6 || decimals > 5 {
			label = strconv.FormatFloat(k*step, 'g', 3, 64)
		}
		if k == 0 {
			label = "0" // never -0
		}
		ticks = append(ticks, plot.Tick{Value: k * step, Label: label})
	}
	return ticks
}

// niceStep rounds a distance up to 1, 2, 2.5 or 5 times a power of ten.
func niceStep(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 2, 2.5, 5} {
		if x <= step*power*(1+1e-9) {
			return step * power
		}
	}
	return 10 * power
}

// grid draws a hairline at each label of the vertical axis.
type grid struct{}

// Plot implements plot.Plotter.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: colormap.Grid, Width: hairline}
	_, y := p.Transforms(&c)
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.Label != "" {
			c.StrokeLine2(style, c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
		}
	}
}

// drawOn draws the header and, below it, the figure.
func (f *Figure) drawOn(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	if f.Title != "" {
		c = headLines(c, sans(titleSize, colormap.Ink, true), f.Title)
	}
	if f.Note != "" {
		c = headLines(c, sans(noteSize, colormap.Soft, false), f.Note)
	}
	if f.Title != "" || f.Note != "" {
		c.Max.Y -= gap
	}
	if f.yLabel != "" || len(f.keys) > 0 {
		c = f.keyLine(c)
	}
	if f.paint != nil {
		f.paint(c)
		return
	}
	f.Plot.Draw(c)
}

// headLines writes a text at the top, wrapped to the width, and returns the remaining canvas.
func headLines(c draw.Canvas, style text.Style, words string) draw.Canvas {
	extents := style.FontExtents()
	for _, line := range wrap(words, func(line string) bool { return style.Width(line) <= c.Size().X }) {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - extents.Ascent - extents.Descent}, line)
		c.Max.Y -= extents.Height + 1
	}
	return c
}

// wrap breaks a text into lines that fit, at blanks only.
func wrap(words string, fits func(string) bool) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(words) {
		if longer := strings.TrimSpace(line + " " + word); line == "" || fits(longer) {
			line = longer
			continue
		}
		lines = append(lines, line)
		line = word
	}
	return append(lines, line)
}

// keyLine writes the label of the vertical axis at the upper left, and the names of the marks at
// the right.
func (f *Figure) keyLine(c draw.Canvas) draw.Canvas {
	style := sans(labelSize, colormap.Soft, false)
	extents := style.FontExtents()
	base := c.Max.Y - extents.Ascent - extents.Descent
	c.FillText(style, vg.Point{X: c.Min.X, Y: base}, f.yLabel)
	x := c.Max.X
	for i := len(f.keys) - 1; i >= 0; i-- {
		named := sans(labelSize, colormap.Ink, false)
		x -= named.Width(f.keys[i].name)
		c.FillText(named, vg.Point{X: x, Y: base}, f.keys[i].name)
		x -= 12
		swatch := vg.Rectangle{Min: vg.Point{X: x, Y: base + 1}, Max: vg.Point{X: x + 8, Y: base + 9}}
		c.SetColor(f.keys[i].color)
		c.Fill(swatch.Path())
		x -= 12
	}
	c.Max.Y = base - gap
	return c
}
