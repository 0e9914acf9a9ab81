package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/internal/notebook/run"
	"gosphere/kernel/client"
	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// A kernel runs the cells of one notebook, or of all if it is that of a connection file.
type kernel struct {
	name    string // of the notebook
	client  *client.Client
	process *client.Process // nil for the kernel of a connection file
	running sync.Mutex      // held while cells run
}

// Execute implements run.Session. It does not end with ctx, but after Interrupt or with the kernel.
func (k *kernel) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	reply, err := k.client.Execute(context.WithoutCancel(ctx), request, publish)
	if err != nil {
		return protocol.ExecuteReply{Status: protocol.Failed, Ename: "kernel", Evalue: k.reason(err)}
	}
	return reply
}

// Interrupt implements run.Session.
func (k *kernel) Interrupt() {
	ctx, stop := context.WithTimeout(context.Background(), lastWords)
	defer stop()
	k.client.Interrupt(ctx)
}

// reason describes an error of a request. If the kernel has ended, it has the last lines that the
// process wrote.
func (k *kernel) reason(err error) string {
	if k.process == nil || !errors.Is(err, client.ErrGone) {
		return err.Error()
	}
	select {
	case <-k.process.Exited():
		return "the kernel has ended, and its variables are lost: " + k.process.Failure().Error()
	case <-time.After(lastWords):
		return err.Error()
	}
}

// isOver reports whether the kernel has ended.
func (k *kernel) isOver() bool {
	select {
	case <-k.client.Ended():
		return true
	default:
		return false
	}
}

