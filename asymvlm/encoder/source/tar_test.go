package source

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shard returns a tar file with samples of a picture and a caption.
func shard(t *testing.T, samples int) []byte {
	t.Helper()
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for i := range samples {
		for _, member := range []struct{ extension, content string }{{"jpg", strings.Repeat("x", 700)}, {"txt", fmt.Sprintf("caption %d", i)}} {
			err := errors.Join(w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%06d.%s", i, member.extension), Size: int64(len(member.content)), Mode: 0o600}))
			if _, writeErr := w.Write([]byte(member.content)); err != nil || writeErr != nil {
				t.Fatal(err, writeErr)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// TestATruncatedShardSaysWhereItEnds cuts a tar file at every block and in the middle of blocks.
// Each cut before the end mark is reported with the last complete sample.
func TestATruncatedShardSaysWhereItEnds(t *testing.T) {
	whole := shard(t, 3)
	path := filepath.Join(t.TempDir(), "0.tar")
	for cut := 100; cut <= len(whole); cut += 256 - cut%256 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open("webdataset", path, "")
		if err != nil {
			t.Fatal(err)
		}
		good, truncated := 0, (*TruncatedError)(nil)
		for _, err := range s.Items() {
			switch {
			case err == nil:
				good++
			case !errors.As(err, &truncated) && !strings.Contains(err.Error(), "no caption"):
				t.Errorf("cut at %d: %v", cut, err)
			}
		}
		// Each sample has a header and two blocks, and a header and one block: 2,560 bytes.
		if ends := 3 * 2560; (truncated != nil) != (cut < ends+1024) {
			t.Errorf("cut at %d of %d: %d samples, %v", cut, len(whole), good, truncated)
		}
		if want := min(3, (cut+512-len("caption 0"))/2560); good != want || truncated != nil && good > 0 && !strings.Contains(truncated.Error(), fmt.Sprintf("%06d", good-1)) {
			t.Errorf("cut at %d: %d samples, want %d; %v", cut, good, want, truncated)
		}
	}
}

func TestShardsAreNamedByFoldersAndBraces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"00008.tar", "00009.tar", "00010.tar", "notes.md", "b-00009.tar"} {
		if err := os.WriteFile(filepath.Join(dir, name), shard(t, 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{
		"":                         {"00008.tar", "00009.tar", "00010.tar", "b-00009.tar"},
		"/{00008..00010}.tar":      {"00008.tar", "00009.tar", "00010.tar"},
		"/{00009,b-00009}.tar":     {"00009.tar", "b-00009.tar"},
		"/{,b-}{00009..00009}.tar": {"00009.tar", "b-00009.tar"},
		"/0000*.tar":               {"00008.tar", "00009.tar"},
	} {
		s, err := Open("webdataset", dir+pattern, "")
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		var names []string
		for _, file := range s.Files {
			names = append(names, filepath.Base(file))
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", pattern, names, want)
		}
	}
	for pattern, want := range map[string]string{
		"/{00008..00011}.tar": "no files " + filepath.Join(dir, "00011.tar"), "/{2..1}.tar": "no range", "/{1.tar": "not closed", "/{0..99999999}.tar": "no range",
	} {
		if _, err := Open("webdataset", dir+pattern, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
	if _, err := Open("webdataset", t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "has no file *.tar") {
		t.Errorf("an empty folder: %v", err)
	}
}
