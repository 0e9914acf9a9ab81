package userfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileThatCannotBeWrittenKeepsItsContent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	for _, text := range []string{"old", "new"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	if err := Write(filepath.Join(path, "below", "a file"), []byte("x")); err == nil {
		t.Error("a file below a file was written")
	}
	link := filepath.Join(dir, "link.html")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := Write(link, []byte("by the link")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "by the link" {
		t.Errorf("the file behind the link has %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".gosphere-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestLinksOutOfTheFolderAreNotWrittenThrough(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	for name, target := range map[string]string{"out": filepath.Join(other, "precious"), "in": "own"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := Write(filepath.Join(folder, "out"), []byte("text")); err == nil || !strings.Contains(err.Error(), "is a link to") {
		t.Errorf("error %v", err)
	}
	if err := Write(filepath.Join(folder, "in"), []byte("text")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(other); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
