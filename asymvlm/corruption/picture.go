package corruption

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// A picture is an image with three channels of float64 values between 0 and 1.
type picture struct {
	width, height int
	values        []float64 // height×width×3 values
}

// channels is the number of values of a pixel: red, green, blue.
const channels = 3

// newPicture converts an image. Transparent parts are drawn on black.
func newPicture(source image.Image) (*picture, error) {
	bounds := source.Bounds()
	if bounds.Empty() {
		return nil, fmt.Errorf("corruption: image of %d×%d pixels", bounds.Dx(), bounds.Dy())
	}
	p := &picture{bounds.Dx(), bounds.Dy(), make([]float64, 0, bounds.Dx()*bounds.Dy()*channels)}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := source.At(x, y).RGBA()
			p.values = append(p.values, float64(r)/0xffff, float64(g)/0xffff, float64(b)/0xffff)
		}
	}
	return p, nil
}

// blank returns a black picture of the same size.
func (p *picture) blank() *picture {
	return &picture{p.width, p.height, make([]float64, len(p.values))}
}

// at returns the value of a channel at (x, y).
func (p *picture) at(x, y, channel int) float64 { return p.values[(y*p.width+x)*channels+channel] }

// image returns the picture rounded to eight bits, with values clamped to 0 … 1.
func (p *picture) image() *image.NRGBA {
	result := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	level := func(value float64) uint8 { return uint8(math.Round(min(max(value, 0), 1) * 255)) }
	for i := range p.width * p.height {
		v := p.values[i*channels:]
		result.SetNRGBA(i%p.width, i/p.width, color.NRGBA{level(v[0]), level(v[1]), level(v[2]), 255})
	}
	return result
}

// each replaces each value by f of it.
func (p *picture) each(f func(value float64) float64) *picture {
	for i, value := range p.values {
		p.values[i] = f(value)
	}
	return p
}

// sample adds weight times the bilinearly interpolated value at (x, y) to sum. Outside the picture
// is black, or the nearest border pixel if edge is set.
func (p *picture) sample(sum []float64, x, y, weight float64, edge bool) {
	x0, y0 := math.Floor(x), math.Floor(y)
	for dy := range 2 {
		for dx := range 2 {
			share := (1 - math.Abs(x-x0-float64(dx))) * (1 - math.Abs(y-y0-float64(dy))) * weight
			column, row := int(x0)+dx, int(y0)+dy
			if edge {
				column, row = min(max(column, 0), p.width-1), min(max(row, 0), p.height-1)
			}
			if share == 0 || column < 0 || row < 0 || column >= p.width || row >= p.height {
				continue
			}
			for c := range sum {
				sum[c] += share * p.at(column, row, c)
			}
		}
	}
}

// rotated returns the picture rotated about its center, counterclockwise, in the same size with
// black corners.
func (p *picture) rotated(degrees float64) *picture {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	result := p.blank()
	centerX, centerY := float64(p.width-1)/2, float64(p.height-1)/2
	for y := range p.height {
		for x := range p.width {
			dx, dy := float64(x)-centerX, float64(y)-centerY
			at := (y*p.width + x) * channels
			p.sample(result.values[at:at+channels], centerX+cos*dx-sin*dy, centerY+sin*dx+cos*dy, 1, false)
		}
	}
	return result
}

// pixelated averages the picture over a grid that is coarser by the factor c, and enlarges the
// result again.
//
// MM_Robustness exchanges width and height when it scales, which distorts pictures that are not
// square. This function does not.
func (p *picture) pixelated(c float64) *picture {
	width, height := max(int(float64(p.width)*c), 1), max(int(float64(p.height)*c), 1)
	coarse := &picture{width, height, make([]float64, width*height*channels)}
	for y := range height {
		rows := overlaps(y, p.height, height)
		for x := range width {
			at := (y*width + x) * channels
			columns := overlaps(x, p.width, width)
			for _, row := range rows {
				for _, column := range columns {
					for k := range channels {
						coarse.values[at+k] += row.part * column.part * p.at(column.cell, row.cell, k)
					}
				}
			}
		}
	}
	result := p.blank()
	for y := range p.height {
		for x := range p.width {
			at := (y*p.width + x) * channels
			from := ((2*y+1)*height/(2*p.height)*width + (2*x+1)*width/(2*p.width)) * channels // the grid cell of the pixel's center
			copy(result.values[at:at+channels], coarse.values[from:from+channels])
		}
	}
	return result
}

// An overlap is the fraction of a coarse cell that a fine cell covers.
type overlap struct {
	cell int
	part float64
}

// overlaps returns the fractions of coarse cell i that fine cells cover, which sum to 1. They are
// in the order of the cells, on which floating-point sums depend.
func overlaps(i, fine, coarse int) (parts []overlap) {
	ratio := float64(fine) / float64(coarse)
	from, to := float64(i)*ratio, float64(i+1)*ratio
	for cell := int(from); cell < fine && float64(cell) < to; cell++ {
		if part := min(to, float64(cell+1)) - max(from, float64(cell)); part > 0 {
			parts = append(parts, overlap{cell, part / ratio})
		}
	}
	return parts
}
