package chart

import "fmt"

// Marks are the methods of a chart that add a layer.
type Marks struct{ chart *Chart }

// mark adds a layer. Without channels, those of the layer before it are used.
func (c *Chart) mark(method, mark string, wanted int, channels []string) *Chart {
	return c.edit(func(c *Chart) {
		if c.data == nil {
			panic(fmt.Errorf("chart: %s belongs to a chart of data, not to an arrangement of charts", method))
		}
		l := layer{mark: mark, data: c.data}
		if len(channels) == 0 {
			if len(c.layers) == 0 || c.layers[len(c.layers)-1].data != c.data {
				panic(fmt.Errorf("chart: %s: want %s, because no layer before has them", method, [...]string{"", "a column", "two columns"}[wanted]))
			}
			before := c.layers[len(c.layers)-1]
			l.x, l.y, l.color, l.detail, l.position = before.x, before.y, before.color, before.detail, before.position
			if wanted == 2 && !l.y.set() {
				panic(fmt.Errorf("chart: %s: want two columns; the layer before has one", method))
			}
			if wanted == 1 {
				l.y = channel{}
			}
		} else if len(channels) > wanted {
			panic(fmt.Errorf("chart: %s: want at most %d columns, not %q", method, wanted, channels))
		} else {
			l.x = parsed(l.data, method, channels[0])
			if len(channels) > 1 {
				l.y = parsed(l.data, method, channels[1])
			} else if wanted == 2 && mark != "bar" && mark != "pie" && mark != "box" && mark != "violin" && mark != "strip" && mark != "tick" {
				panic(fmt.Errorf("chart: %s: want two columns, not %q", method, channels))
			}
		}
		c.layers = append(c.layers, l)
	})
}

// Point draws a point for each row: Point(x, y).
func (m Marks) Point(xy ...string) *Chart { return m.chart.mark("Point", "point", 2, xy) }

// Line joins the points of each color in the order of x: Line(x, y). A missing y is a gap.
func (m Marks) Line(xy ...string) *Chart { return m.chart.mark("Line", "line", 2, xy) }

// Step joins the points of each color by steps: Step(x, y). A value holds until the next x.
func (m Marks) Step(xy ...string) *Chart { return m.chart.mark("Step", "step", 2, xy) }

// Area fills the area between a line and zero: Area(x, y). Areas of several colors are stacked; a
// color without a value at a position counts as 0 there.
func (m Marks) Area(xy ...string) *Chart { return m.chart.mark("Area", "area", 2, xy) }

// Bar draws a bar for each row: Bar(x, y). Bars are horizontal if y has names and x has not. With
// one channel they are as long as the number of rows. Bars of several colors are stacked. Several
// rows for one bar are an error; write sum(y) or mean(y).
func (m Marks) Bar(xy ...string) *Chart {
	if len(xy) == 1 {
		xy = []string{xy[0], "count()"}
	}
	return m.chart.mark("Bar", "bar", 2, xy)
}

// Histogram counts the numbers of a column in bins.
func (m Marks) Histogram(x ...string) *Chart { return m.chart.mark("Histogram", "histogram", 1, x) }

// Box draws the quartiles of each group, whiskers to the last values within 1.5 times the
// interquartile range, and the values outside: Box(x, y), with names or binned numbers in one of
// them, or Box(y) for all rows.
func (m Marks) Box(xy ...string) *Chart { return m.chart.mark("Box", "box", 2, xy) }

// Violin draws the density of each group on both sides, with a line at the median: Violin(x, y) or
// Violin(y). Violins are equally wide.
func (m Marks) Violin(xy ...string) *Chart { return m.chart.mark("Violin", "violin", 2, xy) }

// Strip draws the values of each group as points that are shifted sideways, so that equal values
// are not on top of each other: Strip(x, y) or Strip(y).
func (m Marks) Strip(xy ...string) *Chart { return m.chart.mark("Strip", "strip", 2, xy) }

// Tick draws the values of each group as short lines: Tick(x, y) or Tick(y).
func (m Marks) Tick(xy ...string) *Chart { return m.chart.mark("Tick", "tick", 2, xy) }

// Density draws the density of a column for each color, estimated with a Gaussian kernel. Each area
// is 1; the curves extend beyond the values by three bandwidths, as those of Violin and Ridgeline.
func (m Marks) Density(x ...string) *Chart { return m.chart.mark("Density", "density", 1, x) }

