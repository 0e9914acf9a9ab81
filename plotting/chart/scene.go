package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"gosphere/plotting/colormap"
	"gosphere/plotting/figure"
)

// A scene is a chart after its statistics: marks at positions of two axes. All renderers draw it.
type scene struct {
	title, note   string
	width, height int
	panels        []string // names of the panels, or nil for one without a name
	across        int
	axes          [2]axis
	parts         []*part
	colors        []string // names of colors, in order
	colorTitle    string
	shades        *scaleOf // numbers as colors
	sizes         *scaleOf // numbers as areas
	brush         bool     // dragging chooses rows
	small         bool     // beside another chart
	suffix        string   // of the fields of the specification
}

// A scaleOf is the range of a channel of numbers.
type scaleOf struct {
	title     string
	low, high float64
}

// An axis maps numbers, times or indices of names to lengths.
type axis struct {
	title     string
	kind      kind
	known     bool // a layer uses it
	hidden    bool // it has no labels
	log       bool
	reversed  bool
	zero      bool // marks begin at 0
	labeled   bool // texts are at the ends of marks
	low, high float64
	names     []string
	zone      *time.Location
	room      float64 // of a names axis above its last name
}

// A shape is what renderers draw.
type shape string

const (
	points shape = "point"
	lines  shape = "line"
	areas  shape = "area" // between (x, y) and (x, y2), or (x, y) and (x2, y) if horizontal
	rects  shape = "rect"
	rules  shape = "rule" // from (x, y) to (x2, y2)
	texts  shape = "text"
	wedges shape = "wedge" // of a circle, between the angles x and x2 from the top, clockwise
)

// A part holds the marks of one shape of a layer.
type part struct {
	shape      shape
	items      []item
	color      *color.RGBA // of all items; nil if they have their own
	opacity    float64
	width      float64 // of lines, in CSS pixels
	size       float64 // of points without sizes, in square CSS pixels
	step       bool
	horizontal bool
	dashed     bool
	rim        bool     // a white line around the shape
	dx, dy     float64  // offset of texts in CSS pixels, upward
	align      float64  // of texts: -0.5 centered, 0 to the right, -1 to the left of the position
	bold       bool     // texts
	tips       []string // titles of the texts under the pointer
}

// An item is one mark, or one point of a line or area. The positions are in the units of the axes.
type item struct {
	panel        int // -1 for all panels
	series       int // index of its color, -1 for none
	shade        float64
	size         float64 // in the unit of the channel
	x, y, x2, y2 float64
	path         int // items of a line or area have the same
	row          int // of the data, -1 for several
	label        string
	tips         []string
}

// seriesColor returns the color of the i-th name. The eighth and later ones are lighter and darker
// forms of the first.
func seriesColor(i int) color.RGBA {
	c := colormap.Category(max(i, 0))
	mix := func(to, share float64) color.RGBA {
		m := func(x uint8) uint8 { return uint8(math.Round(float64(x) + (to-float64(x))*share)) }
		return color.RGBA{m(c.R), m(c.G), m(c.B), 0xff}
	}
	switch i / colormap.Categories {
	case 1:
		return mix(255, 0.55)
	case 2:
		return mix(0, 0.45)
	}
	return c
}

// mostColors is the number of names that have different colors.
const mostColors = 3 * colormap.Categories

// shadeOf returns the color of a number. The scale leaves out the palest shades, which cannot be
// seen on white, and numbers on both sides of 0 have a scale around 0.
func (s *scaleOf) shadeOf(x float64) color.RGBA {
	if s.low < 0 && s.high > 0 {
		most := max(-s.low, s.high)
		return colormap.Balance.At(0.5 + x/most/2)
	}
	if s.high == s.low {
		return colormap.Density.At(0.75)
	}
	const palest = 0.12
	return colormap.Density.At(palest + (1-palest)*(x-s.low)/(s.high-s.low))
}

