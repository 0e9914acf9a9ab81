package check

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// committed returns the paths of all notebooks of the repository.
func committed(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir("../../../notebooks", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".ipynb_checkpoints") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".ipynb") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks, %v", err)
	}
	return paths
}

// TestNotebooksAreValidFilesThatCanBeChecked examines only the files.
func TestNotebooksAreValidFilesThatCanBeChecked(t *testing.T) {
	for _, path := range committed(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		notebook, err := nbformat.Read(text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := notebook.Check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		var written bytes.Buffer
		if err := nbformat.Write(&written, notebook); err != nil || !bytes.Equal(written.Bytes(), text) {
			t.Errorf("%s changes when it is read and written, %v", path, err)
		}
		if _, err := checkable(notebook, false); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		count := 0
		for _, cell := range notebook.Cells {
			if count += min(cell.ExecutionCount, 1); cell.ExecutionCount > 0 && cell.ExecutionCount != count {
				t.Errorf("%s: cell %s was run as number %d, from the top it is %d", path, cell.ID, cell.ExecutionCount, count)
			}
			for _, output := range cell.Outputs {
				if output.Type == nbformat.ErrorOutput && !cell.HasTag("raises-exception") {
					t.Errorf("%s: cell %s is stored with the error %s", path, cell.ID, output.Evalue)
				}
			}
		}
	}
}
