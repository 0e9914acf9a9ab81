package figure

import (
	"errors"
	"fmt"
	"image/color"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Drawing describes a figure that a function paints, for packages that add kinds of figures.
type Drawing struct {
	Kind          string // for the text form, such as "scatter plot"
	Title, Note   string
	Width, Height int // in CSS pixels

	// Paint draws below title and note.
	Paint func(c draw.Canvas)
	// VegaLite returns the interactive form without title and configuration; nil for none.
	VegaLite func() map[string]any
}

// Figure returns the figure.
func (d Drawing) Figure() *Figure {
	if d.Paint == nil {
		return failed("a drawing without a function that paints")
	}
	return &Figure{Title: d.Title, Note: d.Note, Width: d.Width, Height: d.Height, kind: d.Kind, paint: d.Paint, twin: d.VegaLite}
}

// Failed returns a figure that cannot be drawn, for the reason that its outputs return.
func Failed(err error) *Figure {
	if err == nil {
		err = errors.New("unknown reason")
	}
	return failed("%s", strings.TrimPrefix(err.Error(), "figure: "))
}

// TextStyle returns the sans-serif style of the package, in which text between dollar signs is a
// formula.
func TextStyle(size vg.Length, c color.Color, bold bool) text.Style { return sans(size, c, bold) }

// CalendarTicks returns a ticker at whole units of the calendar of a location, for axes of seconds
// since 1970.
func CalendarTicks(location *time.Location) plot.Ticker {
	if location == nil {
		location = time.UTC
	}
	return calendar{location}
}

// PowerTicks returns the ticks of a logarithmic axis between two positive numbers.
func PowerTicks(low, high float64) ([]plot.Tick, error) {
	if !(low > 0) || !(high >= low) {
		return nil, fmt.Errorf("figure: a logarithmic axis from %g to %g", low, high)
	}
	return logTicks(low, high), nil
}
