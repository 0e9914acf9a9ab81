package chart

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
)

// Options are the methods of a chart that belong to its last layer.
type Options struct{ chart *Chart }

// channel returns a copy with a changed channel of the last layer.
func (c *Chart) channel(method, text string, of func(l *layer) *channel) *Chart {
	return c.last(method, func(l *layer) { *of(l) = parsed(l.data, method, text) })
}

// Color gives the values of a channel different colors: names by their own, numbers by a scale.
// Layers that follow without arguments have the same colors; Color("") ends that.
func (o Options) Color(column string) *Chart {
	return o.chart.channel("Color", column, func(l *layer) *channel { return &l.color })
}

// Size gives points an area in proportion to the numbers of a channel.
func (o Options) Size(column string) *Chart {
	return o.chart.channel("Size", column, func(l *layer) *channel { return &l.size })
}

// Label writes the values of a channel: the texts of Text, and the values in the cells of HeatMap
// and at the ends of bars.
func (o Options) Label(column string) *Chart {
	return o.chart.channel("Label", column, func(l *layer) *channel { return &l.label })
}

// Detail draws a line, area or interval for each value of a channel, without different colors.
func (o Options) Detail(column string) *Chart {
	return o.chart.channel("Detail", column, func(l *layer) *channel { return &l.detail })
}

// Tip adds channels to the texts that appear under the pointer.
func (o Options) Tip(columns ...string) *Chart {
	return o.chart.last("Tip", func(l *layer) {
		l.tips = slices.Clone(l.tips)
		for _, name := range columns {
			l.tips = append(l.tips, parsed(l.data, "Tip", name))
		}
	})
}

// Bounds sets the channels of the lower and the upper end of ErrorBar and ErrorBand, which are then
// not computed.
func (o Options) Bounds(low, high string) *Chart {
	return o.chart.last("Bounds", func(l *layer) {
		if l.mark != "error bar" && l.mark != "error band" {
			panic(fmt.Errorf("chart: Bounds belongs to ErrorBar and ErrorBand, not to a %s", l.mark))
		}
		l.low, l.high = parsed(l.data, "Bounds", low), parsed(l.data, "Bounds", high)
	})
}

// Paint gives the marks of the last layer one color, such as "#d55e00".
func (o Options) Paint(hex string) *Chart {
	return o.chart.last("Paint", func(l *layer) {
		digits, ok := strings.CutPrefix(hex, "#")
		number, err := strconv.ParseUint(digits, 16, 32)
		if !ok || err != nil || len(digits) != 6 {
			panic(fmt.Errorf("chart: Paint: %q is no color; write one as #d55e00", hex))
		}
		l.paint = &color.RGBA{uint8(number >> 16), uint8(number >> 8), uint8(number), 0xff}
	})
}

// Opacity makes the marks of the last layer translucent; 1 is opaque.
func (o Options) Opacity(opacity float64) *Chart {
	return o.chart.last("Opacity", func(l *layer) {
		if !(opacity > 0 && opacity <= 1) {
			panic(fmt.Errorf("chart: Opacity: %g is not above 0 and at most 1", opacity))
		}
		l.opacity = opacity
	})
}

// Stack puts bars, histograms or areas of several colors on top of each other, which is their
// default.
func (o Options) Stack() *Chart { return o.chart.placed("Stack", stacked) }

// Group puts bars, points and intervals of several colors beside each other.
func (o Options) Group() *Chart { return o.chart.placed("Group", grouped) }

// Share stacks bars, histograms or areas of several colors up to 1.
func (o Options) Share() *Chart { return o.chart.placed("Share", shared) }

// Overlay draws histograms, bars or areas of several colors over each other.
func (o Options) Overlay() *Chart { return o.chart.placed("Overlay", overlaid) }

func (c *Chart) placed(method string, p position) *Chart {
	return c.last(method, func(l *layer) { l.position = p })
}

// Sorted sorts the names of bars and slices by their values, the largest first.
func (o Options) Sorted() *Chart { return o.chart.last("Sorted", func(l *layer) { l.sorted = true }) }

// Dashed draws the lines of the last layer dashed.
func (o Options) Dashed() *Chart { return o.chart.last("Dashed", func(l *layer) { l.dashed = true }) }

// Bins sets the number of bins of Histogram and of each axis of Bin2D.
func (o Options) Bins(n int) *Chart {
	return o.chart.last("Bins", func(l *layer) {
		if n < 1 || n > 1000 {
			panic(fmt.Errorf("chart: Bins: want 1 to 1000, not %d", n))
		}
		l.bins = n
	})
}

// Bandwidth sets the standard deviation of the Gaussian kernel of Density, Violin and Ridgeline, in
// the unit of the column. The default is Silverman's rule.
func (o Options) Bandwidth(h float64) *Chart {
	return o.chart.last("Bandwidth", func(l *layer) {
		if !(h > 0) {
			panic(fmt.Errorf("chart: Bandwidth: %g is not positive", h))
		}
		l.bandwidth = h
	})
}

// Degree sets the degree of the polynomial of Regression; the default is 1.
func (o Options) Degree(n int) *Chart {
	return o.chart.last("Degree", func(l *layer) {
		if n < 1 || n > 10 {
			panic(fmt.Errorf("chart: Degree: want 1 to 10, not %d", n))
		}
		l.degree = n
	})
}

// Span sets the share of the points that determines each value of Smooth; the default is 0.75.
func (o Options) Span(share float64) *Chart {
	return o.chart.last("Span", func(l *layer) {
		if !(share > 0 && share <= 1) {
			panic(fmt.Errorf("chart: Span: %g is not above 0 and at most 1", share))
		}
		l.span = share
	})
}

// Extent sets the interval of ErrorBar and ErrorBand: "ci", the mean and its 95 % confidence
// interval by Student's distribution, which is the default, "stderr", the mean and its standard
// error, "std", the mean and the standard deviation, or "iqr", the median and the quartiles.
func (o Options) Extent(kind string) *Chart {
	return o.chart.last("Extent", func(l *layer) {
		if !slices.Contains([]string{"ci", "stderr", "std", "iqr"}, kind) {
			panic(fmt.Errorf("chart: Extent: %q is none of ci, stderr, std, iqr", kind))
		}
		l.extent = kind
	})
}

// Plain draws Smooth and Regression without the bands of their confidence intervals.
func (o Options) Plain() *Chart { return o.chart.last("Plain", func(l *layer) { l.plain = true }) }
