//go:build unix

package debug

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDumpRefusesAFolderThatIsNone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSources()
	if err := os.WriteFile(filepath.Clean(s.prefix), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.dump("x := 1"); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("error %v", err)
	}
}

func TestDumpRestoresItsFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSources()
	for range 2 {
		path, err := s.dump("x := 1")
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder is %v, %v", info, err)
		}
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
	}
}
