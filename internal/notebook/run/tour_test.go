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

func TestTheTourRuns(t *testing.T) {
	notebook, err := nbformat.ReadFile("../../../notebooks/tour.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Run(context.Background(), sessiontest.New(t), notebook, run.Options{Timeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"errors": "*fs.PathError wraps", "csv": "2026-01-02  Rome       NULL", "goroutines": "14", "http": "hello gopher",
		"rows": "Saturn  Titan    2574.7", "interrupt": "context deadline exceeded", "test": "ok",
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
