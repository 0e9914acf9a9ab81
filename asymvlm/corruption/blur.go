package corruption

import "math"

// defocused convolves the picture with a disk of the given radius whose edge is softened by a
// Gaussian with the given standard deviation, as ImageNet-C does. Up to a radius of 8 the disk is
// drawn on a grid of 17×17 and softened over 3×3; larger disks have a grid of their own size and
// are softened over 5×5. If the disk touches the border of its grid, the softening mirrors it, so
// that the sum of the kernel is not exactly 1. The original does the same.
func (p *picture) defocused(radius int, deviation float64) *picture {
	reach, soft := 8, 1
	if radius > reach {
		reach, soft = radius, 2
	}
	side := 2*reach + 1
	disk, total := make([]float64, side*side), 0.0
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			if x*x+y*y <= radius*radius {
				disk[(y+reach)*side+x+reach] = 1
				total++
			}
		}
	}
	kernel := make([]float64, side*side)
	weights := gaussianWeights(soft, deviation)
	for y := range side {
		for x := range side {
			for dy := -soft; dy <= soft; dy++ {
				for dx := -soft; dx <= soft; dx++ {
					value := disk[mirror(y+dy, side)*side+mirror(x+dx, side)] / total
					kernel[y*side+x] += weights[dy+soft] * weights[dx+soft] * value
				}
			}
		}
	}
	return p.convolved(kernel, reach)
}

// gaussianWeights returns the weights of a Gaussian at −reach … reach, normalized to sum 1.
func gaussianWeights(reach int, deviation float64) []float64 {
	weights, sum := make([]float64, 2*reach+1), 0.0
	for i := range weights {
		x := float64(i - reach)
		weights[i] = math.Exp(-x * x / (2 * deviation * deviation))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// mirror reflects an index into 0 … length−1 without repeating the border, as often as needed.
func mirror(i, length int) int {
	if length == 1 {
		return 0
	}
	period := 2 * (length - 1)
	i = ((i % period) + period) % period
	return min(i, period-i)
}

// convolved returns the convolution of the picture with a kernel of side 2·reach+1. Pixels outside
// are mirrored.
func (p *picture) convolved(kernel []float64, reach int) *picture {
	side := 2*reach + 1
	result := p.blank()
	columns := make([]int, p.width+2*reach)
	for i := range columns {
		columns[i] = mirror(i-reach, p.width) * channels
	}
	for y := range p.height {
		out := result.values[y*p.width*channels:]
		for dy := range side {
			row := p.values[mirror(y+dy-reach, p.height)*p.width*channels:]
			for dx := range side {
				weight := kernel[dy*side+dx]
				if weight == 0 {
					continue
				}
				for x := range p.width {
					from, at := columns[x+dx], x*channels
					out[at] += weight * row[from]
					out[at+1] += weight * row[from+1]
					out[at+2] += weight * row[from+2]
				}
			}
		}
	}
	return result
}

// zoomFactors returns 1, 1+step, … below last. It counts like NumPy's arange, with a division in
// float64, so that the first and the fifth severity include a factor that exact arithmetic would
// exclude.
func zoomFactors(step, last float64) []float64 {
	factors := make([]float64, int(math.Ceil((last-1)/step)))
	for i := range factors {
		factors[i] = 1 + float64(i)*step
	}
	return factors
}

// zoomed returns the mean of the picture and its enlargements about the center. As in the original,
// the picture counts in addition to the enlargement by 1.
func (p *picture) zoomed(factors []float64) *picture {
	result := p.blank()
	copy(result.values, p.values)
	centerX, centerY := float64(p.width-1)/2, float64(p.height-1)/2
	for _, factor := range factors {
		for y := range p.height {
			for x := range p.width {
				at := (y*p.width + x) * channels
				p.sample(result.values[at:at+channels], centerX+(float64(x)-centerX)/factor,
					centerY+(float64(y)-centerY)/factor, 1, true)
			}
		}
	}
	return result.each(func(value float64) float64 { return value / float64(len(factors)+1) })
}
