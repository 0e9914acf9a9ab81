// Package chart is a grammar of figures over tables: data, marks, channels, scales and facets. One
// specification is an interactive figure in notebooks (Vega-Lite 5), stays interactive in exported
// pages, and is drawn as PNG, SVG and PDF.
//
//	chart.Of(t).Point("weight", "price").Color("kind").Facet("city")
//	chart.Of(t).Bar("city", "mean(price)").Color("kind").Group().Title("Prices")
//	chart.Of(t).Point("weight", "price").Regression().Save("prices.pdf")
//
// A mark such as Point, Bar or Box adds a layer. Methods such as Color, Size and Bins belong to the
// last layer; Title, Facet, LogX and others belong to the chart. A mark without arguments has the
// channels of the layer before it. Methods return new charts, so that charts can share a beginning.
//
// # Channels
//
// A channel is the name of a column, or a function of one:
//
//   - count(), count(x), sum(x), mean(x), median(x), q1(x), q3(x), min(x), max(x), std(x) and
//     unique(x) have one value for each group of rows that are equal in the other channels;
//   - bin(x) or bin(x, 20) is the middle of the bin of a number;
//   - year(t), quarter(t), month(t), week(t), day(t) and hour(t) are times cut to a unit,
//     weekday(t) and monthname(t) are names;
//   - category(x) takes numbers for names.
//
// Columns have numbers, times or names. Names are in the order of their first appearance, numbers
// that are categories in ascending order; Order sets another one.
//
// # Missing values
//
// Rows with a missing value (nil or NaN) in a channel are not drawn. The note below the title says
// how many, and in which columns. Lines have gaps instead. Infinite numbers are an error.
//
// # Errors
//
// Like those of package table, methods panic for what cannot be meant, such as a misspelled
// column; the message has the nearest name and the list of columns. Values that cannot be drawn,
// such as a negative number on a logarithmic axis, are an error of PNG, SVG, PDF, VegaLite and
// Save.
//
// Read chart.go, marks.go and options.go first, then build.go, which computes what is drawn, and
// draw.go and vega.go, which write it.
package chart

import (
	"fmt"
	"image/color"
	"slices"
	"time"

	"gosphere/plotting/figure"
)

// A Chart is the specification of a figure. Its methods return new charts.
type Chart struct {
	Marks         // methods that add layers
	Options       // methods of the last layer
	data          *frame
	layers        []layer
	title, note   string
	width, height int
	facet         channel
	columns       int
	axes          [2]axisOptions // x and y
	orders        map[string][]string
	arranged      []*Chart // charts beside or above each other
	across        int      // how many are beside each other
	house         *figure.Figure
	brush         bool
	small         bool // beside another chart
}

// axisOptions are what the user has set for an axis.
type axisOptions struct {
	title     string
	log       bool
	low, high float64 // equal for none
	reversed  bool
}

// A position says how marks of several colors at one place are arranged.
type position string

const (
	stacked  position = "stack"
	grouped  position = "group"
	shared   position = "share"
	overlaid position = "overlay"
)

// A layer is a mark with its channels.
type layer struct {
	mark                     string
	data                     *frame
	x, y, color, size, label channel
	detail, low, high        channel
	tips                     []channel
	values                   []any // of rules
	paint                    *color.RGBA
	opacity                  float64 // 0 for the default
	position                 position
	bins, degree             int
	bandwidth, span          float64
	extent                   string
	sorted, dashed, plain    bool
}

// Of returns a chart of data without marks: a table of package table or another value with methods
// Columns and Column, a slice of structs, whose exported fields are the columns, a map of slices of
// equal length, or a slice of numbers, times or texts, whose columns are index and value. The tags
// table and json of a field name its column.
func Of(data any) *Chart {
	f, err := newFrame(data)
	if err != nil {
		panic(fmt.Errorf("chart: %w", err))
	}
	return itself(&Chart{data: f})
}

