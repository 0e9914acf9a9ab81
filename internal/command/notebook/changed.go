package notebook

import (
	"fmt"
	"io"
	"path/filepath"

	"gosphere/internal/command/process"
	"gosphere/internal/notebook/imports"
	"gosphere/internal/notebook/run"
	"gosphere/internal/notebook/stamp"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
)

// follow has a run store stamps in the metadata of the cells that have run, by which later runs and
// vet know whether their outputs belong to the source. With --changed, it has only those cells run
// whose stamps are missing or old, and those that these need.
func (r *Run) follow(notebook *nbformat.Notebook, options *run.Options, stderr io.Writer) (store func(), err error) {
	read := func() (*stamp.Notebook, error) {
		known, err := process.Preloaded.Open()
		if err != nil {
			return nil, err
		}
		dir, err := filepath.Abs(filepath.Dir(r.File))
		if err != nil {
			return nil, err
		}
		packages, err := imports.Of(known, notebook, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.File, err)
		}
		return stamp.New(notebook, graph.Build(notebook, packages)), nil
	}
	if r.Changed {
		n, err := read()
		if err != nil {
			return nil, err
		}
		plan := n.Plan()
		fmt.Fprintf(stderr, "%d of %d cells have changed\n", stamp.Stale(plan), len(plan))
		options.Plan = func(number int) (runs, shows bool) { s := plan[number]; return s.Run, s.Shows }
	}
	return func() {
		// The modules are stored after the run, and the stamps depend on them. A cell that has run but
		// does not compile now may import a file that could not be read for a moment.
		n, err := read()
		if err != nil || n.Doubtful() {
			n, err = read()
		}
		if err != nil {
			fmt.Fprintf(stderr, "%v: later runs do not know which cells of %s have changed\n", err, r.File)
		} else {
			n.Stamp(func(number int) bool { return notebook.Cells[number-1].ExecutionCount > 0 })
		}
	}, nil
}
