// Package run executes a notebook from its first to its last cell, without Jupyter, and stores the
// outputs as Jupyter would.
//
// [Run] accepts any implementation of Session; a runtime session is one. It honors the tags of
// nbclient and papermill: a cell tagged parameters is followed by one tagged injected-parameters
// with the values of this run, a cell tagged raises-exception may fail, and a cell tagged
// skip-execution is skipped. Any other error ends the run; the notebook then contains all outputs
// so far.
//
// Read run.go first, then outputs.go and parameters.go.
//
//	notebook, err := nbformat.ReadFile("quickstart.ipynb")
//	unknown, err := run.Inject(notebook, []run.Parameter{{Name: "epochs", Value: "5"}})
//	err = run.Run(ctx, session, notebook, run.Options{Timeout: time.Minute})
//	err = nbformat.WriteFile("result.ipynb", notebook)
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// Tags that Run honors.
const (
	tagRaises = "raises-exception"
	// TagSkip is the tag of cells that are not run. JupyterLab does not know it.
	TagSkip = "skip-execution"
)

// A Session executes cells one after another and keeps their definitions.
type Session interface {
	// Execute runs one cell and returns after all its output was passed to publish. Publish may
	// also be called later, and from any goroutine.
	Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply
	// Interrupt makes the running Execute return soon, with an error. It may be called from any
	// goroutine.
	Interrupt()
}

// informed is a session that describes its language, for the notebook's metadata.
type informed interface {
	Info() (protocol.LanguageInfo, string, []protocol.HelpLink)
}

// Options configure a run. The zero value is usable.
type Options struct {
	// Timeout bounds the time of each cell; 0 means no limit.
	Timeout time.Duration
	// Report is called before and after each cell, in order. It may be nil.
	Report func(Step)
	// Output is called with every output as it is published, from the goroutine that made it, one
	// call at a time. If nil, outputs only go into the notebook.
	Output func(protocol.Content)
	// Source returns the Go file that a cell is from, and the line in the file at which it begins.
	// It may be nil.
	Source func(*nbformat.Cell) (file string, line int)
	// Plan says for a code cell, by its number in the notebook, whether it runs and whether its
	// outputs replace the stored ones. A nil Plan has all cells do both. With a plan, the cells get
	// the execution counts of a whole run.
	Plan func(number int) (runs, shows bool)
	// Kernelspec is written to the notebook's metadata. If nil, that of gosphere is.
	Kernelspec map[string]any
}

// A Step reports that a cell begins or has ended.
type Step struct {
	Number, Total int // number among the code cells that run, from 1
	Cell          *nbformat.Cell
	Done          bool
	Elapsed       time.Duration // set if Done
}

// A CellError is the error of a cell that ended the run.
type CellError struct {
	Number    int // index in the notebook, from 1, including text cells
	ID        string
	Ename     string
	Evalue    string
	Traceback []string // as shown in the notebook, with terminal colors
}

// Error returns the number of the cell and the error.
func (e *CellError) Error() string {
	return fmt.Sprintf("notebook: cell %d (id %s): %s: %s", e.Number, e.ID, e.Ename, e.Evalue)
}

// stopGrace is the time that an interrupted cell may take to end. After it the run returns without
// the cell, and the session must not be used again.
const stopGrace = 10 * time.Second

// Run executes the code cells of a notebook in order and replaces their outputs. It returns a
// *CellError for the first cell that fails, and otherwise the reason why the context ended, or nil.
// The notebook contains all outputs in any case.
func Run(ctx context.Context, session Session, notebook *nbformat.Notebook, options Options) error {
	describe(notebook, session, options.Kernelspec)
	var planned []int
	for i, cell := range notebook.Cells {
		if cell.Type != nbformat.Code || cell.HasTag(TagSkip) {
			continue
		}
		if _, shows := options.step(i + 1); shows {
			cell.Outputs, cell.ExecutionCount = nil, 0 // of an earlier run
		}
		if strings.TrimSpace(cell.Source) != "" {
			planned = append(planned, i)
		}
	}
	all := newRecord(options.Output)
	defer all.store(notebook)
	for k, i := range planned {
		cell := notebook.Cells[i]
		runs, shows := options.step(i + 1)
		if !runs {
			recount(cell, k+1)
			continue
		}
		outputs := all.cell(cell)
		if !shows {
			outputs.cell = &nbformat.Cell{} // the stored ones are those of this run
			recount(cell, k+1)
		}
		if options.Plan != nil {
			outputs.count = k + 1
		}
		report(options.Report, Step{Number: k + 1, Total: len(planned), Cell: cell})
		started := time.Now()
		err := execute(ctx, session, cell, outputs, options)
		report(options.Report, Step{Number: k + 1, Total: len(planned), Cell: cell, Done: true, Elapsed: time.Since(started)})
		var failed *CellError
		if errors.As(err, &failed) {
			failed.Number, failed.ID = i+1, cell.ID
			if cell.HasTag(tagRaises) && ctx.Err() == nil {
				continue
			}
		}
		if err != nil {
			if options.Plan != nil {
				forget(notebook, i, outputs)
			}
			return err
		}
	}
	return nil
}

