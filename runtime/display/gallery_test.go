package display

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestAGalleryHoldsSmallPicturesAndSaysWhatItCannotRead(t *testing.T) {
	r := record(t)
	large := image.NewRGBA(image.Rect(0, 0, 900, 600))
	for i := range 900 * 600 {
		large.Set(i%900, i/900, color.RGBA{200, 40, 40, 255})
	}
	var file bytes.Buffer
	if err := png.Encode(&file, large); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	Gallery(Picture{File: path, Caption: "a <b> & c"}, Picture{Image: image.NewGray(image.Rect(0, 0, 10, 20))}, Picture{File: "absent.jpg", Caption: "none"}, Picture{Image: image.NewGray(image.Rect(0, 0, 0, 0))})
	data := r.last(t)
	page := data[textHTML].(string)
	for _, want := range []string{"a &lt;b&gt; &amp; c", "absent.jpg: open absent.jpg", "picture: 0×0 pixels"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %.300s", want, page)
		}
	}
	found := regexp.MustCompile(`base64,([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(found) != 2 {
		t.Fatalf("%d pictures, want 2", len(found))
	}
	for i, want := range []image.Point{{420, 280}, {10, 20}} {
		content, err := base64.StdEncoding.DecodeString(found[i][1])
		if err != nil {
			t.Fatal(err)
		}
		m, err := jpeg.Decode(bytes.NewReader(content))
		if err != nil || m.Bounds().Size() != want {
			t.Fatalf("picture %d has %v pixels, want %v (%v)", i, m.Bounds(), want, err)
		}
		if red, _, blue, _ := m.At(5, 5).RGBA(); i == 0 && (red>>8 < 180 || blue>>8 > 60) {
			t.Errorf("the color is %v", m.At(5, 5))
		}
	}
	if text := data[textPlain].(string); !strings.Contains(text, "a.png\ta <b> & c\n") {
		t.Errorf("text %q", text)
	}
}
