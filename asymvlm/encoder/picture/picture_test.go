package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pattern returns a picture whose pixels all differ.
func pattern(width, height int) *Picture {
	p := New(width, height)
	for i := range p.Pixels {
		p.Pixels[i] = byte(i*7 + i/50)
	}
	return p
}

func TestOrientationsTurnPictures(t *testing.T) {
	p := New(2, 3) // a b / c d / e f
	for i := range 6 {
		copy(p.Pixels[3*i:], []byte{byte('a' + i), byte('a' + i), byte('a' + i)})
	}
	for orientation, want := range map[int]string{
		1: "ab cd ef", 2: "ba dc fe", 3: "fe dc ba", 4: "ef cd ab", 5: "ace bdf", 6: "eca fdb", 7: "fdb eca", 8: "bdf ace",
	} {
		q := p.oriented(orientation)
		got := ""
		for y := range q.Height {
			if y > 0 {
				got += " "
			}
			for x := range q.Width {
				got += string(rune(q.Pixels[3*(y*q.Width+x)]))
			}
		}
		if got != want {
			t.Errorf("orientation %d: %q, want %q", orientation, got, want)
		}
	}
}

func TestOrientationIsHeededOnlyWhenAsked(t *testing.T) {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, image.NewRGBA(image.Rect(0, 0, 40, 20)), nil); err != nil {
		t.Fatal(err)
	}
	exif := append([]byte{0xff, 0xe1, 0, 34}, "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"...)
	data := slices.Concat(file.Bytes()[:2], exif, file.Bytes()[2:])
	for orient, width := range map[bool]int{false: 40, true: 20} {
		p, err := Decode(data, orient)
		if err != nil || p.Width != width {
			t.Errorf("orient %v: %+v, %v, want a width of %d", orient, p, err, width)
		}
	}
}

