package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A kernelArgument names the kernel of a notebook.
type kernelArgument struct {
	Notebook string `json:"notebook,omitempty" jsonschema:"notebook whose kernel is meant; the one of run_code without a notebook if empty"`
}

// errNoKernel is the error of tools that need a kernel and do not start one.
var errNoKernel = errors.New("no kernel is running for it: run_cells or run_code starts one")

// running returns the running kernel of a notebook.
func (a *Agent) running(name string) (*kernel, error) {
	path, err := a.pathOf(name)
	if err != nil {
		return nil, err
	}
	k, err := a.runningKernel(path)
	if err == nil && k == nil {
		err = errNoKernel
	}
	return k, err
}

func (a *Agent) listKernels(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	if a.live != nil {
		return text("the kernel of " + a.options.Connection), nil, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []string
	for path, k := range a.kernels {
		state := "idle"
		if k.isOver() {
			state = "ended"
		} else if !k.running.TryLock() {
			state = "busy"
		} else {
			k.running.Unlock()
		}
		if path == "" {
			path = "(no notebook)"
		}
		list = append(list, path+"\t"+state)
	}
	if len(list) == 0 {
		return text("no kernels are running"), nil, nil
	}
	slices.Sort(list)
	return text(strings.Join(list, "\n")), nil, nil
}

type variablesArguments struct {
	kernelArgument
	Names []string `json:"names,omitempty" jsonschema:"names of variables; all if empty"`
}

func (a *Agent) listVariables(ctx context.Context, _ *mcp.CallToolRequest, in variablesArguments) (*mcp.CallToolResult, any, error) {
	k, err := a.running(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range in.Names {
		if strings.ContainsAny(name, " \t\r\n") {
			return nil, nil, fmt.Errorf("%q is not the name of a variable", name)
		}
	}
	r := a.newResult(false)
	a.runIn(ctx, k, strings.TrimSpace("%vars "+strings.Join(in.Names, " ")), a.options.Timeout, r)
	return r.done(), nil, nil
}

func (a *Agent) sessionCells(ctx context.Context, _ *mcp.CallToolRequest, in kernelArgument) (*mcp.CallToolResult, any, error) {
	k, err := a.running(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	entries, err := k.client.History(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) == 0 {
		return text("no cells have been run"), nil, nil
	}
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "=== [%d]\n%s\n", e.Count, e.Source)
	}
	return a.bounded(b.String()), nil, nil
}

func (a *Agent) interruptKernel(ctx context.Context, _ *mcp.CallToolRequest, in kernelArgument) (*mcp.CallToolResult, any, error) {
	k, err := a.running(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	if err := k.client.Interrupt(ctx); err != nil {
		return nil, nil, err
	}
	return text("interrupted; variables are kept"), nil, nil
}

func (a *Agent) stopKernel(_ context.Context, _ *mcp.CallToolRequest, in kernelArgument) (*mcp.CallToolResult, any, error) {
	path, err := a.pathOf(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	if a.live == nil {
		if k, err := a.runningKernel(path); err != nil || k == nil {
			return nil, nil, errors.Join(err, errNoKernel)
		}
	}
	if err := a.stop(path); err != nil {
		return nil, nil, err
	}
	return text("ended; the next run starts a new kernel without variables"), nil, nil
}