// ECDF draws the empirical distribution function of a column for each color: the share of the
// values that are at most x.
func (m Marks) ECDF(x ...string) *Chart { return m.chart.mark("ECDF", "ecdf", 1, x) }

// Ridgeline draws the density of x for each name of y, one above the other: Ridgeline(x, y). The
// highest density of each is equally high.
func (m Marks) Ridgeline(xy ...string) *Chart { return m.chart.mark("Ridgeline", "ridgeline", 2, xy) }

// HeatMap draws a rectangle for each row, whose Color is a number: HeatMap(x, y). Without Color it
// is the number of rows. Numbers of axes must be evenly spaced, such as bin(x).
func (m Marks) HeatMap(xy ...string) *Chart { return m.chart.mark("HeatMap", "heat map", 2, xy) }

// Bin2D counts points in rectangles: Bin2D(x, y).
func (m Marks) Bin2D(xy ...string) *Chart {
	return m.chart.mark("Bin2D", "two-dimensional histogram", 2, xy)
}

// Contour draws lines of equal density of points at six levels: Contour(x, y).
func (m Marks) Contour(xy ...string) *Chart { return m.chart.mark("Contour", "contour", 2, xy) }

// Smooth draws a local regression for each color with the 95 % confidence interval of its mean:
// loess of degree 1 (Cleveland 1979, without robustness iterations). Smooth(x, y).
func (m Marks) Smooth(xy ...string) *Chart { return m.chart.mark("Smooth", "smooth", 2, xy) }

// Regression draws the least-squares line of each color, or a polynomial if Degree says so, with
// the 95 % confidence interval of its mean: Regression(x, y).
func (m Marks) Regression(xy ...string) *Chart {
	return m.chart.mark("Regression", "regression", 2, xy)
}

// ErrorBar draws the center and an interval of the values of each group: ErrorBar(x, y). Extent
// says which one, and Bounds takes it from columns.
func (m Marks) ErrorBar(xy ...string) *Chart { return m.chart.interval("ErrorBar", "error bar", xy) }

// ErrorBand draws the intervals of all x as a band: ErrorBand(x, y). Extent says which ones, and
// Bounds takes them from columns.
func (m Marks) ErrorBand(xy ...string) *Chart { return m.chart.interval("ErrorBand", "error band", xy) }

// interval adds a layer of intervals. After mean(y) they are those of y.
func (c *Chart) interval(method, mark string, xy []string) *Chart {
	return c.mark(method, mark, 2, xy).last(method, func(l *layer) {
		for _, ch := range []*channel{&l.x, &l.y} {
			if !ch.aggregated() {
				continue
			}
			if ch.function != "mean" && ch.function != "median" {
				panic(fmt.Errorf("chart: %s: %s has no interval; write the column", method, ch.text))
			}
			if ch.function == "median" {
				l.extent = "iqr"
			}
			*ch = channel{text: ch.column, column: ch.column}
		}
	})
}

// Text writes the Label of each row: Text(x, y).Label(name).
func (m Marks) Text(xy ...string) *Chart { return m.chart.mark("Text", "text", 2, xy) }

// Pie draws a circle with a slice for each name: Pie(name, value), or Pie(name) for the number of
// rows.
func (m Marks) Pie(nameAndValue ...string) *Chart {
	if len(nameAndValue) == 1 {
		nameAndValue = []string{nameAndValue[0], "count()"}
	}
	return m.chart.mark("Pie", "pie", 2, nameAndValue).last("Pie", func(l *layer) { l.color = l.x })
}

// HLine draws horizontal lines at numbers or times, over the whole width.
func (m Marks) HLine(values ...any) *Chart { return m.chart.rule("HLine", "horizontal line", values) }

// VLine draws vertical lines at numbers or times, over the whole height.
func (m Marks) VLine(values ...any) *Chart { return m.chart.rule("VLine", "vertical line", values) }

func (c *Chart) rule(method, mark string, values []any) *Chart {
	for _, value := range values {
		if _, _, _, err := place(value); err != nil {
			panic(fmt.Errorf("chart: %s: %w", method, err))
		}
	}
	return c.edit(func(c *Chart) {
		// Layers that follow take the channels of the layer before.
		l := layer{mark: mark, data: c.data, values: values}
		if n := len(c.layers); n > 0 {
			before := c.layers[n-1]
			l.x, l.y, l.color, l.detail, l.position = before.x, before.y, before.color, before.detail, before.position
		}
		c.layers = append(c.layers, l)
	})
}