// edit returns a changed copy.
func (c *Chart) edit(change func(c *Chart)) *Chart {
	if c == nil {
		panic(fmt.Errorf("chart: want a chart, not nil"))
	}
	changed := *c
	changed.layers = slices.Clone(c.layers)
	change(&changed)
	return itself(&changed)
}

// itself sets the chart that the embedded methods change.
func itself(c *Chart) *Chart {
	c.Marks.chart, c.Options.chart = c, c
	return c
}

// last returns a copy with a changed last layer.
func (c *Chart) last(method string, change func(l *layer)) *Chart {
	return c.edit(func(c *Chart) {
		if len(c.layers) == 0 {
			panic(fmt.Errorf("chart: %s belongs to a mark, such as Point; there is none yet", method))
		}
		change(&c.layers[len(c.layers)-1])
	})
}

// parsed parses a channel, and panics if it cannot be meant.
func parsed(f *frame, method, text string) channel {
	if text == "" {
		return channel{}
	}
	ch, err := f.parseChannel(text)
	if err == nil {
		_, err = f.resolve(ch)
	}
	if err != nil {
		panic(fmt.Errorf("chart: %s: %w", method, err))
	}
	return ch
}

// Title sets the text above the chart. Text between dollar signs is a formula in drawings.
func (c *Chart) Title(text string) *Chart { return c.edit(func(c *Chart) { c.title = text }) }

// Note sets the smaller text below the title.
func (c *Chart) Note(text string) *Chart { return c.edit(func(c *Chart) { c.note = text }) }

// Pixels sets the size in CSS pixels; the default is 640×400, and higher for facets.
func (c *Chart) Pixels(width, height int) *Chart {
	return c.edit(func(c *Chart) {
		if width < 100 || height < 100 || width > 10000 || height > 10000 {
			panic(fmt.Errorf("chart: Pixels: %d×%d; want 100 to 10000", width, height))
		}
		c.width, c.height = width, height
	})
}

// Facet draws a panel for each value of a channel, with the same axes. The second argument, if
// given, is the number of panels in a row.
func (c *Chart) Facet(column string, columns ...int) *Chart {
	return c.edit(func(c *Chart) {
		if c.data == nil {
			panic(fmt.Errorf("chart: Facet belongs to a chart of data, not to an arrangement of charts"))
		}
		c.facet, c.columns = parsed(c.data, "Facet", column), 0
		if c.facet.aggregated() {
			panic(fmt.Errorf("chart: Facet: %s has one value for a group of rows", column))
		}
		if len(columns) > 0 {
			if c.columns = columns[0]; c.columns < 1 || len(columns) > 1 {
				panic(fmt.Errorf("chart: Facet: want a number of panels in a row, not %v", columns))
			}
		}
	})
}

// Order sets the order of the names of a column, in axes, colors and panels. It must list all of
// them. Without names they are sorted as texts.
func (c *Chart) Order(column string, values ...string) *Chart {
	return c.edit(func(c *Chart) {
		if c.data != nil && !slices.Contains(c.data.names, column) {
			panic(fmt.Errorf("chart: Order: %w", c.data.unknown(column)))
		}
		orders := map[string][]string{column: values}
		for name, list := range c.orders {
			if name != column {
				orders[name] = list
			}
		}
		c.orders = orders
	})
}

func (c *Chart) axis(k int, change func(o *axisOptions)) *Chart {
	return c.edit(func(c *Chart) { change(&c.axes[k]) })
}

// XLabel sets the title of the horizontal axis; a blank one leaves it out.
func (c *Chart) XLabel(text string) *Chart {
	return c.axis(0, func(o *axisOptions) { o.title = text + " " })
}

// YLabel sets the title of the vertical axis; a blank one leaves it out.
func (c *Chart) YLabel(text string) *Chart {
	return c.axis(1, func(o *axisOptions) { o.title = text + " " })
}

// LogX makes the horizontal axis logarithmic.
func (c *Chart) LogX() *Chart { return c.axis(0, func(o *axisOptions) { o.log = true }) }

