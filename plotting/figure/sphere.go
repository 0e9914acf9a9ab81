package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosphere/plotting/colormap"
)

// A Ball is a density on the unit sphere S² that depends only on the angle to a mean direction,
// such as von Mises–Fisher and power spherical densities.
type Ball struct {
	Name string
	// Mean is the mean direction, of any norm. Nil means a direction that is clearly visible.
	Mean []float64
	// Profile returns the density, up to a factor, where the cosine of the angle to the mean
	// direction is t, for t in [-1, 1]. It is called two thousand times, for any size of the
	// figure. Nil means that there are samples alone.
	Profile func(t float64) float64
	// Samples are directions drawn from the density. Those on the far side are not shown.
	Samples [][]float64
	// Contours are fractions of the largest density, between 0 and 1, at which lines of equal
	// density are drawn.
	Contours []float64
}

// ballsPerRow and ballRoom determine the size of a figure of spheres.
const (
	ballsPerRow = 4
	ballRoom    = 60 // page pixels below the spheres for names and scale
)

// profileSteps is the number of angles at which a profile is tabulated.
const profileSteps = 2000

// Spheres draws densities on S² side by side, in orthographic projection. Each is shaded relative
// to its own maximum, because densities of different concentrations differ by powers of ten and
// cannot share one scale. No balls, a mean that is not three finite numbers, and a profile that is
// negative or not finite yield a figure with an error.
func Spheres(balls ...Ball) *Figure {
	if len(balls) == 0 {
		return failed("no sphere to draw")
	}
	tables := make([][]float64, len(balls))
	for i, ball := range balls {
		table, err := tabulated(ball)
		if err != nil {
			return failed("sphere %q: %w", ball.Name, err)
		}
		tables[i] = table
	}
	columns := min(len(balls), ballsPerRow)
	rows := (len(balls) + columns - 1) / columns
	f := &Figure{Width: 640, kind: "density on the sphere"}
	if len(balls) > 1 {
		f.kind = fmt.Sprintf("densities on the sphere, %d panels", len(balls))
	}
	f.Height = min(640/columns, 300)*rows + ballRoom
	f.paint = func(c draw.Canvas) {
		if slices.ContainsFunc(balls, func(b Ball) bool { return b.Profile != nil }) {
			scaleBar(c, balls)
			c.Min.Y += 18
		}
		tiles := draw.Tiles{Cols: columns, Rows: rows, PadX: 6, PadY: 2}
		for i, ball := range balls {
			paintBall(tiles.At(c, i%columns, i/columns), ball, tables[i])
		}
	}
	return f
}

// tabulated returns the profile of a ball at equally spaced angles from 0 to π, divided by its
// maximum, or an error if the ball cannot be drawn.
func tabulated(ball Ball) ([]float64, error) {
	if ball.Mean != nil && (len(ball.Mean) != 3 || !(norm(ball.Mean) > 0)) {
		return nil, fmt.Errorf("mean direction is %v, want three numbers", ball.Mean)
	}
	for i, sample := range ball.Samples {
		if len(sample) != 3 {
			return nil, fmt.Errorf("sample %d has %d coordinates, want 3", i, len(sample))
		}
	}
	for _, share := range ball.Contours {
		if !(share > 0 && share < 1) {
			return nil, fmt.Errorf("contour at %g of the maximum, want a share between 0 and 1", share)
		}
	}
	table := make([]float64, profileSteps+1)
	if ball.Profile == nil {
		if len(ball.Samples) == 0 || len(ball.Contours) > 0 {
			return nil, fmt.Errorf("no profile: set Profile to the density as a function of the cosine, or draw Samples alone")
		}
		return table, nil
	}
	highest := 0.0
	for i := range table {
		t := math.Cos(math.Pi * float64(i) / profileSteps)
		table[i] = ball.Profile(t)
		if !(table[i] >= 0) || math.IsInf(table[i], 0) {
			return nil, fmt.Errorf("density is %g at cosine %.3f", table[i], t)
		}
		highest = max(highest, table[i])
	}
	if highest == 0 {
		return nil, fmt.Errorf("density is zero everywhere")
	}
	for i := range table {
		table[i] /= highest
	}
	return table, nil
}

// A vector is a direction in space.
type vector [3]float64

func (v vector) dot(w vector) float64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }

func norm(v []float64) float64 {
	return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
}

