package compare

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

func coded(t *testing.T, drawn image.Image) []byte {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, drawn); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func TestTheSamePixelsInAnotherCodingAreTheSamePicture(t *testing.T) {
	paletted := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.White, color.Black})
	full := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for i := range 16 {
		paletted.Pix[i] = uint8(i % 2)
		full.Set(i%4, i/4, paletted.At(i%4, i/4))
	}
	if bytes.Equal(coded(t, paletted), coded(t, full)) {
		t.Fatal("the files are equal")
	}
	if got := Figure(coded(t, paletted), coded(t, full), Tolerances{}); got != "" {
		t.Errorf("got %q", got)
	}
	full.Set(3, 3, color.White)
	if got := Figure(coded(t, paletted), coded(t, full), Tolerances{}); got != "picture of 4×4: 6.2 % of the pixels differ (x 3 to 4, y 3 to 4), 0 % may" {
		t.Errorf("got %q", got)
	}
}

func TestEveryChannelIsSeen(t *testing.T) {
	base := color.NRGBA{100, 100, 100, 200}
	draw := func(c color.NRGBA) []byte {
		drawn := image.NewNRGBA(image.Rect(0, 0, 1, 1))
		drawn.Set(0, 0, c)
		return coded(t, drawn)
	}
	for name, changed := range map[string]color.NRGBA{
		"red": {140, 100, 100, 200}, "green": {100, 140, 100, 200}, "blue": {100, 100, 60, 200}, "alpha": {100, 100, 100, 160},
	} {
		if got := Figure(draw(base), draw(changed), Tolerances{Pixels: 0.5}); !strings.HasPrefix(got, "picture of 1×1: 1e+02 %") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWhatIsVisibleIsMoreThanSixteen(t *testing.T) {
	gray := func(value uint8) []byte {
		drawn := image.NewGray(image.Rect(0, 0, 10, 10))
		drawn.Pix[55] = value
		return coded(t, drawn)
	}
	for by, want := range map[uint8]bool{0: true, 1: true, visible: true, visible + 1: false, 255: false} {
		if got := Figure(gray(0), gray(by), Tolerances{Pixels: 0.001}); (got == "") != want {
			t.Errorf("a pixel that is %d lighter: %q", by, got)
		}
	}
	if got := Figure(gray(0), gray(255), Tolerances{Pixels: 0.01}); got != "" {
		t.Errorf("one of a hundred pixels where one may differ: %q", got)
	}
}

func TestPhotographsAreCompared(t *testing.T) {
	photograph := func(value uint8) []byte {
		drawn := image.NewGray(image.Rect(0, 0, 16, 16))
		for i := range drawn.Pix {
			drawn.Pix[i] = value
		}
		var encoded bytes.Buffer
		if err := jpeg.Encode(&encoded, drawn, nil); err != nil {
			t.Fatal(err)
		}
		return encoded.Bytes()
	}
	if got := Figure(photograph(100), photograph(104), Tolerances{Pixels: 0.01}); got != "" {
		t.Errorf("by eye the same: %q", got)
	}
	if got := Figure(photograph(100), photograph(200), Tolerances{Pixels: 0.01}); !strings.Contains(got, "1e+02 % of the pixels differ (x 0 to 16, y 0 to 16)") {
		t.Errorf("got %q", got)
	}
}

func TestPicturesThatAreTooLargeAreNotDecoded(t *testing.T) {
	small := coded(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	large := bytes.Clone(small)
	header := large[12 : 12+4+13] // IHDR and its 13 bytes: width and height first
	binary.BigEndian.PutUint32(header[4:], 1<<20)
	binary.BigEndian.PutUint32(header[8:], 1<<20)
	binary.BigEndian.PutUint32(large[12+4+13:], crc32.ChecksumIEEE(header))
	if got := Figure(small, large, Tolerances{}); got != "the new picture cannot be read: 1048576×1048576 pixels are too many" {
		t.Errorf("got %q", got)
	}
	if got := Figure(large, small, Tolerances{}); !strings.HasPrefix(got, "the stored picture cannot be read: ") {
		t.Errorf("got %q", got)
	}
	if Overlay(large, small) != nil {
		t.Error("there is an overlay")
	}
}

func TestOverlayKeepsWhatIsEqualPale(t *testing.T) {
	overlay := Overlay(picture(t, 10, 20, 0), picture(t, 10, 20, 0))
	if got := overlay.At(0, 0); got != (color.RGBA{192, 192, 192, 255}) {
		t.Errorf("a black pixel that is equal is %v", got)
	}
	if got := overlay.Bounds(); got != image.Rect(0, 0, 10, 10) {
		t.Errorf("it is as large as %v", got)
	}
}

// FuzzFigure checks that the comparison accepts any bytes, and that a picture agrees with itself.
func FuzzFigure(f *testing.F) {
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		f.Fatal(err)
	}
	f.Add(encoded.Bytes(), []byte("no picture"))
	f.Add([]byte{}, encoded.Bytes()[:20])
	f.Fuzz(func(t *testing.T, stored, fresh []byte) {
		if got := Figure(stored, stored, Tolerances{}); got != "" {
			t.Fatalf("a picture differs from itself: %s", got)
		}
		Figure(stored, fresh, Tolerances{})
		Overlay(stored, fresh)
	})
}

func TestAShareAboveWhatMayIsTold(t *testing.T) {
	drawn := image.NewGray(image.Rect(0, 0, 50, 50))
	for i := range 251 {
		drawn.Pix[i] = 255
	}
	got := Figure(coded(t, image.NewGray(image.Rect(0, 0, 50, 50))), coded(t, drawn), Tolerances{Pixels: 0.1})
	if want := "picture of 50×50: 10.04 % of the pixels differ (x 0 to 50, y 0 to 6), 10 % may"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPicturesInPagesAreComparedByPixels(t *testing.T) {
	page := func(shade uint8) string {
		drawn := image.NewGray(image.Rect(0, 0, 10, 10))
		drawn.SetGray(0, 0, color.Gray{shade})
		return `<div><img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(coded(t, drawn)) + `"></div>`
	}
	for _, test := range []struct {
		stored, fresh string
		pixels        float64
		want          string
	}{
		{page(0), page(10), 0.02, ""},
		{page(0), page(0), 0, ""},
		{page(0), page(200), 0.02, ""},
		{page(0), page(200), 0, "~ picture of 10×10: 1 % of the pixels differ (x 0 to 1, y 0 to 1), 0 % may"},
		{page(0), page(0) + page(0), 0, "~ 1 pictures stored, 2 new"},
	} {
		got := ""
		for _, d := range data("text/html", test.stored, test.fresh, Tolerances{Pixels: test.pixels}) {
			got += strings.Join(d.Lines, "|")
		}
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
