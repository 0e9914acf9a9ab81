package notebook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/command/process"
	"gosphere/internal/testing/modulestest"
	"gosphere/runtime/session/archivetest"
)

func TestExportRequiresModulesWhoseSourceTheProgramCarries(t *testing.T) {
	bringArchive(t)
	p := modulestest.New(t)
	p.Use()
	text := "package list\nfunc Len[T any](l []T) int { return len(l) }"
	p.Add("example.com/list", "v1.1.0", map[string]string{"l.go": text})
	archive := archivetest.Source(t, "example.com/list", "list", "v1.1.0", map[string][]byte{"l.go": []byte(text)})
	process.Preloaded.Source = func() string { return archive }
	path := saved(t, "lists.ipynb", "import \"example.com/list\"\nlist.Len([]int{1, 2})")
	if err := (&Export{File: path, To: "go"}).export(new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(path, ".ipynb") + "-go"
	if mod, err := os.ReadFile(filepath.Join(folder, "go.mod")); err != nil || !strings.Contains(string(mod), "require example.com/list v1.1.0") {
		t.Errorf("go.mod holds %q, %v", mod, err)
	}
}