// step returns what happens to a cell.
func (o *Options) step(number int) (runs, shows bool) {
	if o.Plan == nil {
		return true, true
	}
	return o.Plan(number)
}

// recount gives a cell that keeps its outputs the execution count of a whole run.
func recount(cell *nbformat.Cell, count int) {
	cell.ExecutionCount = count
	for i := range cell.Outputs {
		if cell.Outputs[i].Type == nbformat.ExecuteResult {
			cell.Outputs[i].ExecutionCount = count
		}
	}
}

// forget removes the outputs of a cell that has failed, whose new ones replace them, and of the
// cells below it.
func forget(notebook *nbformat.Notebook, failed int, outputs *cellOutputs) {
	notebook.Cells[failed].Outputs = nil
	outputs.cell = notebook.Cells[failed]
	for _, cell := range notebook.Cells[failed+1:] {
		if cell.Type == nbformat.Code && !cell.HasTag(TagSkip) {
			cell.Outputs, cell.ExecutionCount = nil, 0
		}
	}
}

func report(call func(Step), step Step) {
	if call != nil {
		call(step)
	}
}

// execute runs one cell and returns a *CellError if it fails.
func execute(ctx context.Context, session Session, cell *nbformat.Cell, outputs *cellOutputs, options Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if options.Timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, options.Timeout)
	}
	defer cancel()
	request := protocol.ExecuteRequest{Code: cell.Source, StoreHistory: true, StopOnError: true, Count: outputs.count}
	if options.Source != nil {
		request.File, request.Line = options.Source(cell)
	}
	replies := make(chan protocol.ExecuteReply, 1)
	// This goroutine runs the cell and ends with it. The channel is buffered, so that it can end
	// without a receiver.
	go func() { replies <- session.Execute(bounded, request, outputs.publish) }()
	var reply protocol.ExecuteReply
	select {
	case reply = <-replies:
	case <-bounded.Done():
		session.Interrupt()
		select {
		case reply = <-replies:
		case <-time.After(stopGrace):
			reply = protocol.ExecuteReply{Status: "error", Ename: "KeyboardInterrupt", Evalue: "the cell could not be interrupted"}
		}
	}
	cell.ExecutionCount = reply.ExecutionCount
	if reply.Status == "ok" {
		return nil // also if the timeout expired while the reply was being sent
	}
	failed := &CellError{Ename: reply.Ename, Evalue: reply.Evalue, Traceback: reply.Traceback}
	if timedOut := bounded.Err(); timedOut != nil && ctx.Err() == nil {
		failed.Ename, failed.Evalue = "Timeout", fmt.Sprintf("the cell took longer than %v", options.Timeout)
	}
	outputs.ensureError(failed)
	return failed
}

// describe writes the metadata by which Jupyter chooses kernel and colors.
func describe(notebook *nbformat.Notebook, session Session, kernelspec map[string]any) {
	if notebook.Metadata == nil {
		notebook.Metadata = map[string]any{}
	}
	if kernelspec == nil {
		kernelspec = map[string]any{"name": "gosphere", "display_name": "Go (gosphere)", "language": "go"}
	}
	notebook.Metadata["kernelspec"] = maps.Clone(kernelspec)
	if s, ok := session.(informed); ok {
		language, _, _ := s.Info()
		// Converted by JSON, because the names of the fields are those of the protocol.
		text, err := json.Marshal(language)
		fields := map[string]any{}
		if err == nil && json.Unmarshal(text, &fields) == nil {
			notebook.Metadata["language_info"] = fields
		}
	}
}
