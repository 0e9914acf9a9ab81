package source

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// compressed are forms of a content, by the ending of their files.
func compressed(t testing.TB, content []byte) map[string][]byte {
	t.Helper()
	made := map[string][]byte{}
	add := func(ending string, write func(to io.Writer) (io.WriteCloser, error)) {
		var to bytes.Buffer
		w, err := write(&to)
		if err == nil {
			if _, err = w.Write(content); err == nil {
				err = w.Close()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		made[ending] = to.Bytes()
	}
	add(".gz", func(to io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(to), nil })
	add(".zst", func(to io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(to) })
	var to bytes.Buffer
	archive := zip.NewWriter(&to)
	file, err := archive.Create("a.csv")
	if err == nil {
		if _, err = file.Write(content); err == nil {
			err = archive.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	made[".zip"] = to.Bytes()
	return made
}

func limitTo(t testing.TB, bytes int64) {
	old := Most
	Most = bytes
	t.Cleanup(func() { Most = old })
}

// A small file whose content is large is an error after the limit, and takes no more memory.
func TestContentIsLimited(t *testing.T) {
	limitTo(t, 1<<16)
	folder := t.TempDir()
	for size, want := range map[int]string{1 << 16: "", 1<<16 + 1: "the content has more than 65536 bytes", 1 << 22: "the content has more than 65536 bytes"} {
		for ending, content := range compressed(t, make([]byte, size)) {
			path := filepath.Join(folder, "a.csv"+ending)
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			read, err := io.Copy(io.Discard, s)
			if got := text(err); got != want || read > 1<<16 || s.Format != ".csv" {
				t.Errorf("%d bytes in %s: read %d, %q, want %q", size, ending, read, got, want)
			}
			if _, _, err := s.At(); want != "" && err == nil {
				t.Errorf("%d bytes in %s are in memory", size, ending)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		path := filepath.Join(folder, "a.csv")
		if err := os.WriteFile(path, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Whole(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "read it in batches") {
			t.Errorf("a file of %d bytes: %v", size, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzOpen checks that damaged files are errors, and that no more than the limit is read.
func FuzzOpen(f *testing.F) {
	limitTo(f, 1<<14)
	endings := []string{".gz", ".zst", ".zip", ""}
	for ending, content := range compressed(f, []byte("a,b\n1,2\n")) {
		for n, e := range endings {
			if e == ending {
				f.Add(content, uint8(n))
			}
		}
	}
	for _, content := range compressed(f, make([]byte, 1<<20)) {
		f.Add(content, uint8(0))
		f.Add(content, uint8(1))
		f.Add(content, uint8(2))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte, ending uint8) {
		path := filepath.Join(folder, "a.csv"+endings[int(ending)%len(endings)])
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			return
		}
		if s.Whole() == nil {
			if n, err := io.Copy(io.Discard, s); n > Most {
				t.Errorf("%d bytes are read, %v", n, err)
			}
		}
		_ = s.Close() // an error of the damage
	})
}
