package notebook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/command/process"
	"gosphere/internal/runtime/source"
	"gosphere/internal/testing/modulestest"
)

func TestExportRequiresModulesWhoseSourceTheProgramCarries(t *testing.T) {
	bringArchive(t)
	p := modulestest.New(t)
	p.Use()
	text := "package list\nfunc Len[T any](l []T) int { return len(l) }"
	p.Add("example.com/list", "v1.1.0", map[string]string{"l.go": text})
	archive, err := source.Pack([]source.Carried{{Path: "example.com/list", Name: "list", Module: "example.com/list", Version: "v1.1.0", GoVersion: "go1.21", Files: map[string][]byte{"l.go": []byte(text)}}})
	if err != nil {
		t.Fatal(err)
	}
	process.Brought.Source = func() string { return string(archive) }
	path := saved(t, "lists.ipynb", "import \"example.com/list\"\nlist.Len([]int{1, 2})")
	if err := (&Export{File: path, To: "go"}).export(new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(path, ".ipynb") + "-go"
	if mod, err := os.ReadFile(filepath.Join(folder, "go.mod")); err != nil || !strings.Contains(string(mod), "require example.com/list v1.1.0") {
		t.Errorf("go.mod holds %q, %v", mod, err)
	}
}
