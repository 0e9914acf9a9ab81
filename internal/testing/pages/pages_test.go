// Package pages runs the Go code of pages of the documentation as cells.
package pages

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/session"
)

var update = flag.Bool("update", false, "rewrite the pictures of figures-compared.md")

const docs = "../../../docs"

// cell runs a cell, which must not print or fail.
func cell(t *testing.T, s *session.Session, code string) {
	t.Helper()
	if printed, err := sessiontest.Printed(s, code); err != nil || printed != "" {
		t.Fatalf("%s\nprints %q and fails with %v", code, printed, err)
	}
}

// page returns a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)\n```")

// TestComparedFiguresAreThoseOfThePage runs the code of figures-compared.md and compares what it
// draws with the pictures of the page.
func TestComparedFiguresAreThoseOfThePage(t *testing.T) {
	blocks := goBlock.FindAllStringSubmatch(page(t, "figures-compared.md"), -1)
	if len(blocks) != 20 {
		t.Fatalf("%d figures, want 20", len(blocks))
	}
	s := sessiontest.New(t)
	cell(t, s, fmt.Sprintf("t, err := table.Read(%q)\nif err != nil { panic(err) }", filepath.Join(docs, "figures", "trips.csv")))
	drawn := filepath.Join(t.TempDir(), "figure.png")
	for i, block := range blocks {
		cell(t, s, fmt.Sprintf("picture, err := (%s).PNG()\nif err != nil { panic(err) }\nif err := os.WriteFile(%q, picture, 0o600); err != nil { panic(err) }", block[1], drawn))
		got := small(t, decoded(t, drawn))
		path := filepath.Join(docs, "figures", fmt.Sprintf("%02d-go.png", i+1))
		if *update {
			var written bytes.Buffer
			encoder := png.Encoder{CompressionLevel: png.BestCompression}
			if err := encoder.Encode(&written, got); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, written.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		// Roundings differ between CPUs, which may change the shade of an edge.
		if share := differing(got, decoded(t, path)); share > 0.002 {
			t.Errorf("%s: %.2f %% of the pixels differ from %s; look at it and run with -update if the new figure is right", block[1], 100*share, path)
		}
	}
}

func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// small returns a picture 400 pixels wide with the 200 most frequent colors, of 32 shades per
// channel, and white.
func small(t *testing.T, picture image.Image) *image.Paletted {
	t.Helper()
	const width, colors, shades = 400, 200, 32
	size := picture.Bounds().Size()
	scaled := image.NewRGBA(image.Rect(0, 0, width, size.Y*width/size.X))
	draw.CatmullRom.Scale(scaled, scaled.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	count := map[color.RGBA]int{}
	coarse := func(c color.RGBA) color.RGBA {
		round := func(v uint8) uint8 { return uint8(min(255, (int(v)*(shades-1)+127)/255*255/(shades-1))) }
		return color.RGBA{round(c.R), round(c.G), round(c.B), 255}
	}
	for y := range scaled.Bounds().Dy() {
		for x := range width {
			count[coarse(scaled.RGBAAt(x, y))]++
		}
	}
	var palette []color.RGBA
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, b color.RGBA) int {
		if n := count[b] - count[a]; n != 0 {
			return n
		}
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	result := image.NewPaletted(scaled.Bounds(), color.Palette{color.White})
	for _, c := range palette[:min(colors, len(palette))] {
		result.Palette = append(result.Palette, c)
	}
	draw.Draw(result, result.Bounds(), scaled, image.Point{}, draw.Src)
	return result
}

// differing returns the share of the pixels that differ by more than an eighth of a channel.
func differing(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n, size := 0, a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2)} {
				if d > 0x2000 || d < -0x2000 {
					n++
					break
				}
			}
		}
	}
	return float64(n) / float64(size.X*size.Y)
}