// unit returns the direction of v.
func unit(v []float64) vector {
	n := norm(v)
	return vector{v[0] / n, v[1] / n, v[2] / n}
}

// direction returns the point at a longitude and latitude in degrees.
func direction(longitude, latitude float64) vector {
	sinLon, cosLon := math.Sincos(longitude * math.Pi / 180)
	sinLat, cosLat := math.Sincos(latitude * math.Pi / 180)
	return vector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// The camera looks at the sphere from longitude 30°, latitude 20°.
const cameraLongitude, cameraLatitude = 30, 20

var (
	cameraToward = direction(cameraLongitude, cameraLatitude)
	cameraRight  = direction(cameraLongitude+90, 0)
	cameraUp     = direction(cameraLongitude+180, 90-cameraLatitude)
	defaultMean  = direction(cameraLongitude+22, cameraLatitude+25)
)

// A disc is the position of a sphere on the canvas.
type disc struct {
	center vg.Point
	radius vg.Length
}

// project returns the position of a point on the canvas and reports whether it is on the near side.
func (d disc) project(v vector) (at vg.Point, near bool) {
	return vg.Point{
		X: d.center.X + d.radius*vg.Length(v.dot(cameraRight)),
		Y: d.center.Y + d.radius*vg.Length(v.dot(cameraUp)),
	}, v.dot(cameraToward) > 0
}

// paintBall draws one sphere with its name below.
func paintBall(c draw.Canvas, ball Ball, table []float64) {
	name := sans(labelSize, colormap.Ink, false)
	name.XAlign = draw.XCenter
	const nameRoom = labelSize + 8
	radius := min(c.Size().X, c.Size().Y-nameRoom) / 2 * 0.95
	d := disc{vg.Point{X: c.Center().X, Y: c.Max.Y - radius - 2}, radius}
	c.FillText(name, vg.Point{X: d.center.X, Y: d.center.Y - radius - nameRoom}, ball.Name)
	mean := defaultMean
	if ball.Mean != nil {
		mean = unit(ball.Mean)
	}
	corner := vg.Point{X: d.radius, Y: d.radius}
	c.DrawImage(vg.Rectangle{Min: d.center.Sub(corner), Max: d.center.Add(corner)}, shaded(mean, table))
	graticule(&c, d)
	contours(&c, d, mean, crossings(table, ball.Contours))
	for _, sample := range ball.Samples {
		if norm(sample) > 0 {
			if at, near := d.project(unit(sample)); near {
				dot(&c, at, 1.5, colormap.Category(1))
			}
		}
	}
	if at, near := d.project(mean); near && (ball.Mean != nil || ball.Profile != nil) {
		tip := vg.Point{X: at.X + (at.X-d.center.X)*0.45, Y: at.Y + (at.Y-d.center.Y)*0.45}
		arrow(&c, at, tip)
	}
}

// shadedPixels is the width of the bitmap of a sphere.
const shadedPixels = 420

// shaded returns the picture of the near side. Light from the camera darkens the rim slightly, so
// that the disc looks like a ball; the density is accurate in the middle.
func shaded(mean vector, table []float64) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, shadedPixels, shadedPixels))
	for row := range shadedPixels {
		for column := range shadedPixels {
			u := (2*float64(column)+1)/shadedPixels - 1
			v := 1 - (2*float64(row)+1)/shadedPixels
			square := u*u + v*v
			// Fraction of the pixel inside the disc, from the distance to its edge.
			cover := min(1, max(0, (1-math.Sqrt(square))*shadedPixels/2+0.5))
			if cover == 0 {
				continue
			}
			w := math.Sqrt(max(0, 1-square))
			t := u*mean.dot(cameraRight) + v*mean.dot(cameraUp) + w*mean.dot(cameraToward)
			shade := colormap.Density.At(lookUp(table, t))
			light := 0.86 + 0.14*math.Sqrt(w)
			picture.SetNRGBA(column, row, color.NRGBA{
				uint8(float64(shade.R) * light), uint8(float64(shade.G) * light), uint8(float64(shade.B) * light),
				uint8(math.Round(255 * cover)),
			})
		}
	}
	return picture
}

// lookUp interpolates a table over equally spaced angles at the cosine t.
func lookUp(table []float64, t float64) float64 {
	place := math.Acos(max(-1, min(1, t))) / math.Pi * profileSteps
	i := min(int(place), profileSteps-1)
	share := place - float64(i)
	return table[i]*(1-share) + table[i+1]*share
}
