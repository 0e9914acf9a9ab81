package figure

import (
	"image"
	"image/color"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// page is a PDF canvas that corrects three defects of gonum's. It draws letters as outlines,
// because gonum writes text in code page 1252, which lacks κ, and loses bold fonts; as a
// consequence text cannot be searched, but looks the same everywhere. It also gives translucent
// colors their full hue, and draws images the right side up.
type page struct{ *vgpdf.Canvas }

// SetColor implements vg.Canvas. gonum uses the channels of RGBA, which are already multiplied by
// the opacity, and applies the opacity again.
func (c page) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.Canvas.SetColor(full{color.NRGBA64Model.Convert(clr).(color.NRGBA64)})
}

// full is a color whose RGBA method does not multiply the channels by the opacity.
type full struct{ c color.NRGBA64 }

// RGBA implements color.Color as vgpdf expects it.
func (f full) RGBA() (r, g, b, a uint32) {
	return uint32(f.c.R), uint32(f.c.G), uint32(f.c.B), uint32(f.c.A)
}

// DrawImage implements vg.Canvas. The canvas has y upward, and gonum draws images upside down.
func (c page) DrawImage(rect vg.Rectangle, picture image.Image) {
	bounds := picture.Bounds()
	flipped := image.NewNRGBA(bounds)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			flipped.Set(x, bounds.Min.Y+bounds.Max.Y-1-y, picture.At(x, y))
		}
	}
	c.Canvas.DrawImage(rect, flipped)
}

// FillString implements vg.Canvas.
func (c page) FillString(face font.Face, at vg.Point, text string) { fillLetters(c, face, at, text) }

// fillLetters draws the outlines of letters that start at a point on the baseline.
func fillLetters(c vg.Canvas, face font.Face, at vg.Point, text string) {
	const unitsPerPoint = 64 // fixed.Int26_6
	// A large size keeps the rounding of outlines to 1/64 invisible in print.
	const drawn = 1000
	scale := float64(face.Font.Size) / drawn / unitsPerPoint
	point := func(x, y fixed.Int26_6, advance float64) vg.Point {
		// Font outlines have y downward, the canvas has it upward.
		return vg.Point{X: at.X + vg.Length(advance+float64(x)*scale), Y: at.Y - vg.Length(float64(y)*scale)}
	}
	var buffer sfnt.Buffer
	var letters vg.Path
	advance := 0.0
	for _, letter := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, letter)
		if err != nil {
			continue
		}
		segments, err := face.Face.LoadGlyph(&buffer, glyph, fixed.I(drawn), nil)
		if err != nil {
			continue
		}
		for i, s := range segments {
			a := point(s.Args[0].X, s.Args[0].Y, advance)
			b := point(s.Args[1].X, s.Args[1].Y, advance)
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					letters.Close()
				}
				letters.Move(a)
			case sfnt.SegmentOpLineTo:
				letters.Line(a)
			case sfnt.SegmentOpQuadTo:
				letters.QuadTo(a, b)
			case sfnt.SegmentOpCubeTo:
				letters.CubeTo(a, b, point(s.Args[2].X, s.Args[2].Y, advance))
			}
		}
		if len(segments) > 0 {
			letters.Close()
		}
		if width, err := face.Face.GlyphAdvance(&buffer, glyph, fixed.I(drawn), 0); err == nil {
			advance += float64(width) * scale
		}
	}
	if len(letters) > 0 {
		c.Fill(letters)
	}
}
