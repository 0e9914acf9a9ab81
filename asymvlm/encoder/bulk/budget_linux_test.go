package bulk

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gosphere/asymvlm/encoder/source"
)

// zeros is a reader of zero bytes.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// bomb writes a compressed tar file of samples whose picture is the head, followed by zeros up to a
// size in bytes. Two usable samples are the first and the last.
func bomb(t *testing.T, samples int, head []byte, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bomb.tar.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(packed)
	add := func(name string, content io.Reader, size int64) {
		if err := archive.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(archive, content, size); err != nil {
			t.Fatal(err)
		}
	}
	var good bytes.Buffer
	if err := png.Encode(&good, image.NewGray(image.Rect(0, 0, 32, 32))); err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		picture, length := io.MultiReader(bytes.NewReader(head), zeros{}), size
		if i == 0 || i == samples-1 {
			picture, length = bytes.NewReader(good.Bytes()), int64(good.Len())
		}
		add(fmt.Sprintf("%06d.png", i), picture, length)
		add(fmt.Sprintf("%06d.txt", i), strings.NewReader("word5"), 5)
	}
	if err := errors.Join(archive.Close(), packed.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// peak returns the largest resident memory of the process in megabytes since /proc/self/clear_refs
// was written.
func peak(t *testing.T) (now int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &now); n == 1 {
			return now >> 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// TestSmallArchivesOfLargeMembersTakeLittleMemory embeds small files with gigabytes in them. The
// members are smaller in short tests, which the race detector runs: there, a process takes several
// times the memory and time.
func TestSmallArchivesOfLargeMembersTakeLittleMemory(t *testing.T) {
	shrink, side := int64(1), 12_000
	if testing.Short() {
		shrink, side = 16, 3_000
	}
	var wide bytes.Buffer // a large picture of one color
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		samples int
		head    []byte
		size    int64
	}{
		"no pictures":    {12, nil, 60 << 20 / shrink},
		"begins as one":  {9, []byte("\x89PNG\r\n\x1a\n"), 100 << 20 / shrink},
		"many pixels":    {5, wide.Bytes(), int64(wide.Len())},
		"beyond a limit": {3, []byte("\x89PNG\r\n\x1a\n"), 257 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := source.Open("webdataset", bomb(t, c.samples, c.head, c.size), "")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
				t.Skip(err)
			}
			before := peak(t)
			state, err := Run(t.Context(), Options{Encoder: tiny(t), Source: s, Folder: filepath.Join(t.TempDir(), "out"), MostBad: 100})
			if err != nil || state.Pictures+state.Bad != c.samples || state.Pictures < 2 {
				t.Errorf("%+v, %v", state, err)
			}
			if after := peak(t); after > before+1200 && !testing.Short() {
				t.Errorf("the memory grows from %d to %d MB", before, after)
			}
		})
	}
}

// TestIrregularFilesAmongPicturesAreListed embeds a folder with a named pipe and a link to an
// endless file, which the job must neither wait for nor read.
func TestIrregularFilesAmongPicturesAreListed(t *testing.T) {
	dir := photoFolder(t, 6, 0)
	for _, name := range []string{"pipe", "endless"} {
		path := filepath.Join(dir, name+".png")
		if name == "pipe" {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Symlink("/dev/zero", path); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.OpenFile(filepath.Join(dir, "captions.txt"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(list, "pipe.png\tword5\nendless.png\tword6\n")
	if err := list.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := source.Open("folder", dir, "")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "out")
	if state, err := Run(context.Background(), Options{Encoder: tiny(t), Source: s, Folder: folder, MostBad: 5}); err != nil || state.Bad != 2 {
		t.Fatalf("%+v, %v", state, err)
	}
	bad, err := os.ReadFile(filepath.Join(folder, "bad.txt"))
	if err != nil || !strings.Contains(string(bad), "is a named pipe") || !strings.Contains(string(bad), "is a device") {
		t.Errorf("%s, %v", bad, err)
	}
}

// TestLongCaptionsAreReadBack embeds captions that do not fit into the header of a shard.
func TestLongCaptionsAreReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("word5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := source.Open("captions", path, "")
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{Encoder: tiny(t), Source: s}, parts: t.TempDir()}
	long := strings.Repeat("x", 110_000_000)
	if err := r.write(0, &shard{captions: []string{long}}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.read(0); err != nil || len(got.captions) != 1 || got.captions[0] != long {
		t.Errorf("error %v", err)
	}
}
