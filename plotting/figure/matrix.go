package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// A Grid is a matrix with names. Values are by row; NaN is drawn white.
type Grid struct {
	Values        [][]float64
	Rows, Columns []string // one name per row and column; nil for none
	RowLabel      string   // meaning of the rows
	ColumnLabel   string   // meaning of the columns
}

// HeatMap draws a matrix of similarities, or of any numbers, as colored cells, the first row at the
// top. If numbers of both signs occur, zero is white, negative numbers are blue and positive ones
// vermilion; otherwise darker means larger. Cells of small matrices show their numbers.
func HeatMap(g Grid) *Figure {
	rows, columns, err := g.check()
	if err != nil {
		return failed("%w", err)
	}
	m := newHeat(g)
	f := m.figure(fmt.Sprintf("heat map of %d × %d numbers", rows, columns))
	f.twin = func() map[string]any { return matrixTwin(g, g.Values, m) }
	return f
}

// newHeat returns the drawing of a grid with its color scale.
func newHeat(g Grid) *matrix {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range g.Values {
		for _, value := range row {
			if !math.IsNaN(value) {
				low, high = min(low, value), max(high, value)
			}
		}
	}
	m := &matrix{grid: g, colors: colormap.Density, low: low, high: high, format: twoDecimals}
	if low < 0 && high > 0 {
		most := max(-low, high)
		m.colors, m.low, m.high = colormap.Balance, -most, most
	}
	if m.low == m.high {
		m.low, m.high = m.low-0.5, m.high+0.5
	}
	return m
}

// Confusion draws a confusion matrix, with true classes as rows and answers as columns. Cells show
// the counts and are shaded by the fraction of the row; the accuracy is shown at the upper right.
func Confusion(counts [][]float64, classes []string) *Figure {
	g := Grid{Values: counts, Rows: classes, Columns: classes, RowLabel: "true class", ColumnLabel: "answer"}
	if len(counts) != len(classes) {
		return failed("%d rows of counts for %d classes", len(counts), len(classes))
	}
	if _, _, err := g.check(); err != nil {
		return failed("%w", err)
	}
	shares := make([][]float64, len(counts))
	right, all := 0.0, 0.0
	for i, row := range counts {
		sum := 0.0
		for k, count := range row {
			if !(count >= 0) {
				return failed("%g things of class %q were taken for %q", count, classes[i], classes[k])
			}
			sum += count
		}
		shares[i] = make([]float64, len(row))
		for k, count := range row {
			shares[i][k] = math.NaN()
			if sum > 0 {
				shares[i][k] = count / sum
			}
		}
		right, all = right+row[i], all+sum
	}
	if all == 0 {
		return failed("no thing was classified")
	}
	shaded := g
	shaded.Values = shares
	m := &matrix{grid: shaded, texts: counts, colors: colormap.Density, high: 1, format: plainCount}
	f := m.figure(fmt.Sprintf("confusion of %d classes", len(classes)))
	f.yLabel = fmt.Sprintf("%.1f %% of %.0f right; shade: share of the true class", 100*right/all, all)
	f.twin = func() map[string]any { return matrixTwin(shaded, counts, m) }
	return f
}

// check returns the size of the grid, or an error if it cannot be drawn.
func (g Grid) check() (rows, columns int, err error) {
	if len(g.Values) == 0 || len(g.Values[0]) == 0 {
		return 0, 0, fmt.Errorf("a matrix without numbers")
	}
	rows, columns = len(g.Values), len(g.Values[0])
	finite := false
	for i, row := range g.Values {
		if len(row) != columns {
			return 0, 0, fmt.Errorf("row %d has %d numbers, want %d", i, len(row), columns)
		}
		for k, value := range row {
			if math.IsInf(value, 0) {
				return 0, 0, fmt.Errorf("row %d, column %d is %g", i, k, value)
			}
			finite = finite || !math.IsNaN(value)
		}
	}
	switch {
	case !finite:
		return 0, 0, fmt.Errorf("a matrix without numbers")
	case rows > maxCells || columns > maxCells:
		return 0, 0, fmt.Errorf("%d × %d numbers; a picture has room for %d in each direction", rows, columns, maxCells)
	case g.Rows != nil && len(g.Rows) != rows || g.Columns != nil && len(g.Columns) != columns:
		return 0, 0, fmt.Errorf("%d × %d numbers with %d and %d names", rows, columns, len(g.Rows), len(g.Columns))
	}
	return rows, columns, nil
}

// maxCells is the largest number of cells in each direction, and writtenCells the largest for which
// cells show their numbers.
const (
	maxCells     = 2000
	writtenCells = 12
)

func twoDecimals(value float64) string {
	if math.Abs(value) < 0.005 {
		return "0.00" // never -0.00
	}
	return fmt.Sprintf("%.2f", value)
}
func plainCount(value float64) string { return fmt.Sprintf("%.6g", value) }

// matrix draws a grid.
type matrix struct {
	grid      Grid
	texts     [][]float64 // numbers written in the cells; nil for the values
	colors    *colormap.Map
	low, high float64 // the ends of the color scale
	format    func(float64) string
}

// Sizes of the drawing in points.
const (
	scaleWidth = vg.Length(9)
	scaleRoom  = vg.Length(44)
	longName   = vg.Length(110) // longer names are cut
)

