package corruption

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A snowfall holds the settings of one severity. The flakes are normal noise, enlarged, set to 0
// below a threshold, and motion-blurred; the picture is blended with a whitened one.
type snowfall struct {
	location, scale, zoom, threshold float64
	radius                           int
	deviation, blend                 float64
}

var snowfalls = [severities]snowfall{
	{.1, .3, 3, .5, 10, 4, .8}, {.2, .3, 2, .5, 12, 4, .7}, {.55, .3, 4, .9, 12, 8, .7}, {.55, .3, 4.5, .85, 12, 8, .65},
	{.55, .3, 2.5, .85, 12, 12, .55},
}

// snowed adds flakes, and the same flakes rotated by 180 degrees, to a picture whitened by its gray
// values.
func (p *picture) snowed(degree int, random *rand.Rand) *picture {
	c := snowfalls[degree]
	layer := newPlane(p.width, p.height)
	for i := range layer.values {
		layer.values[i] = c.location + c.scale*random.NormFloat64()
	}
	layer = layer.enlarged(c.zoom)
	for i, value := range layer.values {
		if value < c.threshold {
			value = 0
		}
		layer.values[i] = math.Floor(min(max(value, 0), 1)*255) / 255 // the original converts to an eight-bit image
	}
	layer = layer.trailed(c.radius, c.deviation, -135+90*random.Float64())
	last := len(layer.values) - 1
	for i, flake := range layer.values {
		pixel := p.values[i*channels : (i+1)*channels]
		white := 1.5*(.299*pixel[0]+.587*pixel[1]+.114*pixel[2]) + .5
		for k, value := range pixel {
			pixel[k] = c.blend*value + (1-c.blend)*max(value, white) + flake + layer.values[last-i]
		}
	}
	return p
}

// fogged adds clouds of the given strength and scales the sum back to the picture's largest value.
func (p *picture) fogged(strength, decay float64, random *rand.Rand) *picture {
	brightest := slices.Max(p.values)
	layer := plasma(max(p.width, p.height), decay, random)
	for y := range p.height {
		for x := range p.width {
			pixel := p.values[(y*p.width+x)*channels:]
			for k := range channels {
				pixel[k] = (pixel[k] + strength*layer.values[y*layer.width+x]) * brightest / (brightest + strength)
			}
		}
	}
	return p
}

// plasma returns a square of clouds between 0 and 1, whose side is the next power of two, by the
// diamond-square algorithm on a torus. The centers of squares and then of diamonds get the mean of
// their corners plus noise, which is w² times uniform; w starts at 100 and is divided by decay at
// each halving.
func plasma(size int, decay float64, random *rand.Rand) *plane {
	side := 1 << bits.Len(uint(max(size, 2)-1))
	clouds := newPlane(side, side)
	value := func(x, y int) *float64 { return &clouds.values[(y&(side-1))*side+x&(side-1)] }
	wibble := 100.0
	mean := func(a, b, c, d float64) float64 { return (a+b+c+d)/4 + wibble*wibble*(2*random.Float64()-1) }
	for step := side; step >= 2; step /= 2 {
		half := step / 2
		for y := 0; y < side; y += step {
			for x := 0; x < side; x += step {
				*value(x+half, y+half) = mean(*value(x, y), *value(x+step, y), *value(x, y+step), *value(x+step, y+step))
			}
		}
		for y := 0; y < side; y += step {
			for x := 0; x < side; x += step {
				*value(x+half, y) = mean(*value(x, y), *value(x+step, y), *value(x+half, y-half), *value(x+half, y+half))
				*value(x, y+half) = mean(*value(x, y), *value(x, y+step), *value(x-half, y+half), *value(x+half, y+half))
			}
		}
		wibble /= decay
	}
	low, high := slices.Min(clouds.values), slices.Max(clouds.values)
	for i, v := range clouds.values {
		clouds.values[i] = (v - low) / max(high-low, math.SmallestNonzeroFloat64)
	}
	return clouds
}

// frosted adds a layer of frost with the original's weights. The original uses six photographs of
// frost. This layer is drawn, so that results are not comparable with published ones for frost.
func (p *picture) frosted(keep, weight float64, random *rand.Rand) *picture {
	layer := frostLayer(p.width, p.height, random)
	tint := [channels]float64{0.88, 0.96, 1}
	for i, frost := range layer.values {
		for k := range channels {
			at := i*channels + k
			p.values[at] = keep*p.values[at] + weight*tint[k]*frost
		}
	}
	return p
}

// The appearance of the frost: one feather per number of pixels, in three generations of needles.
const (
	pixelsPerFeather = 260
	generations      = 3
)

// frostLayer draws feathers of ice on clouds, between 0 and 1.
func frostLayer(width, height int, random *rand.Rand) *plane {
	clouds := plasma(max(width, height), 1.7, random)
	layer := newPlane(width, height)
	for range 1 + width*height/pixelsPerFeather {
		x, y := random.Float64()*float64(width), random.Float64()*float64(height)
		layer.needle(needle{x, y, 2 * math.Pi * random.Float64(), 8 + 32*random.Float64()}, generations, random)
	}
	layer = layer.smoothed(0.7, 3, nearest)
	for y := range height {
		for x := range width {
			at := y*width + x
			cloud := clouds.values[y*clouds.width+x]
			layer.values[at] = min(1, 0.45*cloud+0.8*min(layer.values[at], 1)*(0.3+0.7*cloud))
		}
	}
	return layer
}

// A needle is a line from a point at an angle.
type needle struct{ x, y, angle, length float64 }

// needle draws a needle that tapers off, with smaller needles on both sides at 60 degrees, the
// angle of ice crystals.
func (p *plane) needle(n needle, generation int, random *rand.Rand) {
	sin, cos := math.Sincos(n.angle)
	for at := 0.0; at < n.length; at++ {
		x, y := int(math.Round(n.x+at*cos)), int(math.Round(n.y+at*sin))
		if x >= 0 && y >= 0 && x < p.width && y < p.height {
			p.values[y*p.width+x] += 1 - 0.7*at/n.length
		}
		if generation > 1 && int(at)%4 == 2 {
			for _, side := range []float64{-1, 1} {
				length := (n.length - at) * (0.2 + 0.3*random.Float64())
				p.needle(needle{n.x + at*cos, n.y + at*sin, n.angle + side*math.Pi/3, length}, generation-1, random)
			}
		}
	}
}
