package main

import (
	"image"
	"image/color"
	"math"
)

// A vector points from the center of the sphere, which has radius 1: x to the right, y up, z to the
// viewer.
type vector struct{ x, y, z float64 }

func (v vector) dot(w vector) float64 { return v.x*w.x + v.y*w.y + v.z*w.z }

func (v vector) cross(w vector) vector {
	return vector{v.y*w.z - v.z*w.y, v.z*w.x - v.x*w.z, v.x*w.y - v.y*w.x}
}

func (v vector) scaled(s float64) vector { return vector{v.x * s, v.y * s, v.z * s} }

func (v vector) plus(w vector) vector { return vector{v.x + w.x, v.y + w.y, v.z + w.z} }

func (v vector) unit() vector { return v.scaled(1 / math.Sqrt(v.dot(v))) }

// A picture describes the drawing. Lengths are relative to the sphere's radius.
type picture struct {
	radius    float64  // radius of the sphere relative to the size of the picture
	meridians []vector // normals of the planes of great circles
	line      float64  // width of a meridian
	start     float64  // angle from the pole at which meridians start, so that they do not merge
	dots      []vector // directions of the dots
	dot       float64  // angular radius of a dot
}

// pole is the common direction of the meridians and the cap of dots.
var pole = vector{0.26, 0.36, 0.9}.unit()

// golden is the angle between successive dots, which then fill a cap evenly, as in a sunflower.
var golden = math.Pi * (3 - math.Sqrt(5))

// pictureFor returns the picture for a size in pixels. Small ones have fewer and thicker marks,
// which would otherwise blur.
func pictureFor(size int) picture {
	if size < 48 {
		around := dots(6, math.Pi/3, func(int) float64 { return 0.40 })
		return picture{radius: 0.475, meridians: meridians(4), line: 0.085, start: 0.6, dots: append(around, pole), dot: 0.14}
	}
	const n = 13
	cap := dots(n, golden, func(i int) float64 { return 0.60 * math.Sqrt((float64(i)+0.5)/n) })
	return picture{radius: 0.475, meridians: meridians(4), line: 0.055, start: 0.70, dots: cap, dot: 0.105}
}

// frame returns two directions that form a right-handed frame with the pole.
func frame() (east, north vector) {
	east = vector{0, 1, 0}.cross(pole).unit()
	return east, pole.cross(east)
}

// meridians returns the normals of n great circles through the pole.
func meridians(n int) []vector {
	east, north := frame()
	normals := make([]vector, n)
	for i := range normals {
		angle := math.Pi * (float64(i) + 0.5) / float64(n)
		normals[i] = east.scaled(math.Cos(angle)).plus(north.scaled(math.Sin(angle)))
	}
	return normals
}

// dots returns n directions, each at its angle from the pole and rotated by turn against the
// previous one.
func dots(n int, turn float64, colatitude func(i int) float64) []vector {
	east, north := frame()
	directions := make([]vector, n)
	for i := range directions {
		longitude := turn * float64(i)
		sideways := east.scaled(math.Cos(longitude)).plus(north.scaled(math.Sin(longitude)))
		directions[i] = pole.scaled(math.Cos(colatitude(i))).plus(sideways.scaled(math.Sin(colatitude(i))))
	}
	return directions
}

// Colors: Go's blue for the sphere, white lines, and for the dots a yellow that is visible on both
// in light and dark themes.
var (
	bright = [3]float64{94, 214, 240}
	middle = [3]float64{0, 160, 205}
	dark   = [3]float64{0, 92, 138}
	white  = [3]float64{255, 255, 255}
	yellow = [3]float64{255, 208, 52}
)

const (
	lineOpacity = 0.62 // opacity of the meridians over the sphere
	samples     = 8    // samples per pixel in each direction
)

// light is the brightest point of the sphere.
var light = vector{-0.35, 0.45, 0}

// draw returns the antialiased picture: the color of a pixel is the mean over a grid of samples,
// its opacity the share of samples on the sphere.
func (p picture) draw(size int) *image.NRGBA {
	drawn := image.NewNRGBA(image.Rect(0, 0, size, size))
	scale := 1 / (p.radius * float64(size))
	for row := range size {
		for column := range size {
			var sum [3]float64
			covered := 0.0
			for sample := range samples * samples {
				right := float64(column) + (float64(sample%samples)+0.5)/samples
				down := float64(row) + (float64(sample/samples)+0.5)/samples
				color, ok := p.at((right-float64(size)/2)*scale, (float64(size)/2-down)*scale)
				if !ok {
					continue
				}
				covered++
				for i := range sum {
					sum[i] += color[i]
				}
			}
			if covered == 0 {
				continue
			}
			drawn.SetNRGBA(column, row, color.NRGBA{
				R: uint8(sum[0]/covered + 0.5), G: uint8(sum[1]/covered + 0.5), B: uint8(sum[2]/covered + 0.5),
				A: uint8(255*covered/(samples*samples) + 0.5),
			})
		}
	}
	return drawn
}

// at returns the color of a point. It returns false outside the sphere.
func (p picture) at(x, y float64) (color [3]float64, ok bool) {
	inside := 1 - x*x - y*y
	if inside <= 0 {
		return color, false
	}
	point := vector{x, y, math.Sqrt(inside)}
	for _, d := range p.dots {
		if point.dot(d) > math.Cos(p.dot) {
			return yellow, true
		}
	}
	color = shade(math.Hypot(x-light.x, y-light.y) / (1 + math.Hypot(light.x, light.y)))
	if point.dot(pole) > math.Cos(p.start) {
		return color, true
	}
	for _, normal := range p.meridians {
		// The distance on the picture to the line where f(x, y) = normal·point is 0, to first
		// order: |f| / |∇f|.
		f := normal.dot(point)
		slope := math.Hypot(normal.x-normal.z*x/point.z, normal.y-normal.z*y/point.z)
		if math.Abs(f) < slope*p.line/2 {
			return mix(color, white, lineOpacity), true
		}
	}
	return color, true
}

// shade returns the color of the sphere at a distance from the light, which is 1 at the farthest
// rim.
func shade(distance float64) [3]float64 {
	const half = 0.45
	if distance < half {
		return mix(bright, middle, distance/half)
	}
	return mix(middle, dark, min(1, (distance-half)/(1-half)))
}

func mix(from, to [3]float64, part float64) [3]float64 {
	for i := range from {
		from[i] += (to[i] - from[i]) * part
	}
	return from
}
