package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// FromPlot returns a figure that draws a gonum plot in the style of this package: its fonts, axes
// without a frame, horizontal hairlines, round numbers at the ticks, and title and vertical label
// above at the left. It changes the plot. Marks, scales and tickers that are not gonum's defaults
// stay as they are.
//
//	p := plot.New()
//	p.Add(line)
//	figure.FromPlot(p)
func FromPlot(p *plot.Plot) *Figure {
	if p == nil {
		return failed("FromPlot: want a plot, not nil")
	}
	f := &Figure{Width: 640, Height: 400, Plot: p, kind: "plot", Title: p.Title.Text, yLabel: p.Y.Label.Text}
	p.Title.Text, p.Y.Label.Text, p.BackgroundColor = "", "", nil
	tickers := [2]plot.Ticker{p.X.Tick.Marker, p.Y.Tick.Marker}
	restyle(p)
	for i, axis := range []*plot.Axis{&p.X, &p.Y} {
		switch tickers[i].(type) {
		case plot.DefaultTicks, nil:
		case plot.LogTicks:
			axis.Tick.Marker, axis.Tick.Label.Handler = plot.TickerFunc(logTicks), handler
		default:
			axis.Tick.Marker = tickers[i]
		}
	}
	p.Legend.TextStyle = sans(noteSize, colormap.Ink, false)
	f.paint = func(c draw.Canvas) {
		grid{}.Plot(p.DataCanvas(c), p) // below the marks
		p.Draw(c)
	}
	return f
}
