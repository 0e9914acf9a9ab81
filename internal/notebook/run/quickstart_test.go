//go:build !race

package run_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

const quickstart = "../../../notebooks/quickstart.ipynb"

func TestQuickstartIsAValidFileAsJupyterWritesIt(t *testing.T) {
	text, err := os.ReadFile(quickstart)
	if err != nil {
		t.Fatal(err)
	}
	notebook, err := nbformat.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := notebook.Check(); err != nil {
		t.Error(err)
	}
	var written bytes.Buffer
	if err := nbformat.Write(&written, notebook); err != nil || !bytes.Equal(written.Bytes(), text) {
		t.Errorf("the file changes when it is read and written, %v", err)
	}
	unknown, err := run.Inject(notebook, []run.Parameter{{Name: "epochs", Value: "1"}, {Name: "seed", Value: "1"}, {Name: "data", Value: "x"}})
	if err != nil || len(unknown) != 0 {
		t.Errorf("parameters %q are not defined, %v", unknown, err)
	}
}

// textOf returns all text in the outputs of a cell.
func textOf(cell *nbformat.Cell) string {
	var texts []string
	for _, output := range cell.Outputs {
		text, _ := output.Data["text/plain"].(string)
		texts = append(texts, output.Text+text)
	}
	return strings.Join(texts, "\n")
}

func TestQuickstartRunsInOneEpoch(t *testing.T) {
	if testing.Short() {
		t.Skip("trains three adapters")
	}
	notebook, err := nbformat.ReadFile(quickstart)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Inject(notebook, []run.Parameter{{Name: "epochs", Value: "1"}}); err != nil {
		t.Fatal(err)
	}
	s := sessiontest.New(t)
	if err := run.Run(context.Background(), s, notebook, run.Options{Timeout: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	if err := notebook.Check(); err != nil {
		t.Error(err)
	}
	want := map[string]string{
		// Cosines of the built-in data need no training; the values are those of PyTorch,
		// see the note of the data set.
		"result": "no adapter        0.584",
		"data":   "scenes_minilm/test     1000      2000         384",
		"recall": "Recall@1 by uncertainty level, 3 lines",
		"sphere": "densities on the sphere, 4 panels",
	}
	for _, cell := range notebook.Cells {
		for _, output := range cell.Outputs {
			text, _ := output.Data["text/plain"].(string)
			picture, _ := output.Data["image/png"].(string)
			if strings.Contains(text, "640×") != (len(picture) > 1000) {
				t.Errorf("cell %s: figure %q has a picture of %d bytes", cell.ID, text, len(picture))
			}
		}
		if text, ok := want[cell.ID]; ok && !strings.Contains(textOf(cell), text) {
			t.Errorf("cell %s does not show %q but\n%s", cell.ID, text, textOf(cell))
		}
		delete(want, cell.ID)
	}
	if len(want) > 0 {
		t.Errorf("cells are missing: %v", want)
	}
}

// cellText returns the texts of the cell with the given id.
func cellText(t *testing.T, notebook *nbformat.Notebook, id string) string {
	t.Helper()
	for _, cell := range notebook.Cells {
		if cell.ID == id {
			return textOf(cell)
		}
	}
	t.Fatalf("there is no cell %s", id)
	return ""
}
