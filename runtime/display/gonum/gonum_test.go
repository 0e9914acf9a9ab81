package gonum

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"gonum.org/v1/plot"
)

func TestAPlotHasAMargin(t *testing.T) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "title", "x", "y"
	p.X.Max, p.Y.Max = 3, 100_000
	p.X.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "the beginning"}, {Value: 3, Label: "100"}}
	bitmap, err := plotForm(p).PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(bitmap))
	if err != nil {
		t.Fatal(err)
	}
	const margin = 10 // pixels
	size := picture.Bounds().Max
	inner := picture.Bounds().Inset(margin)
	for y := range size.Y {
		for x := range size.X {
			if image.Pt(x, y).In(inner) {
				continue
			}
			if r, g, b, _ := picture.At(x, y).RGBA(); r+g+b != 3*0xffff {
				t.Fatalf("the pixel %d, %d of %v is %x %x %x", x, y, size, r, g, b)
			}
		}
	}
}
