//go:build !race

package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

// TestOwnLossesTrainFromCells runs the notebook in which losses are written in cells: as a
// function, as a type with methods, and as a graph.
func TestOwnLossesTrainFromCells(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four adapters")
	}
	notebook, err := nbformat.ReadFile("../../../notebooks/own-losses.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if err := notebook.Check(); err != nil {
		t.Error(err)
	}
	if _, err := run.Inject(notebook, []run.Parameter{{Name: "epochs", Value: "2"}, {Name: "scenes", Value: "60"}}); err != nil {
		t.Fatal(err)
	}
	s := sessiontest.New(t)
	if err := run.Run(context.Background(), s, notebook, run.Options{Timeout: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"data":     "InfoNCE: loss from",
		"function": "hinge: loss from",
		// Doubled in the first batch's entry, which only this loss's numbers decide.
		"wrong":     `custom: loss "hinge": its derivative with respect to LogLikelihoods[2][2] is`,
		"type":      "pull: loss from",
		"variances": "likelihood: loss from",
		"graph":     "focal: loss from",
		"picture":   "A focal loss of the log-likelihoods (graph of",
	}
	for _, cell := range notebook.Cells {
		if text, ok := want[cell.ID]; ok && !strings.Contains(textOf(cell), text) {
			t.Errorf("cell %s does not show %q but\n%s", cell.ID, text, textOf(cell))
		}
		delete(want, cell.ID)
	}
	if len(want) > 0 {
		t.Errorf("cells are missing: %v", want)
	}
}
