package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panels arranges figures in rows of the given number of columns, each with its own title, note and
// axes. All panels are as large as the largest one. The color of a series depends on its index
// only, so names may be omitted in all panels but one. No figures, fewer than one column, and a
// figure with an error yield a figure with an error.
func Panels(columns int, figures ...*Figure) *Figure {
	if columns < 1 || len(figures) == 0 {
		return failed("%d panels in rows of %d", len(figures), columns)
	}
	width, height := 0, 0
	for i, f := range figures {
		switch {
		case f == nil:
			return failed("panel %d is nil", i+1)
		case f.err != nil:
			return failed("panel %d: %s", i+1, strings.TrimPrefix(f.err.Error(), "figure: "))
		}
		width, height = max(width, f.Width), max(height, f.Height)
	}
	columns = min(columns, len(figures))
	rows := (len(figures) + columns - 1) / columns
	whole := &Figure{Width: columns * width, Height: rows * height, kind: fmt.Sprintf("%d panels", len(figures))}
	whole.paint = func(c draw.Canvas) {
		// Panels have their own margins.
		c = draw.Crop(c, -margin, margin, -margin, 0)
		size := c.Size()
		for i, f := range figures {
			left := c.Min.X + size.X*vg.Length(i%columns)/vg.Length(columns)
			top := c.Max.Y - size.Y*vg.Length(i/columns)/vg.Length(rows)
			f.drawOn(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: left, Y: top - size.Y/vg.Length(rows)},
				Max: vg.Point{X: left + size.X/vg.Length(columns), Y: top},
			}})
		}
	}
	return whole
}
