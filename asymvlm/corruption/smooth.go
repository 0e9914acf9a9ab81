package corruption

import "math"

// A border maps an index outside 0 … length−1 to one inside. See also mirror, which does not repeat
// the border.
type border func(i, length int) int

// nearest repeats the border pixel.
func nearest(i, length int) int { return min(max(i, 0), length-1) }

// doubled mirrors with the border pixel repeated: … b a | a b c … c | c b …
func doubled(i, length int) int {
	period := 2 * length
	i = ((i % period) + period) % period
	return min(i, period-1-i)
}

// smoothed returns the convolution of the plane with a Gaussian, truncated after cut standard
// deviations.
func (p *plane) smoothed(deviation, cut float64, outside border) *plane {
	reach := int(cut*deviation + 0.5)
	weights := gaussianWeights(reach, deviation)
	half := newPlane(p.width, p.height)
	for y := range p.height {
		row, out := p.values[y*p.width:(y+1)*p.width], half.values[y*p.width:(y+1)*p.width]
		for x := range out {
			for k, weight := range weights {
				out[x] += weight * row[outside(x+k-reach, p.width)]
			}
		}
	}
	result := newPlane(p.width, p.height)
	for y := range p.height {
		out := result.values[y*p.width : (y+1)*p.width]
		for k, weight := range weights {
			row := half.values[outside(y+k-reach, p.height)*p.width:]
			for x := range out {
				out[x] += weight * row[x]
			}
		}
	}
	return result
}

// A plane is one channel.
type plane struct {
	width, height int
	values        []float64
}

func newPlane(width, height int) *plane {
	return &plane{width, height, make([]float64, width*height)}
}

// planes returns the channels of the picture.
func (p *picture) planes() [channels]*plane {
	var parts [channels]*plane
	for c := range parts {
		parts[c] = newPlane(p.width, p.height)
		for i := range parts[c].values {
			parts[c].values[i] = p.values[i*channels+c]
		}
	}
	return parts
}

// perPlane returns the picture with change applied to each channel.
func (p *picture) perPlane(change func(*plane) *plane) *picture {
	result := p.blank()
	for c, part := range p.planes() {
		for i, value := range change(part).values {
			result.values[i*channels+c] = value
		}
	}
	return result
}

// blurred convolves with a Gaussian like scikit-image, truncated after four standard deviations and
// with the border repeated.
func (p *picture) blurred(deviation float64) *picture {
	return p.perPlane(func(part *plane) *plane { return part.smoothed(deviation, 4, nearest) })
}

// trailed gives each pixel a trail in one direction whose weights are half a Gaussian, like
// ImageMagick's motion blur: 2·radius + 1 points, one pixel apart.
func (p *plane) trailed(radius int, deviation, degrees float64) *plane {
	length := 2*radius + 1
	weights, sum := make([]float64, length), 0.0
	for i := range weights {
		weights[i] = math.Exp(-float64(i*i) / (2 * deviation * deviation))
		sum += weights[i]
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	result := newPlane(p.width, p.height)
	for i, weight := range weights {
		dx, dy := int(math.Ceil(float64(i)*cos-0.5)), int(math.Ceil(float64(i)*sin-0.5))
		for y := range p.height {
			row := p.values[nearest(y+dy, p.height)*p.width:]
			for x := range p.width {
				result.values[y*p.width+x] += weight / sum * row[nearest(x+dx, p.width)]
			}
		}
	}
	return result
}

// at returns the bilinearly interpolated value at (x, y).
func (p *plane) at(x, y float64, outside border) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	fx, fy := x-x0, y-y0
	left, right := outside(int(x0), p.width), outside(int(x0)+1, p.width)
	above, below := p.values[outside(int(y0), p.height)*p.width:], p.values[outside(int(y0)+1, p.height)*p.width:]
	return (1-fy)*((1-fx)*above[left]+fx*above[right]) + fy*((1-fx)*below[left]+fx*below[right])
}

// enlarged returns the center of the plane, enlarged by a factor to the size of the plane. Border
// values are mapped to border values, as in SciPy's zoom.
func (p *plane) enlarged(factor float64) *plane {
	cut := func(size int) (crop, top, whole, trim int) {
		crop = int(math.Ceil(float64(size) / factor))
		top = (size - crop) / 2
		whole = max(int(math.Round(float64(crop)*factor)), size)
		return crop, top, whole, (whole - size) / 2
	}
	place := func(i, size int) float64 {
		crop, top, whole, trim := cut(size)
		return float64(top) + float64(i+trim)*float64(crop-1)/float64(max(whole-1, 1))
	}
	result := newPlane(p.width, p.height)
	for y := range p.height {
		for x := range p.width {
			result.values[y*p.width+x] = p.at(place(x, p.width), place(y, p.height), nearest)
		}
	}
	return result
}
