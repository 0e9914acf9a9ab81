package notebook

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

func twoDots(t *testing.T) []byte {
	t.Helper()
	dots := image.NewRGBA(image.Rect(0, 0, 2, 1))
	dots.Set(0, 0, color.RGBA{255, 0, 0, 255})
	var content bytes.Buffer
	if err := png.Encode(&content, dots); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

func TestPicturesInTerminals(t *testing.T) {
	content := twoDots(t)
	folder := filepath.Join(t.TempDir(), "figures")
	encoded := base64.StdEncoding.EncodeToString(content)
	for way, want := range map[string]string{
		"kitty": "\x1b_Gf=100,a=T,m=0;" + encoded + "\x1b\\\n",
		"iterm": "\x1b]1337;File=inline=1;size=",
		"sixel": "\x1bPq\"1;1;2;1#0;2;0;0;0",
		"":      "(" + filepath.Join(folder, "figure-3.png") + ")\n",
	} {
		if got, err := drawn(content, way, folder, 3); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, %v", way, got, err)
		}
	}
	if got, _ := sixel(content); !strings.HasSuffix(got, "@?$#255?@$-\x1b\\\n") { // a red dot, then a white one
		t.Errorf("the rows of pixels are %q", got[strings.LastIndex(got, ";"):])
	}
	if written, err := os.ReadFile(filepath.Join(folder, "figure-3.png")); err != nil || !bytes.Equal(written, content) {
		t.Errorf("the file holds %d bytes, %v", len(written), err)
	}
	long := append(bytes.Clone(content), make([]byte, 4000)...)
	if got, _ := kitty(long); strings.Count(got, "\x1b_G") != 2 || !strings.Contains(got, "a=T,m=1;") || !strings.Contains(got, "\x1b_Gm=0;") {
		t.Errorf("a long picture takes %q", got[:60])
	}
}

func TestTerminalsThatShowPictures(t *testing.T) {
	for _, test := range []struct {
		environment map[string]string
		want        string
	}{
		{map[string]string{"TERM": "xterm-kitty"}, "kitty"},
		{map[string]string{"TERM_PROGRAM": "iTerm.app"}, "iterm"},
		{map[string]string{"TERM": "foot"}, "sixel"},
		{map[string]string{"TERM": "xterm-kitty", "TMUX": "1"}, ""},
		{map[string]string{"TERM": "xterm-256color"}, ""},
		{map[string]string{"TERM": "xterm-256color", ImagesVariable: "sixel"}, "sixel"},
		{map[string]string{"TERM": "xterm-kitty", ImagesVariable: "none"}, ""},
		{map[string]string{"TERM": "xterm-kitty", ImagesVariable: "open"}, ""},
	} {
		if got := imageProtocol(func(name string) string { return test.environment[name] }); got != test.want {
			t.Errorf("%v: %q", test.environment, got)
		}
	}
	if got := picture(protocol.MimeBundle{"text/plain": "x", "image/png": "!"}); got != nil {
		t.Errorf("what is no base64 is the picture %q", got)
	}
}

func TestPicturesAreOpenedWhereThereIsADesktop(t *testing.T) {
	for _, test := range []struct {
		system      string
		environment map[string]string
		want        string
	}{
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, "xdg-open"},
		{"linux", map[string]string{}, ""},
		{"linux", map[string]string{"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "::1 1 ::1 22"}, ""},
		{"linux", map[string]string{"SSH_CONNECTION": "::1 1 ::1 22", ImagesVariable: "open"}, "xdg-open"},
		{"linux", map[string]string{"DISPLAY": ":0", ImagesVariable: "none"}, ""},
		{"linux", map[string]string{"DISPLAY": ":0", ImagesVariable: "sixel"}, ""},
		{"darwin", map[string]string{}, "open"},
		{"darwin", map[string]string{"SSH_TTY": "/dev/ttys001"}, ""},
		{"windows", map[string]string{}, "rundll32"},
	} {
		got := viewer(func(name string) string { return test.environment[name] }, test.system)
		if len(got) == 0 && test.want != "" || len(got) > 0 && got[0] != test.want {
			t.Errorf("%s, %v: %q", test.system, test.environment, got)
		}
	}
}

func TestDrawingsKeepTheirColorsEvenAndPhotographsAreDithered(t *testing.T) {
	drawing, photograph := image.NewRGBA(image.Rect(0, 0, 100, 100)), image.NewRGBA(image.Rect(0, 0, 100, 100))
	for y := range 100 {
		for x := range 100 {
			drawing.Set(x, y, color.RGBA{130, 200, 90, 255})
			photograph.Set(x, y, color.RGBA{uint8(100 + x), uint8(100 + y), 90, 255})
		}
	}
	mixed := func(picture *image.RGBA) (pixels int) { // that have not the nearest color
		indexed := inPalette(picture)
		for y := range 100 {
			for x := range 100 {
				if int(indexed.ColorIndexAt(x, y)) != indexed.Palette.Index(picture.At(x, y)) {
					pixels++
				}
			}
		}
		return pixels
	}
	if got := mixed(drawing); got != 0 {
		t.Errorf("%d pixels of an area of one color have another", got)
	}
	if mixed(photograph) == 0 {
		t.Error("a photograph is not dithered")
	}
}
