package display

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func animation() *gif.GIF {
	frame := image.NewPaletted(image.Rect(0, 0, 4, 3), color.Palette{color.Black, color.White})
	return &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}, Config: image.Config{Width: 4, Height: 3}}
}

func dot(t *testing.T) []byte {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 1))); err != nil {
		t.Fatal(err)
	}
	return picture.Bytes()
}

func TestAnAnimationMoves(t *testing.T) {
	data, _ := Bundle(animation())
	page, _ := data[textHTML].(string)
	if !strings.HasPrefix(page, `<img src="data:image/gif;base64,R0lGODlh`) || data[textPlain] != "image/gif 4×3, 51 bytes" && !strings.HasPrefix(data[textPlain].(string), "image/gif 4×3") {
		t.Errorf("got %v and %s", data[textPlain], page)
	}
	if data, _ := Bundle(&gif.GIF{}); !strings.Contains(data[textPlain].(string), "must provide at least one image") {
		t.Errorf("of an empty animation it says %v", data[textPlain])
	}
}

func TestBytesAreShownByTheirContent(t *testing.T) {
	picture := dot(t)
	if data, _ := Bundle(picture); data[imagePNG] != base64.StdEncoding.EncodeToString(picture) || !strings.HasPrefix(data[textPlain].(string), "image/png 2×1") {
		t.Errorf("a picture is shown as %v", data)
	}
	tests := []struct {
		bytes []byte
		want  string
	}{
		{[]byte("total 0\nκ\n"), "total 0\nκ\n"},
		{[]byte{0, 1, 255}, "[0 1 255]"},
		{[]byte{}, "[]"},
		{append([]byte("\x7fELF"), make([]byte, 996)...), "1000 bytes, application/octet-stream\n00000000  7f 45 4c 46"},
	}
	for _, test := range tests {
		data, _ := Bundle(test.bytes)
		if got := data[textPlain].(string); !strings.HasPrefix(got, test.want) || len(data) != 1 {
			t.Errorf("got %q in %d forms, want %q", got, len(data), test.want)
		}
	}
}

func TestSoundsAndFilmsHavePlayers(t *testing.T) {
	r := record(t)
	Sound([]float64{0, 1, -2}, 8000)
	page := r.last(t)[textHTML].(string)
	wav, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(page, `<audio controls src="data:audio/wave;base64,`), `"></audio>`))
	want := "RIFF*\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x06\x00\x00\x00\x00\x00\xff\x7f\x01\x80"
	if err != nil || string(wav) != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, wav, want)
	}
	Audio([]byte("\xff\xfb\x90\x00rest"))
	if page := r.last(t)[textHTML].(string); !strings.Contains(page, "data:audio/mpeg;") {
		t.Errorf("an MP3 is shown by %s", page)
	}
	Video([]byte("\x1a\x45\xdf\xa3rest"))
	if page := r.last(t)[textHTML].(string); !strings.HasPrefix(page, "<video ") || !strings.Contains(page, "data:video/webm;") {
		t.Errorf("a film is shown by %s", page)
	}
}

func TestAFileIsShownByItsContent(t *testing.T) {
	folder := t.TempDir()
	r := record(t)
	for name, want := range map[string]struct{ content, form, text string }{
		"a.csv":     {"name,n\nκ,2\n", textHTML, ">κ<"},
		"a.md":      {"# Title", textMarkdown, "# Title"},
		"a.svg":     {"<svg/>", imageSVG, "<svg/>"},
		"a.json":    {`{"a": 1}`, textPlain, `"a": 1`},
		"a.txt":     {"plain\n", textPlain, "plain\n"},
		"a.html":    {"<b>x</b>", textHTML, "<b>x</b>"},
		"a.picture": {string(dot(t)), imagePNG, "iVBORw0KGgo"},
		"a.mp4":     {"\x00\x00not known\x00", textHTML, "data:video/mp4;"},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(want.content), 0o600); err != nil {
			t.Fatal(err)
		}
		File(path)
		if got := fmt.Sprint(r.last(t)[want.form]); !strings.Contains(got, want.text) {
			t.Errorf("%s: %s is %q", name, want.form, got)
		}
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "display: File: open") {
			t.Errorf("a file that is missing: %s", got)
		}
	}()
	File(filepath.Join(folder, "none"))
}
