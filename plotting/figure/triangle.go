package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// Shares are points of a triangle, given by three fractions each.
type Shares struct {
	Name string
	// Rows hold three fractions each, none negative, that sum to one.
	Rows [][]float64
}

// shareTolerance is the largest accepted difference between one and the sum of three fractions:
// float32 and printed numbers are not exact.
const shareTolerance = 1e-3

// triangleHeight is the height of an equilateral triangle with sides of length one.
var triangleHeight = math.Sqrt(0.75)

// Triangle draws distributions over three outcomes, such as draws from a Dirichlet density, as
// points of an equilateral triangle. At a corner one outcome has probability one, and the distance
// from the opposite side is that outcome's probability; hairlines are at 0.25, 0.5 and 0.75. The
// corners are named left, right and top. Another number of corners, and rows that are not
// distributions, yield a figure with an error.
func Triangle(corners []string, shares ...Shares) *Figure {
	if len(corners) != 3 {
		return failed("a triangle has 3 corners, not the %d of %q", len(corners), corners)
	}
	if len(shares) == 0 {
		return failed("no shares to draw")
	}
	for _, s := range shares {
		for i, row := range s.Rows {
			if len(row) != 3 {
				return failed("shares %q: row %d has %d numbers, want 3", s.Name, i, len(row))
			}
			if !(min(row[0], row[1], row[2]) >= 0) || !(math.Abs(row[0]+row[1]+row[2]-1) <= shareTolerance) {
				return failed("shares %q: row %d is %g, want three numbers that are not negative and sum to 1", s.Name, i, row)
			}
		}
	}
	f := &Figure{Width: 560, Height: 520, kind: described("triangle", len(shares))}
	if len(shares) > 1 {
		for i, s := range shares {
			f.keys = append(f.keys, key{s.Name, colormap.Category(i)})
		}
	}
	f.paint = func(c draw.Canvas) { paintTriangle(c, corners, shares) }
	return f
}

// A simplex is the position of a triangle on the canvas.
type simplex struct {
	corner vg.Point // the left corner
	side   vg.Length
}

// at returns the position of three fractions.
func (s simplex) at(left, right, above float64) vg.Point {
	sum := left + right + above
	return vg.Point{
		X: s.corner.X + s.side*vg.Length((right+above/2)/sum),
		Y: s.corner.Y + s.side*vg.Length(above/sum*triangleHeight),
	}
}

// paintTriangle draws the triangle as large as the canvas allows, with space for the names of the
// corners.
func paintTriangle(c draw.Canvas, corners []string, shares []Shares) {
	const nameRoom = 1.6 * labelSize
	height := c.Size().Y - 2*nameRoom
	side := min(c.Size().X*0.94, height/vg.Length(triangleHeight))
	s := simplex{vg.Point{
		X: c.Center().X - side/2,
		Y: c.Min.Y + nameRoom + (height-side*vg.Length(triangleHeight))/2,
	}, side}
	hair := draw.LineStyle{Color: colormap.Grid, Width: hairline}
	for _, share := range []float64{0.25, 0.5, 0.75} {
		rest := 1 - share
		for _, ends := range [][2]vg.Point{
			{s.at(share, rest, 0), s.at(share, 0, rest)},
			{s.at(rest, share, 0), s.at(0, share, rest)},
			{s.at(rest, 0, share), s.at(0, rest, share)},
		} {
			c.StrokeLine2(hair, ends[0].X, ends[0].Y, ends[1].X, ends[1].Y)
		}
	}
	edge := draw.LineStyle{Color: colormap.Axis, Width: 2 * hairline}
	left, right, above := s.at(1, 0, 0), s.at(0, 1, 0), s.at(0, 0, 1)
	c.StrokeLines(edge, []vg.Point{left, right, above, left})

	for i, cloud := range shares {
		style := draw.GlyphStyle{Radius: 2.2, Shape: draw.CircleGlyph{}}
		style.Color = colormap.Translucent(colormap.Category(i), max(0.25, min(0.8, 90/float64(len(cloud.Rows)+1))))
		for _, row := range cloud.Rows {
			c.DrawGlyph(style, s.at(row[0], row[1], row[2]))
		}
	}

	name := sans(labelSize, colormap.Ink, false)
	below := name.FontExtents().Height + 3
	c.FillText(name, vg.Point{X: max(c.Min.X, left.X-name.Width(corners[0])/4), Y: left.Y - below}, corners[0])
	width := name.Width(corners[1])
	c.FillText(name, vg.Point{X: min(c.Max.X-width, right.X-width*3/4), Y: right.Y - below}, corners[1])
	name.XAlign = draw.XCenter
	c.FillText(name, vg.Point{X: above.X, Y: above.Y + 4}, corners[2])
}
