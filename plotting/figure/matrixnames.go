package figure

import (
	"image"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// names writes as many names of rows and columns as fit, and the labels of both.
func (m *matrix) names(c draw.Canvas, body vg.Rectangle, cell vg.Point) {
	row := sans(noteSize, colormap.Soft, false)
	row.XAlign, row.YAlign = draw.XRight, draw.YCenter
	every := stride(cell.Y, noteSize+1)
	for i := 0; i < len(m.grid.Rows); i += every {
		c.FillText(row, vg.Point{X: body.Min.X - 4, Y: body.Max.Y - cell.Y*(vg.Length(i)+0.5)}, m.cut(m.grid.Rows[i]))
	}
	column := sans(noteSize, colormap.Soft, false)
	column.XAlign, column.YAlign = draw.XCenter, draw.YTop
	upright := m.upright()
	if !upright {
		column.XAlign, column.YAlign, column.Rotation = draw.XRight, draw.YCenter, math.Pi/4
	}
	every = stride(cell.X, noteSize+1)
	if upright {
		every = 1
	}
	for k := 0; k < len(m.grid.Columns); k += every {
		c.FillText(column, vg.Point{X: body.Min.X + cell.X*(vg.Length(k)+0.5), Y: body.Min.Y - 4}, m.cut(m.grid.Columns[k]))
	}
	label := sans(labelSize, colormap.Soft, false)
	label.XAlign = draw.XCenter
	c.FillText(label, vg.Point{X: (body.Min.X + body.Max.X) / 2, Y: body.Min.Y - m.columnRoom()}, m.grid.ColumnLabel)
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	c.FillText(label, vg.Point{X: c.Min.X, Y: (body.Min.Y + body.Max.Y) / 2}, m.grid.RowLabel)
}

// stride returns the number of cells between two names so that they do not overlap.
func stride(cell, room vg.Length) int { return max(1, int(math.Ceil(float64(room/cell)))) }

// scale draws the color scale at the right.
func (m *matrix) scale(c draw.Canvas, body vg.Rectangle) {
	strip := image.NewNRGBA(image.Rect(0, 0, 1, 256))
	for i := range 256 {
		strip.Set(0, 255-i, m.colors.At(float64(i)/255))
	}
	bar := vg.Rectangle{Min: vg.Point{X: body.Max.X + 8, Y: body.Min.Y}, Max: vg.Point{X: body.Max.X + 8 + scaleWidth, Y: body.Max.Y}}
	c.DrawImage(bar, strip)
	c.SetLineStyle(draw.LineStyle{Color: colormap.Axis, Width: hairline})
	c.Stroke(bar.Path())
	style := sans(noteSize, colormap.Soft, false)
	style.YAlign = draw.YCenter
	for _, tick := range niceTicks(m.low, m.high) {
		y := bar.Min.Y + bar.Size().Y*vg.Length((tick.Value-m.low)/(m.high-m.low))
		y = max(bar.Min.Y+noteSize/2, min(bar.Max.Y-noteSize/2, y))
		c.FillText(style, vg.Point{X: bar.Max.X + 3, Y: y}, tick.Label)
	}
}