// figure returns the figure, high enough for square cells if possible.
func (m *matrix) figure(kind string) *Figure {
	f := &Figure{Width: 560, kind: kind, paint: m.paint}
	left, below := m.rowRoom(), m.columnRoom()
	width := vg.Length(f.Width)*vg.Inch/pixelsPerInch - 2*margin - left - scaleRoom
	height := width * vg.Length(len(m.grid.Values)) / vg.Length(len(m.grid.Values[0]))
	f.Height = max(200, min(640, pixels(height+below+2*margin)+graphHead))
	return f
}

// rowRoom returns the width of the row names and their label, and columnRoom the height of the
// column names.
func (m *matrix) rowRoom() vg.Length {
	room := vg.Length(0)
	for _, name := range m.grid.Rows {
		room = max(room, sans(noteSize, nil, false).Width(m.cut(name))+5)
	}
	if m.grid.RowLabel != "" {
		room += labelSize + 6
	}
	return room
}

func (m *matrix) columnRoom() vg.Length {
	room := vg.Length(0)
	for _, name := range m.grid.Columns {
		width := sans(noteSize, nil, false).Width(m.cut(name))
		if m.upright() {
			room = max(room, noteSize+5)
		} else {
			room = max(room, width*0.71+noteSize)
		}
	}
	if m.grid.ColumnLabel != "" {
		room += labelSize + 6
	}
	return room
}

// upright reports whether column names fit side by side.
func (m *matrix) upright() bool {
	widest := vg.Length(0)
	for _, name := range m.grid.Columns {
		widest = max(widest, sans(noteSize, nil, false).Width(m.cut(name)))
	}
	return (widest+4)*vg.Length(len(m.grid.Columns)) <= 330
}

// cut shortens a name that is too long for a margin.
func (m *matrix) cut(name string) string {
	style := sans(noteSize, nil, false)
	if style.Width(name) <= longName {
		return name
	}
	letters := []rune(name)
	for len(letters) > 1 && style.Width(string(letters)+"…") > longName {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}

// paint draws cells, names and the scale.
func (m *matrix) paint(c draw.Canvas) {
	rows, columns := len(m.grid.Values), len(m.grid.Values[0])
	body := vg.Rectangle{
		Min: vg.Point{X: c.Min.X + m.rowRoom(), Y: c.Min.Y + m.columnRoom()},
		Max: vg.Point{X: c.Max.X - scaleRoom, Y: c.Max.Y},
	}
	cell := vg.Point{X: body.Size().X / vg.Length(columns), Y: body.Size().Y / vg.Length(rows)}
	if cell.Y > cell.X*1.25 { // no cells higher than wide
		body.Min.Y = body.Max.Y - cell.X*vg.Length(rows)
		cell.Y = cell.X
	}
	c.DrawImage(body, m.picture())
	c.SetLineStyle(draw.LineStyle{Color: colormap.Axis, Width: hairline})
	c.Stroke(body.Path())
	m.names(c, body, cell)
	if rows <= writtenCells && columns <= writtenCells {
		m.numbers(c, body, cell)
	}
	m.scale(c, body)
}

// picture returns the cells as a bitmap with whole pixels per cell.
func (m *matrix) picture() image.Image {
	rows, columns := len(m.grid.Values), len(m.grid.Values[0])
	across, down := (1200+columns-1)/columns, (1200+rows-1)/rows
	across, down = min(across, 120), min(down, 120)
	picture := image.NewRGBA(image.Rect(0, 0, columns*across, rows*down))
	for i, row := range m.grid.Values {
		for k, value := range row {
			shade := m.shade(value)
			for y := i * down; y < (i+1)*down; y++ {
				for x := k * across; x < (k+1)*across; x++ {
					picture.SetRGBA(x, y, shade)
				}
			}
		}
	}
	return picture
}

// shade returns the color of a number, white for NaN.
func (m *matrix) shade(value float64) color.RGBA {
	if math.IsNaN(value) {
		return color.RGBA{255, 255, 255, 255}
	}
	return m.colors.At((value - m.low) / (m.high - m.low))
}

// numbers writes each number into its cell, light on dark, unless the cells are too narrow for one
// of them.
func (m *matrix) numbers(c draw.Canvas, body vg.Rectangle, cell vg.Point) {
	texts := m.texts
	if texts == nil {
		texts = m.grid.Values
	}
	style := sans(noteSize, colormap.Ink, false)
	for _, row := range texts {
		for _, value := range row {
			if style.Width(m.format(value)) > cell.X-2 || cell.Y < noteSize+2 {
				return
			}
		}
	}
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for i, row := range texts {
		for k, value := range row {
			if math.IsNaN(value) {
				continue
			}
			style.Color = colormap.Ink
			if shade := m.shade(m.grid.Values[i][k]); 0.3*float64(shade.R)+0.59*float64(shade.G)+0.11*float64(shade.B) < 130 {
				style.Color = color.White
			}
			at := vg.Point{X: body.Min.X + cell.X*(vg.Length(k)+0.5), Y: body.Max.Y - cell.Y*(vg.Length(i)+0.5)}
			c.FillText(style, at, m.format(value))
		}
	}
}
