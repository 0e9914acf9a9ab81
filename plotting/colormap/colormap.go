// Package colormap defines the colors of this project's figures: a table for named things and
// continuous maps for numbers.
//
// The maps interpolate linearly between a few anchors in Oklab, a color space in which equal steps
// look equal (B. Ottosson, A perceptual color space for image processing, 2020). Their lightness
// changes evenly, so that a figure remains readable in gray print and for readers with a color
// vision deficiency. The package does not depend on figures.
//
//	c := colormap.Density.At(0.7)
//	line.Color = colormap.Category(2)
package colormap

import (
	"image/color"
	"math"
)

// categories are the colors of Okabe and Ito (Color Universal Design, 2008) without yellow, which
// is too light for a thin line on white. They are ordered so that neighbors differ most.
var categories = []color.RGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x00, 0x00, 0x00, 0xFF}, // black
}

// Categories is the number of different colors that Category returns.
const Categories = 7

// Category returns the color of the i-th named thing. The colors repeat with period Categories, for
// negative i as well.
func Category(i int) color.RGBA {
	return categories[((i%Categories)+Categories)%Categories]
}

// The grays of figures: text, secondary text, axes, and grid lines.
var (
	Ink  = color.RGBA{0x22, 0x22, 0x22, 0xFF}
	Soft = color.RGBA{0x66, 0x66, 0x66, 0xFF}
	Axis = color.RGBA{0x99, 0x99, 0x99, 0xFF}
	Grid = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF}
)

// Translucent returns the color with an opacity between 0 and 1. Other opacities are clamped.
func Translucent(c color.RGBA, opacity float64) color.NRGBA {
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(255 * min(max(opacity, 0), 1)))}
}

// A Map maps numbers between 0 and 1 to colors.
type Map struct {
	Name  string
	table [256]color.RGBA
}

// The maps. Density ranges from paper white to navy, for densities and counts; Heat from near black
// to pale yellow, for images; Balance from blue through white to vermilion, for numbers around a
// center.
var (
	Density = newMap("density", lch{0.985, 0.004, 100}, lch{0.82, 0.075, 205}, lch{0.62, 0.115, 235}, lch{0.43, 0.125, 255}, lch{0.26, 0.085, 265})
	Heat    = newMap("heat", lch{0.14, 0.03, 290}, lch{0.34, 0.14, 320}, lch{0.54, 0.19, 20}, lch{0.75, 0.155, 60}, lch{0.96, 0.07, 105})
	Balance = newMap("balance", lch{0.38, 0.125, 250}, lch{0.66, 0.11, 240}, lch{0.97, 0.003, 100}, lch{0.70, 0.13, 50}, lch{0.45, 0.14, 40})
)

// At returns the color for t. Values outside [0, 1] are clamped, and NaN counts as 0.
func (m *Map) At(t float64) color.RGBA {
	if math.IsNaN(t) {
		t = 0
	}
	return m.table[int(math.Round(255*min(max(t, 0), 1)))]
}

// Colors returns n evenly spaced colors from one end of the map to the other.
func (m *Map) Colors(n int) []color.RGBA {
	colors := make([]color.RGBA, n)
	for i := range colors {
		colors[i] = m.At(float64(i) / float64(max(n-1, 1)))
	}
	return colors
}

// lch is a color of Oklab in polar form: lightness 0 … 1, chroma, hue in degrees.
type lch struct{ L, C, H float64 }

// newMap returns a map that interpolates linearly between the anchors.
func newMap(name string, anchors ...lch) *Map {
	m := &Map{Name: name}
	for i := range m.table {
		position := float64(i) / 255 * float64(len(anchors)-1)
		k := min(int(position), len(anchors)-2)
		share := position - float64(k)
		from, to := anchors[k].lab(), anchors[k+1].lab()
		var mixed [3]float64
		for j := range mixed {
			mixed[j] = from[j] + share*(to[j]-from[j])
		}
		m.table[i] = fromOklab(mixed)
	}
	return m
}

func (c lch) lab() [3]float64 {
	sin, cos := math.Sincos(c.H * math.Pi / 180)
	return [3]float64{c.L, c.C * cos, c.C * sin}
}

// fromOklab converts to sRGB with the matrices of Ottosson's article. Colors outside sRGB are
// clipped per channel.
func fromOklab(lab [3]float64) color.RGBA {
	cube := func(x float64) float64 { return x * x * x }
	l := cube(lab[0] + 0.3963377774*lab[1] + 0.2158037573*lab[2])
	m := cube(lab[0] - 0.1055613458*lab[1] - 0.0638541728*lab[2])
	s := cube(lab[0] - 0.0894841775*lab[1] - 1.2914855480*lab[2])
	return color.RGBA{
		encode(+4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		encode(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		encode(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		0xFF,
	}
}

// encode applies the transfer curve of sRGB (IEC 61966-2-1) to a linear channel.
func encode(x float64) uint8 {
	x = min(max(x, 0), 1)
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * x))
}
