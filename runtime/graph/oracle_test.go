package graph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/scribe"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
)

// outputs runs a notebook and returns what each cell prints, by number.
func outputs(t *testing.T, n *nbformat.Notebook) map[int]string {
	t.Helper()
	// Errors of cells are part of the comparison.
	for _, c := range n.Cells {
		c.Metadata["tags"] = []any{"raises-exception"}
	}
	n.ClearOutputs()
	if err := run.Run(context.Background(), sessiontest.New(t), n, run.Options{}); err != nil {
		t.Fatal(err)
	}
	texts := map[int]string{}
	for i, c := range n.Cells {
		for _, o := range c.Outputs {
			if o.Name != "stderr" {
				texts[i+1] += o.Text + o.Evalue
			}
		}
	}
	return texts
}

// TestEveryChangedCellIsStale edits a number in one cell of random notebooks and runs them before
// and after. A cell that prints something else must be stale. Stale cells that print the same are
// counted: their share is bounded, since marks on everything would be right as well.
func TestEveryChangedCellIsStale(t *testing.T) {
	const notebooks = 40
	packages := sessiontest.Packages(t)
	var changed, marked, cells int
	for seed := range notebooks {
		w := scribe.New(uint64(seed))
		n := nbformat.New()
		n.Add(nbformat.Code, scribe.Setup)
		for range 14 {
			n.Add(nbformat.Code, w.Cell())
		}
		before := outputs(t, n)
		edited := 1 + w.IntN(8)
		source := n.Cells[edited].Source
		text, ok := w.Edit(source)
		if !ok {
			continue
		}
		n.Cells[edited].Source = text
		after := outputs(t, n)
		g := graph.Build(n, packages)
		stale := g.Stale([]int{edited + 1}, true)
		for number := range n.Cells {
			number++
			if number <= edited+1 {
				continue
			}
			cells++
			isStale := slices.Contains(stale, number)
			differs := before[number] != after[number]
			if isStale {
				marked++
			}
			if differs {
				changed++
			}
			if differs && !isStale {
				t.Fatalf("seed %d: cell %d printed %q and prints %q after an edit of cell %d, and is not stale\n%s\n%v\n%s", seed, number, before[number], after[number], edited+1, texts(n), stale, g)
			}
		}
	}
	if changed == 0 || marked > 2*cells/3 {
		t.Errorf("of %d cells below edits, %d changed and %d are stale", cells, changed, marked)
	}
	t.Logf("%d cells below edits: %d changed, %d stale", cells, changed, marked)
}

// texts returns the cells with their numbers.
func texts(n *nbformat.Notebook) string {
	var b strings.Builder
	for i, c := range n.Cells {
		fmt.Fprintf(&b, "[%d]\n%s\n", i+1, c.Source)
	}
	return b.String()
}
