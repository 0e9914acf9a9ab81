package figure

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// contourStyle is the style of lines of equal density.
var contourStyle = draw.LineStyle{Color: colormap.Category(1), Width: 1}

// crossings returns the angles to the mean direction at which a tabulated profile crosses fractions
// of its maximum.
func crossings(table, shares []float64) []float64 {
	var angles []float64
	for _, share := range shares {
		for i := range profileSteps {
			if (table[i] >= share) != (table[i+1] >= share) {
				part := (share - table[i]) / (table[i+1] - table[i])
				angles = append(angles, (float64(i)+part)*math.Pi/profileSteps)
			}
		}
	}
	return angles
}

// contours draws the near side of circles around the mean direction.
func contours(c *draw.Canvas, d disc, mean vector, angles []float64) {
	across := unit(mean.cross(leastAligned(mean)))
	third := mean.cross(vector{across[0], across[1], across[2]})
	up := vector{third[0], third[1], third[2]}
	for _, angle := range angles {
		sinA, cosA := math.Sincos(angle)
		strokeNear(c, d, contourStyle, func(turn float64) vector {
			sin, cos := math.Sincos(turn * math.Pi / 180)
			var v vector
			for i := range v {
				v[i] = cosA*mean[i] + sinA*(cos*across[i]+sin*up[i])
			}
			return v
		})
	}
}

// cross returns the cross product.
func (v vector) cross(w vector) []float64 {
	return []float64{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// leastAligned returns the axis that is farthest from a direction and its opposite.
func leastAligned(v vector) vector {
	axis := 0
	for i := range v {
		if math.Abs(v[i]) < math.Abs(v[axis]) {
			axis = i
		}
	}
	var e vector
	e[axis] = 1
	return e
}

// strokeNear draws the near side of a closed curve that is parametrized by degrees.
func strokeNear(c *draw.Canvas, d disc, style draw.LineStyle, point func(angle float64) vector) {
	var line []vg.Point
	for angle := 0.0; angle <= 360; angle += 3 {
		at, near := d.project(point(angle))
		if near {
			line = append(line, at)
			continue
		}
		if len(line) > 1 {
			c.StrokeLines(style, line)
		}
		line = nil
	}
	if len(line) > 1 {
		c.StrokeLines(style, line)
	}
}

// graticule draws the near side's circles of longitude and latitude, every 30 degrees.
func graticule(c *draw.Canvas, d disc) {
	style := draw.LineStyle{Color: colormap.Translucent(colormap.Soft, 0.4), Width: 0.4}
	stroke := func(point func(angle float64) vector) { strokeNear(c, d, style, point) }
	for longitude := 0.0; longitude < 180; longitude += 30 {
		stroke(func(angle float64) vector { return direction(longitude, angle) })
	}
	for latitude := -60.0; latitude <= 60; latitude += 30 {
		stroke(func(angle float64) vector { return direction(angle, latitude) })
	}
	var rim []vg.Point
	for angle := 0.0; angle <= 360; angle += 2 {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		rim = append(rim, vg.Point{X: d.center.X + d.radius*vg.Length(cos), Y: d.center.Y + d.radius*vg.Length(sin)})
	}
	c.StrokeLines(draw.LineStyle{Color: colormap.Axis, Width: hairline}, rim)
}

// arrow draws the mean direction, labeled μ, with a white rim that is visible on every shade.
func arrow(c *draw.Canvas, from, to vg.Point) {
	angle := math.Atan2(float64(to.Y-from.Y), float64(to.X-from.X))
	head := []vg.Point{to}
	for _, turn := range []float64{2.65, -2.65} {
		sin, cos := math.Sincos(angle + turn)
		head = append(head, vg.Point{X: to.X + vg.Length(6*cos), Y: to.Y + vg.Length(6*sin)})
	}
	outline := append(append([]vg.Point(nil), head...), head[0], head[1])
	c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 3}, from.X, from.Y, to.X, to.Y)
	c.StrokeLines(draw.LineStyle{Color: color.White, Width: 2}, outline)
	c.StrokeLine2(draw.LineStyle{Color: colormap.Ink, Width: 1.2}, from.X, from.Y, to.X, to.Y)
	c.FillPolygon(colormap.Ink, head)
	dot(c, from, 1.8, colormap.Ink)
	name := vg.Point{X: to.X + 3, Y: to.Y - 2}
	for turn := 0.0; turn < 8; turn++ {
		sin, cos := math.Sincos(turn * math.Pi / 4)
		c.FillText(sans(labelSize, color.White, true), vg.Point{X: name.X + vg.Length(cos), Y: name.Y + vg.Length(sin)}, "μ")
	}
	c.FillText(sans(labelSize, colormap.Ink, true), name, "μ")
}

// scaleBar draws the scale of the shades at the lower right.
func scaleBar(c draw.Canvas, balls []Ball) {
	const width, height = 90, 7
	style := sans(noteSize, colormap.Soft, false)
	x := c.Max.X - style.Width("max") - 4 - width
	strip := image.NewNRGBA(image.Rect(0, 0, 256, 1))
	for i := range 256 {
		strip.Set(i, 0, colormap.Density.At(float64(i)/255))
	}
	bar := vg.Rectangle{Min: vg.Point{X: x, Y: c.Min.Y + 1}, Max: vg.Point{X: x + width, Y: c.Min.Y + 1 + height}}
	c.DrawImage(bar, strip)
	c.SetLineStyle(draw.LineStyle{Color: colormap.Axis, Width: hairline})
	c.Stroke(bar.Path())
	c.FillText(style, vg.Point{X: x + width + 4, Y: c.Min.Y}, "max")
	for _, ball := range balls {
		for _, share := range ball.Contours { // positions of the contours on the scale
			at := x + vg.Length(share)*width
			c.StrokeLine2(contourStyle, at, bar.Min.Y-2, at, bar.Max.Y+2)
		}
	}
	for _, legend := range []string{"density, each relative to its maximum   0", "relative density   0", "0"} {
		if left := x - style.Width(legend) - 4; left >= c.Min.X || legend == "0" { // the longest that fits
			c.FillText(style, vg.Point{X: left, Y: c.Min.Y}, legend)
			return
		}
	}
}
