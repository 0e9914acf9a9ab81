package display

import (
	"bytes"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProgramsWritePicturesWhereTheyAreToldTo(t *testing.T) {
	var printed bytes.Buffer
	before := fallback
	fallback = func() io.Writer { return &printed }
	defer func() { fallback = before }()
	Show(image.NewGray(image.Rect(0, 0, 3, 2)))
	if text := printed.String(); strings.Contains(text, "figure-") {
		t.Errorf("without a folder it prints %q", text)
	}
	folder := filepath.Join(t.TempDir(), "new")
	t.Setenv(picturesVariable, folder)
	printed.Reset()
	pictures.Store(0)
	Show(image.NewGray(image.Rect(0, 0, 3, 2)), "text")
	SVG("<svg/>")
	if want := "*image.Gray 3×2 (figure-1.png)\ntext\nSVG drawing, 6 bytes (figure-2.svg)\n"; printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
	bitmap, err := os.ReadFile(filepath.Join(folder, "figure-1.png"))
	if err != nil || !bytes.HasPrefix(bitmap, []byte("\x89PNG")) {
		t.Errorf("figure-1.png begins with %.10q, %v", bitmap, err)
	}
	if drawing, err := os.ReadFile(filepath.Join(folder, "figure-2.svg")); err != nil || string(drawing) != "<svg/>" {
		t.Errorf("figure-2.svg holds %q, %v", drawing, err)
	}
	t.Setenv(picturesVariable, filepath.Join(folder, "figure-1.png"))
	printed.Reset()
	SVG("<svg/>")
	if !strings.Contains(printed.String(), "not a directory") {
		t.Errorf("into a file it prints %q", printed.String())
	}
}