// LogY makes the vertical axis logarithmic.
func (c *Chart) LogY() *Chart { return c.axis(1, func(o *axisOptions) { o.log = true }) }

// XRange sets the ends of the horizontal axis, which are numbers or times. Marks outside are cut.
func (c *Chart) XRange(low, high any) *Chart { return c.ranged("XRange", 0, low, high) }

// YRange sets the ends of the vertical axis, which are numbers or times. Marks outside are cut.
func (c *Chart) YRange(low, high any) *Chart { return c.ranged("YRange", 1, low, high) }

func (c *Chart) ranged(method string, k int, low, high any) *Chart {
	from, _, fromKind, err1 := converted(low)
	to, _, toKind, err2 := converted(high)
	if err1 != nil || err2 != nil || fromKind == names || fromKind != toKind || !(from < to) {
		panic(fmt.Errorf("chart: %s: %v to %v is no range of numbers or times", method, low, high))
	}
	return c.axis(k, func(o *axisOptions) { o.low, o.high = from, to })
}

// Brush makes dragging choose rows in interactive forms, in place of moving the axes: other points
// become pale, in all panels and in charts of the same data that are arranged with this one by
// Beside, Above or Grid.
func (c *Chart) Brush() *Chart { return c.edit(func(c *Chart) { c.brush = true }) }

// Layer adds the layers of other charts, which may have other data.
func (c *Chart) Layer(others ...*Chart) *Chart {
	return c.edit(func(c *Chart) {
		for _, other := range others {
			if other == nil || len(other.layers) == 0 {
				panic(fmt.Errorf("chart: Layer: want charts with marks"))
			}
			c.layers = append(c.layers, other.layers...)
		}
	})
}

// Beside arranges charts from left to right. Charts beside each other have 440×320 pixels by
// default.
func Beside(charts ...*Chart) *Chart { return arranged(len(charts), charts) }

// Above arranges charts from top to bottom.
func Above(charts ...*Chart) *Chart { return arranged(1, charts) }

// Grid arranges charts in rows of the given number.
func Grid(columns int, charts ...*Chart) *Chart { return arranged(columns, charts) }

func arranged(columns int, charts []*Chart) *Chart {
	if columns < 1 || len(charts) == 0 || slices.Contains(charts, nil) {
		panic(fmt.Errorf("chart: %d charts in rows of %d", len(charts), columns))
	}
	across := min(columns, len(charts))
	list := make([]*Chart, len(charts))
	for i, c := range charts {
		list[i] = c.edit(func(c *Chart) { c.small = c.small || across > 1 })
	}
	return itself(&Chart{arranged: list, across: across})
}

// House returns a chart that is a figure of package figure, so that it can be arranged with others
// and shown interactively if it has such a form.
func House(f *figure.Figure) *Chart {
	if f == nil {
		panic(fmt.Errorf("chart: House: want a figure, not nil"))
	}
	return itself(&Chart{house: f, width: f.Width, height: f.Height})
}

// Series returns the numbers of two columns as series for the functions of package figure, one for
// each name in the column by, in the order of x; by may be "" for one series. Missing values of y
// are gaps.
//
//	figure.Lines("epoch", "loss", chart.Series(t, "epoch", "loss", "method")...)
func Series(data any, x, y, by string) []figure.Series {
	c := Of(data).Line(x, y)
	if by != "" {
		c = c.Color(by)
	}
	s, err := c.build()
	if err != nil {
		panic(fmt.Errorf("chart: Series: %w", err))
	}
	return s.series()
}

// place returns a number or a time as a position of an axis.
func place(value any) (float64, kind, *time.Location, error) {
	at, _, k, err := converted(value)
	if err == nil && k == names {
		err = fmt.Errorf("%v is no number or time", value)
	}
	if t, ok := plain(value).(time.Time); ok {
		return at, k, t.Location(), err
	}
	return at, k, nil, err
}
