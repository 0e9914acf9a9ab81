// Package check runs a notebook again and reports whether its outputs equal the stored ones.
//
// A notebook is run with its stored parameters. If its parameter quick is true in the source, the
// stored outputs must not be those of a run with another value: a full run takes hours, and a quick
// one has other outputs. The notebook's metadata state the allowed differences, see package
// gosphere/internal/notebook/compare.
//
//	result, err := check.Notebook(ctx, session, stored, check.Options{})
//	if err == nil && result.Differs() {
//		result.Write(os.Stdout, "notebook.ipynb")
//	}
package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"gosphere/internal/notebook/compare"
	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
)

// quick is the parameter that makes a notebook finish in minutes.
const quick = "quick"

// Options configure a check.
type Options struct {
	Run run.Options
	// Full also runs a notebook whose parameter quick is true and that was stored with false.
	Full bool
}

// A Result is the result of a check.
type Result struct {
	Fresh    *nbformat.Notebook // the notebook after the new run
	Cells    []Cell             // cells that differ
	Compared int                // number of code cells whose outputs were compared
	Skipped  int                // number of code cells excluded by their metadata
}

// A Cell is a cell whose outputs differ from the stored ones.
type Cell struct {
	Number      int // index in the notebook, from 1
	ID          string
	Differences []compare.Difference
}

// Differs reports whether the outputs of any cell differ.
func (r *Result) Differs() bool { return len(r.Cells) > 0 }

// Notebook runs a copy of the notebook and compares the outputs of its code cells with the stored
// ones. The error wraps the *run.CellError of a cell that fails, or is the reason why the notebook
// cannot be checked; the result then contains the outputs so far.
func Notebook(ctx context.Context, session run.Session, stored *nbformat.Notebook, options Options) (*Result, error) {
	result := &Result{}
	tolerances, err := checkable(stored, options.Full)
	if err != nil {
		return result, err
	}
	fresh, err := clone(stored)
	if err != nil {
		return result, err
	}
	runErr := run.Run(ctx, session, fresh, options.Run)
	// A file contains strings where fresh outputs contain Go values.
	if result.Fresh, err = clone(fresh); runErr != nil || err != nil {
		return result, errors.Join(runErr, err)
	}
	result.compare(stored, tolerances)
	return result, nil
}

// Executed compares a notebook with a copy of it that was executed by another program, such as
// nbclient or JupyterLab. The copy must have the same cells, and those that were run when the
// notebook was stored must have been run; the error names the first cell that violates this. Cells
// with the tag skip-execution, which JupyterLab runs, are not compared.
func Executed(stored, executed *nbformat.Notebook) (*Result, error) {
	result := &Result{Fresh: executed}
	tolerances, err := checkable(stored, true)
	if err != nil {
		return result, err
	}
	if len(stored.Cells) != len(executed.Cells) {
		return result, fmt.Errorf("the executed notebook has %d cells, the stored one %d", len(executed.Cells), len(stored.Cells))
	}
	for i, cell := range stored.Cells {
		fresh := executed.Cells[i]
		switch {
		case fresh.Type != cell.Type || fresh.Source != cell.Source:
			return result, fmt.Errorf("cell %d (id %s) of the executed notebook has another text than the stored one", i+1, cell.ID)
		case cell.ExecutionCount > 0 && fresh.ExecutionCount == 0:
			return result, fmt.Errorf("cell %d (id %s) of the executed notebook was not run", i+1, cell.ID)
		case cell.HasTag(run.TagSkip):
			tolerances[i].Skip = "a run for storing leaves it out"
		}
	}
	result.compare(stored, tolerances)
	return result, nil
}

// compare compares the outputs of the code cells.
func (r *Result) compare(stored *nbformat.Notebook, tolerances []compare.Tolerances) {
	for i, cell := range stored.Cells {
		switch {
		case cell.Type != nbformat.Code:
			continue
		case tolerances[i].Skip != "":
			r.Skipped++
			continue
		}
		r.Compared++
		if found := compare.Outputs(cell.Outputs, r.Fresh.Cells[i].Outputs, tolerances[i]); len(found) > 0 {
			r.Cells = append(r.Cells, Cell{Number: i + 1, ID: cell.ID, Differences: found})
		}
	}
}

// checkable returns the tolerances of the cells, or the reason why the notebook cannot be checked.
func checkable(stored *nbformat.Notebook, full bool) ([]compare.Tolerances, error) {
	if value := run.Values(stored)[quick]; run.Defaults(stored)[quick] == "true" && value != "true" && !full {
		return nil, fmt.Errorf("the stored outputs are those of quick = %s, and a check makes those of a quick run: "+
			"store them with gosphere run -p quick=true, or check the full run with --full", value)
	}
	ran, code := false, false
	list := make([]compare.Tolerances, len(stored.Cells))
	for i, cell := range stored.Cells {
		t, err := compare.TolerancesOf(stored, cell)
		if err != nil {
			return nil, err
		}
		list[i] = t
		ran = ran || cell.ExecutionCount > 0
		code = code || cell.Type == nbformat.Code
	}
	if code && !ran {
		return nil, errors.New("no outputs are stored to compare with: run the notebook and store it (gosphere run NOTEBOOK -o NOTEBOOK)")
	}
	return list, nil
}

// clone returns a deep copy of the notebook.
func clone(notebook *nbformat.Notebook) (*nbformat.Notebook, error) {
	var text bytes.Buffer
	if err := nbformat.Write(&text, notebook); err != nil {
		return nil, err
	}
	return nbformat.Read(text.Bytes())
}

// Merge copies the new outputs of the cells that differ into the stored notebook, and renumbers the
// others if cells were added or removed before them. It leaves the other outputs unchanged, so that
// a file changes only where the outputs differ.
func (r *Result) Merge(stored *nbformat.Notebook) {
	for _, cell := range r.Cells {
		fresh := r.Fresh.Cells[cell.Number-1]
		stored.Cells[cell.Number-1].Outputs = fresh.Outputs
		stored.Cells[cell.Number-1].ExecutionCount = fresh.ExecutionCount
	}
	for i, cell := range stored.Cells {
		count := r.Fresh.Cells[i].ExecutionCount
		if cell.ExecutionCount == 0 || count == 0 || count == cell.ExecutionCount {
			continue
		}
		for j := range cell.Outputs {
			if cell.Outputs[j].ExecutionCount == cell.ExecutionCount {
				cell.Outputs[j].ExecutionCount = count
			}
		}
		cell.ExecutionCount = count
	}
}

// Write prints the differences for a person. The name is that of the notebook.
func (r *Result) Write(w io.Writer, name string) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s: %s\n", name, r.Summary())
	for _, cell := range r.Cells {
		for _, difference := range cell.Differences {
			fmt.Fprintf(&text, "\n  cell %d (id %s), %s\n", cell.Number, cell.ID, difference.Place)
			for _, line := range difference.Lines {
				fmt.Fprintf(&text, "    %s\n", line)
			}
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// Summary returns the result in one line.
func (r *Result) Summary() string {
	text := fmt.Sprintf("%d of %d cells differ", len(r.Cells), r.Compared)
	if !r.Differs() {
		text = fmt.Sprintf("all %d cells show what is stored", r.Compared)
	}
	if r.Skipped > 0 {
		text += fmt.Sprintf(", %d not compared", r.Skipped)
	}
	return text
}
