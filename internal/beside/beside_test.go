//go:build unix

package beside

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFilesHaveThePermissionsOfOthers(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "old")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(old, 0o640); err != nil {
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0o077))
	for path, want := range map[string]os.FileMode{old: 0o640, filepath.Join(folder, "new"): 0o600} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("beside %s: %v, %v; want %v", filepath.Base(path), info.Mode(), err, want)
		}
		if filepath.Dir(f.Name()) != folder || f.Name() == path {
			t.Errorf("created %s", f.Name())
		}
	}
}