func TestTheFirstFrameOfAGIFLiesOnItsCanvas(t *testing.T) {
	palette := color.Palette{color.NRGBA{9, 9, 9, 255}, color.NRGBA{200, 0, 0, 255}}
	frame := image.NewPaletted(image.Rect(1, 1, 3, 2), palette)
	frame.Pix = []byte{1, 1}
	var file bytes.Buffer
	err := gif.EncodeAll(&file, &gif.GIF{
		Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 4, Height: 3, ColorModel: palette},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Decode(file.Bytes(), false)
	if err != nil || p.Width != 4 || p.Height != 3 || p.Pixels[0] != 9 || p.Pixels[3*(4+1)] != 200 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestResizingToTheSameSizeChangesNothing(t *testing.T) {
	p := pattern(13, 7)
	if q := p.Resize(13, 7, Bicubic); !slices.Equal(p.Pixels, q.Pixels) {
		t.Error("pixels changed")
	}
	gray := New(30, 20)
	for i := range gray.Pixels {
		gray.Pixels[i] = 77
	}
	for _, filter := range []Filter{Bicubic, Bilinear} {
		for _, value := range gray.Resize(7, 51, filter).Pixels {
			if value != 77 {
				t.Fatalf("filter %d: an even gray became %d", filter, value)
			}
		}
	}
}

func TestCropTakesBlackOutside(t *testing.T) {
	p := pattern(3, 3)
	q := p.Crop(-1, 1, 3, 3)
	for y := range 3 {
		for x := range 3 {
			want := byte(0)
			if x-1 >= 0 && y+1 < 3 {
				want = p.Pixels[3*((y+1)*3+x-1)]
			}
			if got := q.Pixels[3*(y*3+x)]; got != want {
				t.Errorf("(%d, %d): %d, want %d", x, y, got, want)
			}
		}
	}
}

func TestPicturesThatCannotBeUsedAreRefused(t *testing.T) {
	if _, err := Decode([]byte("text"), false); err == nil || !strings.Contains(err.Error(), "no JPEG, PNG, GIF, WebP or BMP") {
		t.Errorf("a text: %v", err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	data := file.Bytes()
	copy(data[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65536×65536 pixels; this also invalidates the checksum
	if _, err := Decode(data, false); err == nil {
		t.Error("an enormous picture is accepted")
	}
	if _, err := CLIP(224).Square(New(1, 100000)); err == nil || !strings.Contains(err.Error(), "too narrow") {
		t.Errorf("a line of pixels: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "a.png"), false); err == nil || !strings.Contains(err.Error(), "a.png") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestPreparationsComeFromConfigurations(t *testing.T) {
	standard := CLIP(224)
	for _, c := range []struct {
		name, text, problem string
		want                func(p *Preparation)
	}{
		{name: "none.json", text: "{}", want: func(*Preparation) {}},
		{name: "preprocessor_config.json", text: `{"size": {"shortest_edge": 336}, "crop_size": {"height": 336, "width": 336}, "resample": 3}`,
			want: func(p *Preparation) { p.Side, p.Shape = 336, CenterFloor }},
		{name: "preprocessor_config.json", text: `{"size": 224, "do_center_crop": true, "image_mean": [0.5, 0.5, 0.5], "resample": 2}`,
			want: func(p *Preparation) { p.Shape, p.Filter, p.Mean = CenterFloor, Bilinear, [3]float64{0.5, 0.5, 0.5} }},
		{name: "preprocessor_config.json", text: `{"size": {"height": 256, "width": 256}, "rescale_factor": 0.00392156862745098}`,
			want: func(p *Preparation) { p.Side, p.Shape = 256, Squash }},
		{name: "open_clip_config.json", text: `{"preprocess_cfg": {"std": [1, 1, 1], "resize_mode": "squash", "interpolation": "bilinear"}}`,
			want: func(p *Preparation) { p.Deviation, p.Shape, p.Filter = [3]float64{1, 1, 1}, Squash, Bilinear }},
		{name: "preprocessor_config.json", text: `{"resample": 1}`, problem: "resample 1, want 2 (bilinear) or 3 (bicubic)"},
		{name: "preprocessor_config.json", text: `{"do_normalize": false}`, problem: "do_normalize is false"},
		{name: "preprocessor_config.json", text: `{"size": {"height": 2, "width": 3}}`, problem: "3×2, want a square"},
		{name: "preprocessor_config.json", text: `{"size": -1}`, problem: "-1 pixels"},
		{name: "preprocessor_config.json", text: `{"size": 256, "crop_size": {"height": 224, "width": 224}}`, problem: "only equal ones"},
		{name: "preprocessor_config.json", text: `{"image_std": [1, 0, 1]}`, problem: "standard deviation 0"},
		{name: "preprocessor_config.json", text: `{"image_mean": [1]}`, problem: "mean of 1 channels"},
		{name: "config.json", text: `{"preprocess_cfg": {"resize_mode": "longest"}}`, problem: `resize_mode "longest"`},
		{name: "config.json", text: `{`, problem: "config.json: unexpected end"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Open(dir, standard)
		if c.problem != "" {
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: got %v, want %q", c.text, err, c.problem)
			}
			continue
		}
		want := standard
		c.want(&want)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", c.text, got, err, want)
		}
	}
}

func FuzzPicturesAreDecodedOrRefused(f *testing.F) {
	for _, name := range []string{"tiny_17x13.jpg", "gray16_230x240.png", "lossy_260x240.webp", "frames_230x240.gif"} {
		if data, err := os.ReadFile(filepath.Join(references, name)); err == nil {
			f.Add(data)
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, image.NewRGBA(image.Rect(0, 0, 5, 3)), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && config.Width*config.Height > 1<<20 {
			return // slow, not interesting
		}
		p, err := Decode(data, true)
		if err != nil {
			return
		}
		if len(p.Pixels) != 3*p.Width*p.Height {
			t.Errorf("%d×%d with %d bytes", p.Width, p.Height, len(p.Pixels))
		}
		if q, err := SigLIP(8).Square(p); err != nil || len(q.Pixels) != 3*8*8 {
			t.Errorf("square: %v", err)
		}
	})
}

func BenchmarkPreparation(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(references, "420_320x240.jpg"))
	if err != nil {
		b.Skip("no references:", err)
	}
	for b.Loop() {
		p, err := Decode(data, false)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := CLIP(224).Apply(p); err != nil {
			b.Fatal(err)
		}
	}
}