// kernelOf returns the kernel of a notebook, given by its path, which is "" for cells of no
// notebook. It starts one if needed.
func (a *Agent) kernelOf(ctx context.Context, path string) (*kernel, error) {
	if k, err := a.runningKernel(path); k != nil || err != nil {
		return k, err
	}
	folder := a.options.Folder
	if path != "" {
		folder = filepath.Dir(path)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.kernels[path]; k != nil && !k.isOver() {
		return k, nil
	}
	if len(a.kernels) >= mostKernels {
		return nil, fmt.Errorf("%d kernels are running, the maximum: end one with stop_kernel", len(a.kernels))
	}
	process, err := a.options.Launch(ctx, folder)
	if err != nil {
		return nil, err
	}
	k := &kernel{name: path, client: process.Client, process: process}
	a.kernels[path] = k
	return k, nil
}

// runningKernel returns the kernel of a notebook if it runs, and nil otherwise.
func (a *Agent) runningKernel(path string) (*kernel, error) {
	if a.live != nil {
		if a.live.isOver() {
			return nil, fmt.Errorf("the kernel of %s has ended", a.options.Connection)
		}
		return a.live, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.kernels[path]
	if k != nil && k.isOver() {
		delete(a.kernels, path)
		k.process.End(lastWords)
		return nil, nil
	}
	return k, nil
}

type runArguments struct {
	notebookArgument
	Cells    []string `json:"cells,omitempty" jsonschema:"ids or numbers of the cells to run, in this order; all code cells if empty"`
	Restart  bool     `json:"restart,omitempty" jsonschema:"whether to run in a new kernel, without the variables of earlier runs"`
	Timeout  int      `json:"timeout,omitempty" jsonschema:"limit per cell in seconds"`
	Pictures *bool    `json:"pictures,omitempty" jsonschema:"whether to return figures as pictures; true if absent"`
}

func (a *Agent) runCells(ctx context.Context, _ *mcp.CallToolRequest, in runArguments) (*mcp.CallToolResult, any, error) {
	path, notebook, err := a.read(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := choose(notebook, in.Cells)
	if err != nil {
		return nil, nil, err
	}
	part := &nbformat.Notebook{Metadata: maps.Clone(notebook.Metadata)}
	var numbers []int
	for _, i := range chosen {
		if c := notebook.Cells[i]; c.Type == nbformat.Code {
			part.Cells, numbers = append(part.Cells, c), append(numbers, i+1)
		}
	}
	if len(numbers) == 0 {
		return nil, nil, errors.New("none of these cells is a code cell")
	}
	limit, err := a.limit(in.Timeout)
	if err != nil {
		return nil, nil, err
	}
	if in.Restart {
		if err := a.stop(path); err != nil {
			return nil, nil, err
		}
	}
	k, err := a.kernelOf(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	k.running.Lock()
	defer k.running.Unlock()
	failure := run.Run(ctx, k, part, run.Options{Timeout: limit})
	if err := a.store(in.Notebook, part); err != nil {
		return nil, nil, err
	}
	r := a.newResult(in.Pictures == nil || *in.Pictures)
	a.report(r, part, numbers, failure)
	return r.done(), nil, nil
}

// report adds the outputs of the cells that were run.
func (a *Agent) report(r *result, part *nbformat.Notebook, numbers []int, failure error) {
	var failed *run.CellError
	errors.As(failure, &failed)
	for i, c := range part.Cells {
		state := "ok"
		switch {
		case c.HasTag(run.TagSkip):
			state = "skipped, because it has the tag " + run.TagSkip
		case strings.TrimSpace(c.Source) == "":
			state = "empty"
		case failed != nil && failed.Number == i+1:
			state = "failed"
		}
		r.printf("=== cell %d (id %s): %s\n", numbers[i], c.ID, state)
		r.outputs(c.Outputs)
		if failed != nil && failed.Number == i+1 {
			if failed.Ename == "Timeout" {
				r.printf("the time limit: %s\n", failed.Evalue)
			}
			if rest := len(numbers) - i - 1; rest > 0 {
				r.printf("=== not run, because of the error: %d more\n", rest)
			}
			break
		}
	}
	if failure != nil {
		r.failed = true
		if failed == nil {
			r.printf("=== interrupted: %v\n", failure)
		}
	}
}

// limit returns the time limit of cells for a tool call.
func (a *Agent) limit(seconds int) (time.Duration, error) {
	asked := time.Duration(seconds) * time.Second
	switch {
	case seconds < 0 || asked > a.options.Timeout:
		return 0, fmt.Errorf("timeout %d: want at most the limit of this server, %v", seconds, a.options.Timeout)
	case seconds == 0:
		return a.options.Timeout, nil
	}
	return asked, nil
}

// store writes the outputs of cells into the notebook. The file is read again, because it may have
// been changed while the cells ran; a cell whose source was changed keeps its outputs.
func (a *Agent) store(name string, part *nbformat.Notebook) error {
	a.files.Lock()
	defer a.files.Unlock()
	path, notebook, err := a.read(name)
	if err != nil {
		return err
	}
	for _, c := range part.Cells {
		for _, now := range notebook.Cells {
			if now.ID == c.ID && now.Source == c.Source {
				now.Outputs, now.ExecutionCount = c.Outputs, c.ExecutionCount
			}
		}
	}
	for _, key := range []string{"kernelspec", "language_info"} {
		if value, ok := part.Metadata[key]; ok {
			notebook.Metadata[key] = value
		}
	}
	return nbformat.WriteFile(path, notebook)
}

type codeArguments struct {
	Code     string `json:"code" jsonschema:"Go statements, declarations and expressions; the value of the last expression is shown"`
	Notebook string `json:"notebook,omitempty" jsonschema:"notebook whose variables the code uses; none if empty"`
	Timeout  int    `json:"timeout,omitempty" jsonschema:"limit in seconds"`
}

func (a *Agent) runCode(ctx context.Context, _ *mcp.CallToolRequest, in codeArguments) (*mcp.CallToolResult, any, error) {
	limit, err := a.limit(in.Timeout)
	if err != nil {
		return nil, nil, err
	}
	path, err := a.pathOf(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	k, err := a.kernelOf(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	r := a.newResult(true)
	a.runIn(ctx, k, in.Code, limit, r)
	return r.done(), nil, nil
}

// pathOf returns the path of a notebook, or "" for the name "".
func (a *Agent) pathOf(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	path, _, err := a.read(name)
	return path, err
}

// runIn runs code and adds its outputs.
func (a *Agent) runIn(ctx context.Context, k *kernel, code string, limit time.Duration, r *result) {
	k.running.Lock()
	defer k.running.Unlock()
	part := nbformat.New()
	part.Add(nbformat.Code, code)
	failure := run.Run(ctx, k, part, run.Options{Timeout: limit})
	r.outputs(part.Cells[0].Outputs)
	if failure != nil {
		r.failed = true
		if failed := (*run.CellError)(nil); !errors.As(failure, &failed) {
			r.printf("interrupted: %v\n", failure)
		} else if failed.Ename == "Timeout" {
			r.printf("the time limit: %s\n", failed.Evalue)
		}
	} else if r.text.Len() == 0 {
		r.printf("ok, no output\n")
	}
}

// stop ends the kernel of a notebook, if there is one.
func (a *Agent) stop(path string) error {
	if a.live != nil {
		return errors.New("the kernel belongs to another program, which can restart it: %reset in run_code removes its variables")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.kernels[path]; k != nil {
		delete(a.kernels, path)
		k.process.End(lastWords)
	}
	return nil
}
