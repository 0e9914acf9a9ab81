package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFileThatCannotBeWrittenKeepsItsContent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	for _, text := range []string{"old", "new"} {
		if err := WriteWhole(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	if err := WriteWhole(filepath.Join(path, "below", "a file"), []byte("x")); err == nil {
		t.Error("a file below a file was written")
	}
	link := filepath.Join(dir, "link.html")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := WriteWhole(link, []byte("by the link")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "by the link" {
		t.Errorf("the file behind the link has %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".gosphere-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
