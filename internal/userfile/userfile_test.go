package userfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name string, content string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRegularFilesAreReadUpToTheLimit(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, 3<<20 + 7} {
		content := strings.Repeat("x", size)
		path := write(t, filepath.Join(t.TempDir(), "a"), content)
		if got, err := ReadFile(path, int64(size)); err != nil || !bytes.Equal(got, []byte(content)) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
		if size == 0 {
			continue
		}
		var large *SizeError
		if _, err := ReadFile(path, int64(size)-1); !errors.As(err, &large) || !strings.Contains(err.Error(), path) {
			t.Errorf("%d bytes with a limit of one less: %v", size, err)
		}
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a"), "text")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, path, 10); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func TestAMissingFileAndAFolderAreErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	for _, open := range []func(string) (*os.File, error){Open, OpenStream} {
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), dir+": is a directory") {
			t.Errorf("error %v", err)
		}
	}
}

// TestLinksOutOfTheirFolderAreNotWrittenThrough tries links of all kinds.
func TestLinksOutOfTheirFolderAreNotWrittenThrough(t *testing.T) {
	root := t.TempDir()
	folder, other := filepath.Join(root, "work"), filepath.Join(root, "other")
	for _, dir := range []string{filepath.Join(folder, "sub"), other} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(folder, "own"), "")
	write(t, filepath.Join(other, "precious"), "")
	t.Chdir(folder)
	for name, target := range map[string]string{
		"inside": "own", "insideSub": "sub/new", "absoluteInside": filepath.Join(folder, "own"), "nowhereInside": "none",
		"outside": "../other/precious", "absolute": filepath.Join(other, "precious"), "nowhere": "../other/new",
		"folder": "../other", "twice": "outside", "long": "sub/../../other/precious",
	} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip(err)
		}
	}
	for path, refused := range map[string]bool{
		"own": false, "new": false, "none/new": false, "inside": false, "insideSub": false, "absoluteInside": false, "nowhereInside": false,
		"outside": true, "absolute": true, "nowhere": true, "twice": true, "long": true, "folder/precious": false, filepath.Join(folder, "outside"): true,
		"../work/outside": true,
	} {
		var link *LinkError
		if err := CheckPlace(path); errors.As(err, &link) != refused || err != nil && !refused {
			t.Errorf("%s: %v", path, err)
		}
		if below, err := filepath.Rel(folder, path); err == nil && filepath.IsAbs(path) {
			path = below
		}
		if err := CheckBelow(folder, path); filepath.IsLocal(path) && errors.As(err, &link) != (refused || path == "folder/precious") {
			t.Errorf("below %s: %v", path, err)
		}
		local := refused || path == "folder/precious"
		if err := CheckLocal(path); errors.As(err, &link) != local || err != nil && !local {
			t.Errorf("local %s: %v", path, err)
		}
	}
}
