package imports

import (
	"os"
	"path/filepath"
	"testing"
)

// TestVersionsOfModulesAreLocked determines the imports that have a version without the cells.
func TestVersionsOfModulesAreLocked(t *testing.T) {
	governed := t.TempDir()
	if err := os.WriteFile(filepath.Join(governed, "go.mod"), []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	requires := []string{"github.com/a/b v1.2.0", "example.com/c@v0.1.0"}
	for _, c := range []struct {
		path, dir string
		want      bool
	}{
		{"math", "/", true},
		{"./geo", "/", true},
		{"gosphere/plotting/figure", "/", true},
		{"github.com/a/b", "/", true},
		{"github.com/a/b/sub", "/", true},
		{"github.com/a/bc", "/", false},
		{"example.com/c/d", "/", true},
		{"example.com/e", "/", false},
		{"example.com/e", governed, true},
	} {
		if got := isLocked(c.path, requires, c.dir); got != c.want {
			t.Errorf("%s in %s: %t", c.path, c.dir, got)
		}
	}
}
