package corruption

import (
	"math"
	"math/rand/v2"
)

// glazed displaces pixels by up to reach, as if seen through uneven glass: it blurs the picture,
// replaces each pixel by a nearby one in the given number of passes, and blurs again.
//
// The original means to exchange the two pixels, but its assignment of two NumPy views sets both to
// the same value. ImageNet-C was made in that way, and this function does the same.
func (p *picture) glazed(deviation float64, reach, passes int, random *rand.Rand) *picture {
	blurred := p.blurred(deviation)
	for i, value := range blurred.values {
		blurred.values[i] = math.Floor(value*255) / 255
	}
	for range passes {
		for y := p.height - reach; y > reach; y-- {
			for x := p.width - reach; x > reach; x-- {
				dx, dy := random.IntN(2*reach)-reach, random.IntN(2*reach)-reach
				copy(blurred.pixel(x, y), blurred.pixel(x+dx, y+dy))
			}
		}
	}
	return blurred.blurred(deviation)
}

// pixel returns the values of a pixel, which share the picture's memory.
func (p *picture) pixel(x, y int) []float64 {
	at := (y*p.width + x) * channels
	return p.values[at : at+channels : at+channels]
}

// stretched distorts a picture like rubber: by an affine map that moves three points by up to
// jitter pixels, and by smooth random displacements, which are uniform ones convolved with a
// Gaussian and multiplied by strength.
func (p *picture) stretched(strength, deviation, jitter float64, random *rand.Rand) *picture {
	back := randomAffine(p.width, p.height, jitter, random)
	shift := func() *plane {
		noise := newPlane(p.width, p.height)
		for i := range noise.values {
			noise.values[i] = 2*random.Float64() - 1
		}
		return noise.smoothed(deviation, 3, doubled)
	}
	dx, dy := shift(), shift()
	return p.perPlane(func(part *plane) *plane {
		moved := newPlane(p.width, p.height)
		for y := range p.height {
			for x := range p.width {
				fx, fy := float64(x), float64(y)
				moved.values[y*p.width+x] = part.at(back[0]*fx+back[1]*fy+back[2], back[3]*fx+back[4]*fy+back[5], mirror)
			}
		}
		result := newPlane(p.width, p.height)
		for i := range result.values {
			x, y := float64(i%p.width)+strength*dx.values[i], float64(i/p.width)+strength*dy.values[i]
			result.values[i] = moved.at(x, y, doubled)
		}
		return result
	})
}

// randomAffine returns the inverse of an affine map that moves three corners of a square in the
// middle, a third of the smaller side around it, by up to jitter in both directions: x ← a₀x + a₁y
// + a₂, y ← a₃x + a₄y + a₅.
func randomAffine(width, height int, jitter float64, random *rand.Rand) [6]float64 {
	centerX, centerY := float64(width/2), float64(height/2)
	size := float64(max(min(width, height)/3, 1))
	from := [3][2]float64{{centerX + size, centerY + size}, {centerX + size, centerY - size}, {centerX - size, centerY - size}}
	to := from
	for i := range to {
		for k := range to[i] {
			to[i][k] += jitter * (2*random.Float64() - 1)
		}
	}
	// The inverse maps the moved points back. It follows from Cramer's rule for the differences
	// from the first point.
	ux, uy := to[1][0]-to[0][0], to[1][1]-to[0][1]
	vx, vy := to[2][0]-to[0][0], to[2][1]-to[0][1]
	det := ux*vy - uy*vx
	var back [6]float64
	for k := range 2 {
		du, dv := from[1][k]-from[0][k], from[2][k]-from[0][k]
		back[3*k] = (du*vy - dv*uy) / det
		back[3*k+1] = (dv*ux - du*vx) / det
		back[3*k+2] = from[0][k] - back[3*k]*to[0][0] - back[3*k+1]*to[0][1]
	}
	return back
}

// saturated multiplies the saturation in the HSV color model by factor and adds more to it, clamped
// to 0 … 1. Hue and value are kept. A gray pixel counts as red, as in the original.
func (p *picture) saturated(factor, more float64) *picture {
	for i := 0; i < len(p.values); i += channels {
		pixel := p.values[i : i+channels]
		value, least := max(pixel[0], pixel[1], pixel[2]), min(pixel[0], pixel[1], pixel[2])
		if value == 0 {
			continue
		}
		before := (value - least) / value
		after := min(max(before*factor+more, 0), 1)
		for k, v := range pixel {
			switch {
			case before > 0:
				pixel[k] = value - (value-v)*after/before
			case k > 0:
				pixel[k] = value * (1 - after)
			}
		}
	}
	return p
}
