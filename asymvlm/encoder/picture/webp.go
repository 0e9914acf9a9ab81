package picture

import "image"

// setStudio sets the pixels from a lossy WebP, whose values are in the video range (16 to 235),
// with libwebp's interpolation of chroma and its conversion (upsampling.c and yuv.h).
func (p *Picture) setStudio(m *image.YCbCr) {
	samples := (p.Width + 1) / 2
	u, v := [2][]int32{}, [2][]int32{}
	for i := range 2 {
		u[i], v[i] = make([]int32, p.Width), make([]int32, p.Width)
	}
	b := m.Bounds()
	plane := func(plane []byte, y int) []byte { return plane[y*m.CStride:][:samples] }
	last := (p.Height+1)/2 - 1
	for y := -1; y < p.Height; y += 2 { // rows y and y+1 lie between two rows of samples
		top, bottom := max(0, y/2), min((y+1)/2, last)
		if y < 0 {
			top = 0
		}
		between(u, plane(m.Cb, top), plane(m.Cb, bottom))
		between(v, plane(m.Cr, top), plane(m.Cr, bottom))
		for i := range 2 {
			if y+i < 0 || y+i >= p.Height {
				continue
			}
			luma := m.Y[m.YOffset(b.Min.X, b.Min.Y+y+i):]
			dst := p.Pixels[3*(y+i)*p.Width:]
			for x := range p.Width {
				l := int32(luma[x]) * 19077 >> 8
				dst[3*x] = clip((l + v[i][x]*26149>>8 - 14234) >> 6)
				dst[3*x+1] = clip((l - u[i][x]*6419>>8 - v[i][x]*13320>>8 + 8708) >> 6)
				dst[3*x+2] = clip((l + u[i][x]*33050>>8 - 17685) >> 6)
			}
		}
	}
}

// between sets two rows of pixels between two rows of samples: 9/16 of the nearest sample, 3/16 of
// each adjacent one and 1/16 of the opposite one, rounded like libwebp.
func between(dst [2][]int32, top, bottom []byte) {
	width := len(dst[0])
	a, c := int32(top[0]), int32(bottom[0])
	dst[0][0], dst[1][0] = (3*a+c+2)>>2, (3*c+a+2)>>2
	for x := 1; x <= (width-1)/2; x++ {
		b, d := int32(top[x]), int32(bottom[x])
		sum := a + b + c + d + 8
		falling, rising := (sum+2*(b+c))>>3, (sum+2*(a+d))>>3
		dst[0][2*x-1], dst[0][2*x] = (falling+a)>>1, (rising+b)>>1
		dst[1][2*x-1], dst[1][2*x] = (rising+c)>>1, (falling+d)>>1
		a, c = b, d
	}
	if width%2 == 0 {
		dst[0][width-1], dst[1][width-1] = (3*a+c+2)>>2, (3*c+a+2)>>2
	}
}
