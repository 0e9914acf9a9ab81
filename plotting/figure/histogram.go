package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// Concentrations draws the distribution of each series, for instance of the concentrations κ that
// methods learned for the same captions.
func Concentrations(series ...Series) *Figure {
	f := Histogram("concentration κ", series...)
	if f.err == nil {
		f.kind = described("histogram of concentrations", len(series))
	}
	return f
}

// Histogram draws the distribution of each series, as the fraction of its values in bins that all
// series share.
func Histogram(xLabel string, series ...Series) *Figure {
	if f := checked(series); f != nil {
		return f
	}
	f := newFigure(described("histogram", len(series)))
	h := newHistogram(series)
	f.Plot.X.Label.Text, f.yLabel = xLabel, fmt.Sprintf("share of values, bins of %.3g", h.width)
	f.Plot.Add(h)
	f.roomAbove()
	f.Plot.Y.Min = 0
	if len(series) > 1 {
		for i, s := range series {
			f.keys = append(f.keys, key{s.Name, colormap.Category(i)})
		}
	}
	f.twin = func() map[string]any { return histogramTwin(xLabel, f.yLabel, h, series) }
	return f
}

// histogram draws the fractions of several series as filled steps.
type histogram struct {
	low, width float64
	shares     [][]float64 // by series and bin
}

// newHistogram chooses the bin width by the rule of Freedman and Diaconis (1981), the smallest over
// the series, with at least 8 and at most 60 bins.
func newHistogram(series []Series) histogram {
	low, high, width := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, s := range series {
		values := sorted(s.Values)
		n := len(values)
		low, high = min(low, values[0]), max(high, values[n-1])
		if spread := values[n*3/4] - values[n/4]; spread > 0 {
			width = min(width, 2*spread/math.Cbrt(float64(n)))
		}
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	width = niceStep(min(max(width, (high-low)/60), (high-low)/8) * 0.75)
	low = math.Floor(low/width) * width
	bins := int((high-low)/width) + 1
	h := histogram{low: low, width: width}
	for _, s := range series {
		shares := make([]float64, bins)
		values := sorted(s.Values)
		for _, value := range values {
			shares[min(int((value-low)/width), bins-1)] += 1 / float64(len(values))
		}
		h.shares = append(h.shares, shares)
	}
	return h
}

// DataRange implements plot.DataRanger.
func (h histogram) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, shares := range h.shares {
		for _, share := range shares {
			ymax = max(ymax, share)
		}
	}
	return h.low, h.low + h.width*float64(len(h.shares[0])), 0, ymax
}

// Plot implements plot.Plotter.
func (h histogram) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	h.paintOutlines(c, func(value, share float64) vg.Point { return vg.Point{X: x(value), Y: y(share)} })
}
