package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	_ "image/jpeg" // a format of Decode
	_ "image/png"  // a format of Decode

	_ "golang.org/x/image/bmp"  // a format of Decode
	_ "golang.org/x/image/webp" // a format of Decode

	"gosphere/internal/userfile"
)

// A Picture is an RGB picture with 8 bits per channel. The value at (x, y, channel) is
// Pixels[(y·Width+x)·3+channel].
type Picture struct {
	Width, Height int
	Pixels        []byte
}

// New returns a black picture.
func New(width, height int) *Picture {
	return &Picture{Width: width, Height: height, Pixels: make([]byte, 3*width*height)}
}

// mostPixels is the smallest number of pixels that is rejected, as in Pillow: a small file can
// claim to be enormous.
const mostPixels = 178_956_970

// Read decodes a file; see Decode. Errors name the file.
func Read(path string, orient bool) (*Picture, error) {
	data, err := userfile.ReadFile(path, userfile.Picture)
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	p, err := Decode(data, orient)
	if err != nil {
		return nil, fmt.Errorf("picture: %s: %w", path, err)
	}
	return p, nil
}

// Decode decodes a JPEG, PNG, GIF (the first frame), WebP or BMP. If orient is set, a JPEG is
// rotated according to its EXIF orientation, which the reference implementations of CLIP do not do.
// Other formats, malformed data and pictures of 178,956,970 pixels or more are errors.
func Decode(data []byte, orient bool) (*Picture, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("no JPEG, PNG, GIF, WebP or BMP: %w", err)
	}
	if config.Width < 1 || config.Height < 1 || config.Width > mostPixels/config.Height {
		return nil, fmt.Errorf("%s of %d×%d pixels, want 1 to %d", format, config.Width, config.Height, mostPixels)
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", format, err)
	}
	if format == "gif" {
		return firstFrame(data, decoded, config)
	}
	p := fromImage(decoded, format == "webp")
	if orient && format == "jpeg" {
		p = p.oriented(orientation(data))
	}
	return p, nil
}

// PixelsOf returns the number of pixels that a file claims to have, or 0 if Decode refuses it.
func PixelsOf(data []byte) int {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width < 1 || config.Height < 1 || config.Width > mostPixels/config.Height {
		return 0
	}
	return config.Width * config.Height
}

// IsPicture reports whether a file begins as a picture of one of the formats of Decode.
func IsPicture(head []byte) bool {
	for _, mark := range []string{"\xff\xd8", "\x89PNG\r\n\x1a\n", "GIF8", "BM"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

// FromImage converts an image to a picture. Transparency is dropped.
func FromImage(m image.Image) *Picture { return fromImage(m, false) }

// fromImage is like FromImage with the color conversion of WebP if webp is set.
func fromImage(m image.Image, webp bool) *Picture {
	b := m.Bounds()
	p := New(b.Dx(), b.Dy())
	switch m := m.(type) {
	case *image.YCbCr:
		if webp {
			p.setStudio(m)
		} else {
			p.setYCbCr(m)
		}
		return p
	case *image.NYCbCrA:
		p.setStudio(&m.YCbCr)
		return p
	}
	rgb := colorsOf(m)
	for y := range p.Height {
		row := p.Pixels[3*y*p.Width:]
		for x := range p.Width {
			row[3*x], row[3*x+1], row[3*x+2] = rgb(b.Min.X+x, b.Min.Y+y)
		}
	}
	return p
}

// colorsOf returns a function that returns the color of a pixel of an image, without transparency.
func colorsOf(m image.Image) func(x, y int) (r, g, b byte) {
	switch m := m.(type) {
	case *image.Gray:
		return func(x, y int) (r, g, b byte) {
			v := m.GrayAt(x, y).Y
			return v, v, v
		}
	case *image.Gray16: // Pillow clamps values that exceed 8 bits
		return func(x, y int) (r, g, b byte) {
			v := byte(min(m.Gray16At(x, y).Y, 255))
			return v, v, v
		}
	case *image.NRGBA:
		return func(x, y int) (r, g, b byte) {
			c := m.NRGBAAt(x, y)
			return c.R, c.G, c.B
		}
	case *image.NRGBA64: // the upper bytes
		return func(x, y int) (r, g, b byte) {
			c := m.NRGBA64At(x, y)
			return byte(c.R >> 8), byte(c.G >> 8), byte(c.B >> 8)
		}
	case *image.CMYK:
		return func(x, y int) (r, g, b byte) {
			c := m.CMYKAt(x, y)
			return inked(c.C, c.K), inked(c.M, c.K), inked(c.Y, c.K)
		}
	case *image.Paletted:
		colors := make([][3]byte, 256)
		for i, c := range m.Palette {
			n := plain(c)
			colors[i] = [3]byte{n.R, n.G, n.B}
		}
		return func(x, y int) (r, g, b byte) {
			c := colors[m.ColorIndexAt(x, y)]
			return c[0], c[1], c[2]
		}
	}
	return func(x, y int) (r, g, b byte) {
		c := plain(m.At(x, y))
		return c.R, c.G, c.B
	}
}

// plain returns a color as it was stored, before multiplication with its transparency.
func plain(c color.Color) color.NRGBA {
	if n, ok := c.(color.NRGBA); ok { // the color model would lose the color of transparent pixels
		return n
	}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}

// inked returns the intensity of a channel printed with ink and black, with Pillow's rounding.
func inked(ink, black byte) byte {
	light := int(255 - black)
	product := int(ink)*light + 128
	return byte(max(0, light-(product>>8+product)>>8))
}

// firstFrame returns the first frame of a GIF on its canvas, which may be larger.
func firstFrame(data []byte, decoded image.Image, config image.Config) (*Picture, error) {
	if b := decoded.Bounds(); b.Dx() == config.Width && b.Dy() == config.Height {
		return fromImage(decoded, false), nil
	}
	p := New(config.Width, config.Height)
	all, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("gif: %w", err)
	}
	if palette, ok := all.Config.ColorModel.(color.Palette); ok && int(all.BackgroundIndex) < len(palette) {
		c := plain(palette[all.BackgroundIndex])
		for i := 0; i < len(p.Pixels); i += 3 {
			p.Pixels[i], p.Pixels[i+1], p.Pixels[i+2] = c.R, c.G, c.B
		}
	}
	b := decoded.Bounds()
	frame := fromImage(decoded, false)
	for y := range frame.Height {
		for x := range frame.Width {
			if at := (image.Point{X: b.Min.X + x, Y: b.Min.Y + y}); at.In(image.Rect(0, 0, p.Width, p.Height)) {
				copy(p.Pixels[3*(at.Y*p.Width+at.X):], frame.Pixels[3*(y*frame.Width+x):][:3])
			}
		}
	}
	return p, nil
}