// domain returns the ends of the scale.
func (s *scaleOf) domain() (low, high float64) {
	if s.low < 0 && s.high > 0 {
		most := max(-s.low, s.high)
		return -most, most
	}
	return s.low, s.high
}

// colorOf returns the color of an item.
func (s *scene) colorOf(p *part, i item) color.RGBA {
	switch {
	case p.color != nil:
		return *p.color
	case s.shades != nil && !math.IsNaN(i.shade):
		return s.shades.shadeOf(i.shade)
	}
	return seriesColor(i.series)
}

// largestPoint and smallestPoint are areas of points in square CSS pixels.
const largestPoint, smallestPoint = 380.0, 6.0

// areaOf returns the area of a point in square CSS pixels.
func (s *scene) areaOf(p *part, i item) float64 {
	if s.sizes == nil || math.IsNaN(i.size) || s.sizes.high <= 0 {
		return p.size
	}
	return max(smallestPoint, largestPoint*i.size/s.sizes.high)
}

// fit sets the ends of the axes from the items.
func (s *scene) fit(options [2]axisOptions) error {
	for k := range s.axes {
		a := &s.axes[k]
		if !a.known {
			a.low, a.high = -0.5, 0.5
			continue
		}
		if a.kind == names {
			a.low, a.high = -0.5, float64(len(a.names))-0.5+a.room
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range s.parts {
			for _, i := range p.items {
				for _, at := range [2][2]float64{{i.x, i.x2}, {i.y, i.y2}}[k] {
					if math.IsNaN(at) || math.IsInf(at, 0) {
						continue
					}
					if a.log && at <= 0 {
						return fmt.Errorf("%s is %s; a logarithmic axis has positive numbers only", a.title, numberText(at))
					}
					low, high = min(low, at), max(high, at)
				}
			}
		}
		if low > high {
			low, high = 0, 1
		}
		a.low, a.high = low, high
		a.pad()
		if o := options[k]; o.low != o.high {
			a.low, a.high = o.low, o.high
		}
	}
	return nil
}

// pad adds some room at the ends of an axis, but not where marks begin at 0.
func (a *axis) pad() {
	low, high := a.low, a.high
	if a.log {
		low, high = math.Log10(low), math.Log10(high)
	}
	room := 0.04 * (high - low)
	if room == 0 {
		room = max(0.5, math.Abs(high)*0.05)
		if a.kind == times {
			room = 12 * 3600
		}
		if a.log {
			room = 0.3
		}
	}
	if !a.zero || low != 0 {
		low -= room
	}
	if !a.zero || high != 0 {
		high += room
	}
	if a.labeled {
		high += 1.5 * room
	}
	if a.log {
		low, high = math.Pow(10, low), math.Pow(10, high)
	}
	a.low, a.high = low, high
}

// share returns a position as a share of the length of the axis.
func (a *axis) share(x float64) float64 {
	low, high := a.low, a.high
	if a.log {
		low, high, x = math.Log(low), math.Log(high), math.Log(x)
	}
	at := (x - low) / (high - low)
	if a.reversed {
		return 1 - at
	}
	return at
}

// count returns the number of items.
func (s *scene) count() int {
	n := 0
	for _, p := range s.parts {
		n += len(p.items)
	}
	return n
}

// series returns the lines of the scene.
func (s *scene) series() []figure.Series {
	var list []figure.Series
	for _, p := range s.parts {
		if p.shape != lines {
			continue
		}
		items := slices.Clone(p.items)
		at := map[int]int{}
		for _, i := range items {
			k, seen := at[i.series]
			if !seen {
				k = len(list)
				at[i.series] = k
				name := ""
				if i.series >= 0 {
					name = s.colors[i.series]
				}
				list = append(list, figure.Series{Name: name})
			}
			list[k].X = append(list[k].X, i.x)
			list[k].Values = append(list[k].Values, i.y)
		}
	}
	return list
}
