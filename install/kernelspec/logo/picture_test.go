package main

import (
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestCommittedPicturesAreCurrent(t *testing.T) {
	for _, size := range sizes {
		file, err := os.Open(fmt.Sprintf("logo-%dx%d.png", size, size))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		drawn := pictureFor(size).draw(size)
		if committed.Bounds() != drawn.Bounds() {
			t.Fatalf("size %d: committed %v, drawn %v", size, committed.Bounds(), drawn.Bounds())
		}
		if worst := difference(committed, drawn); worst > 2 {
			t.Errorf("size %d: colors differ by up to %d: run go generate ./install", size, worst)
		}
	}
}

// difference returns the largest difference of a color channel out of 255. CPUs that fuse products
// and sums round some of them differently.
func difference(a, b image.Image) int {
	worst := 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}, {a1, a2}} {
				worst = max(worst, int(math.Abs(float64(pair[0])-float64(pair[1])))>>8)
			}
		}
	}
	return worst
}

func TestWrittenPictureIsReadBack(t *testing.T) {
	drawn := pictureFor(32).draw(32)
	name := filepath.Join(t.TempDir(), "logo.png")
	if err := write(name, drawn); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if back, err := png.Decode(file); err != nil || difference(back, drawn) > 0 {
		t.Errorf("read back differently, %v", err)
	}
	if err := write(filepath.Join(name, "below"), drawn); err == nil {
		t.Error("a picture below a file is written")
	}
}

func TestEdgeIsSmoothAndCornersAreEmpty(t *testing.T) {
	drawn := pictureFor(64).draw(64)
	if a := drawn.NRGBAAt(0, 0).A; a != 0 {
		t.Errorf("the corner has opacity %d", a)
	}
	if a := drawn.NRGBAAt(32, 32).A; a != 255 {
		t.Errorf("the middle has opacity %d", a)
	}
	soft := 0
	for x := range 64 {
		for y := range 64 {
			if a := drawn.NRGBAAt(x, y).A; a > 0 && a < 255 {
				soft++
			}
		}
	}
	if soft < 100 {
		t.Errorf("%d pixels are half covered; the rim is jagged", soft)
	}
}

// vectorPicture holds the parts of logo-svg.svg that the test reads.
type vectorPicture struct {
	Groups []struct {
		Paths []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
		Ellipses []struct {
			X float64 `xml:"cx,attr"`
			Y float64 `xml:"cy,attr"`
			A float64 `xml:"rx,attr"`
			B float64 `xml:"ry,attr"`
		} `xml:"ellipse"`
	} `xml:"g"`
}

func TestVectorPictureShowsTheSame(t *testing.T) {
	text, err := os.ReadFile("logo-svg.svg")
	if err != nil {
		t.Fatal(err)
	}
	var svg vectorPicture
	if err := xml.Unmarshal(text, &svg); err != nil {
		t.Fatal(err)
	}
	p := pictureFor(64)
	radius := 64 * p.radius
	// Numbers in the file have one decimal place.
	const tolerance = 0.06
	paths, ellipses := svg.Groups[0].Paths, svg.Groups[1].Ellipses
	if len(paths) != 2*len(p.meridians) || len(ellipses) != len(p.dots) {
		t.Fatalf("%d lines and %d dots, want %d and %d", len(paths), len(ellipses), 2*len(p.meridians), len(p.dots))
	}
	for i, e := range ellipses {
		center := p.dots[i].scaled(math.Cos(p.dot) * radius)
		rim := math.Sin(p.dot) * radius
		for _, pair := range [][2]float64{{e.X, 32 + center.x}, {e.Y, 32 - center.y}, {e.A, rim * p.dots[i].z}, {e.B, rim}} {
			if math.Abs(pair[0]-pair[1]) > tolerance {
				t.Errorf("dot %d has %v, want %.2f", i, pair[0], pair[1])
			}
		}
	}
	for i, path := range paths {
		var x0, y0, a, b, turn, x1, y1 float64
		var large, sweep int
		if _, err := fmt.Sscanf(path.D, "M%f %f A%f %f %f %d %d %f %f", &x0, &y0, &a, &b, &turn, &large, &sweep, &x1, &y1); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		normal := p.meridians[i/2]
		if math.Abs(a-radius) > tolerance || math.Abs(b-radius*math.Abs(normal.z)) > tolerance {
			t.Errorf("line %d has half axes %v and %v", i, a, b)
		}
		for _, end := range [][2]float64{{x0, y0}, {x1, y1}} {
			x, y := (end[0]-32)/radius, (32-end[1])/radius
			z := math.Sqrt(max(0, 1-x*x-y*y))
			// At the rim a step in x or y changes z by much more, times the normal's z.
			if f := normal.dot(vector{x, y, z}); math.Abs(f) > 0.1 {
				t.Errorf("line %d: %v is %.3f off its great circle", i, end, f)
			}
		}
	}
}
