package check

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gosphere/notebooks/format"
	"gosphere/notebooks/run"
	"gosphere/runtime/session/sessiontest"
)

// committed returns the paths of all notebooks of the repository.
func committed(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
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

// TestNotebooksAreValidFilesThatCanBeChecked looks at the files alone.
func TestNotebooksAreValidFilesThatCanBeChecked(t *testing.T) {
	for _, path := range committed(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		notebook, err := format.Read(text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := notebook.Check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		var written bytes.Buffer
		if err := format.Write(&written, notebook); err != nil || !bytes.Equal(written.Bytes(), text) {
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
				if output.Type == format.ErrorOutput && !cell.HasTag("raises-exception") {
					t.Errorf("%s: cell %s is stored with the error %s", path, cell.ID, output.Evalue)
				}
			}
		}
	}
}

// TestLessonsShowWhatIsStored checks the teaching notebooks, which take seconds. Those that train adapters are checked by
// make check.
func TestLessonsShowWhatIsStored(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every teaching notebook")
	}
	for _, path := range committed(t) {
		if filepath.Base(filepath.Dir(path)) != "teaching" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) {
			notebook, err := format.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Notebook(context.Background(), sessiontest.New(t), notebook, Options{Run: run.Options{Timeout: 5 * time.Minute}})
			if err != nil {
				t.Fatal(err)
			}
			// Elsewhere products and sums are fused, and last digits differ.
			if result.Differs() && runtime.GOARCH == "amd64" {
				var text strings.Builder
				result.Write(&text, path)
				t.Error(text.String())
			}
		})
	}
}
