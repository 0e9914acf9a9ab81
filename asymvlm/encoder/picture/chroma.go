package picture

import "image"

// setYCbCr sets the pixels from a JPEG image. It upsamples chroma with libjpeg's triangle filter
// and converts to RGB with its integer formulas (jdsample.c and jdcolor.c of libjpeg-turbo).
func (p *Picture) setYCbCr(m *image.YCbCr) {
	cb := chroma{plane: m.Cb, stride: m.CStride}
	across, down := subsampling(m.SubsampleRatio)
	cb.width, cb.height = (p.Width+across-1)/across, (p.Height+down-1)/down
	cb.across, cb.down = across, down
	cr := cb
	cr.plane = m.Cr
	b := m.Bounds()
	row := [2][]int32{make([]int32, p.Width+across), make([]int32, p.Width+across)}
	for y := range p.Height {
		cb.row(row[0], y)
		cr.row(row[1], y)
		luma := m.Y[m.YOffset(b.Min.X, b.Min.Y+y):]
		dst := p.Pixels[3*y*p.Width:]
		for x := range p.Width {
			l, u, v := int32(luma[x]), row[0][x]-128, row[1][x]-128
			dst[3*x] = clip(l + (91881*v+32768)>>16)
			dst[3*x+1] = clip(l + (-22554*u-46802*v+32768)>>16)
			dst[3*x+2] = clip(l + (116130*u+32768)>>16)
		}
	}
}

// clip returns the value clamped to a byte.
func clip(v int32) byte { return byte(max(0, min(v, 255))) }

// subsampling returns the number of pixels per chroma sample in both directions.
func subsampling(ratio image.YCbCrSubsampleRatio) (across, down int) {
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// chroma is one of the two chroma planes.
type chroma struct {
	plane         []byte
	stride        int
	width, height int // in samples
	across, down  int // pixels per sample
	sums          []int32
}

// line returns a row of samples. For a row outside the plane it returns the nearest row.
func (c *chroma) line(y int) []byte {
	return c.plane[max(0, min(y, c.height-1))*c.stride:][:c.width]
}

// row sets dst to the chroma of a row of pixels. Dst must have at least one value more than the
// picture is wide. Between samples the value is three quarters of the nearer sample and one
// quarter of the other, with libjpeg's alternating rounding. Like libjpeg it repeats samples in
// very narrow pictures and for ratios other than 1 and 2.
func (c *chroma) row(dst []int32, y int) {
	near := c.line(y / c.down)
	smooth := c.across == 2 && c.width > 2
	switch {
	case c.across == 1 && c.down == 2, smooth && c.down == 2:
		far := c.line(y/2 - 1 + y%2*2)
		if c.across == 1 {
			for x, value := range near {
				dst[x] = (3*int32(value) + int32(far[x]) + 1 + int32(y%2)) >> 2
			}
			return
		}
		if len(c.sums) < c.width {
			c.sums = make([]int32, c.width)
		}
		for x, value := range near {
			c.sums[x] = 3*int32(value) + int32(far[x])
		}
		spread(dst, c.sums[:c.width], 8, 7, 4)
	case smooth && c.down == 1:
		if len(c.sums) < c.width {
			c.sums = make([]int32, c.width)
		}
		for x, value := range near {
			c.sums[x] = int32(value)
		}
		spread(dst, c.sums[:c.width], 1, 2, 2)
	default:
		for x := range dst {
			dst[x] = int32(near[min(x/c.across, c.width-1)])
		}
	}
}

// spread sets dst to twice as many values as src. Each is three quarters of the nearer value and
// one quarter of the other, rounded by before to the left of a sample and by after to its right,
// and divided by 2^shift. The first and the last value use one sample only.
func spread(dst, src []int32, before, after int32, shift uint) {
	last := len(src) - 1
	for x, value := range src {
		left, right := src[max(0, x-1)], src[min(last, x+1)]
		dst[2*x] = (3*value + left + before) >> shift
		dst[2*x+1] = (3*value + right + after) >> shift
	}
}
