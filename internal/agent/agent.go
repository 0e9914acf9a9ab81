// Package agent lets programs that write code work with notebooks: it serves the Model Context
// Protocol, with tools that list, read, change, check and run the cells of notebook files, and that
// report variables, documentation and the cells of a running kernel.
//
// Cells run in kernels, which are processes of their own: one for each notebook, started when a
// cell first runs, or the one of a connection file. A crash of a cell therefore ends a kernel and
// not the server.
//
// Read agent.go, tools.go (the list of tools), files.go (notebooks on disk), edit.go, check.go,
// run.go (cells and kernels), session.go, docs.go, content.go (results), and http.go.
//
//	a, err := agent.New(agent.Options{Folder: ".", Packages: compiled, Launch: launch})
//	defer a.Close()
//	err = a.Server().Run(ctx, &mcp.StdioTransport{})
package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"gosphere/kernel/client"
	"gosphere/runtime/session"
)

// Options configure an Agent.
type Options struct {
	// Folder contains the notebooks. Files outside of it are refused.
	Folder string
	// Packages are those that cells may import.
	Packages *session.Compiled
	// Launch starts a kernel whose working directory is a folder.
	Launch func(ctx context.Context, folder string) (*client.Process, error)
	// Connection is the connection file of a running kernel, in which all cells run. If it is "",
	// kernels are started by Launch.
	Connection string
	// ReadOnly leaves out the tools that change files or run cells.
	ReadOnly bool
	// Timeout bounds the time of each cell; a tool call may ask for less. 0 stands for
	// DefaultTimeout.
	Timeout time.Duration
	// Output bounds the characters of the result of a tool call; 0 stands for DefaultOutput.
	Output int
	// Version is that of the program.
	Version string
}

// Defaults of Options.
const (
	DefaultTimeout = 5 * time.Minute
	DefaultOutput  = 20_000
)

// mostKernels is the maximum number of kernels that run at a time. Each takes some 100 MB.
const mostKernels = 8

// An Agent serves clients of the protocol. All of them share its kernels.
type Agent struct {
	options Options

	files   sync.Mutex // held while a notebook is read, changed and written
	history map[string]*changes

	mu      sync.Mutex // guards the following fields
	kernels map[string]*kernel
	live    *kernel // of Options.Connection
}

// New returns an Agent. The folder must exist.
func New(o Options) (*Agent, error) {
	folder, err := filepath.Abs(o.Folder)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	o.Folder = folder
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Output == 0 {
		o.Output = DefaultOutput
	}
	a := &Agent{options: o, history: map[string]*changes{}, kernels: map[string]*kernel{}}
	if o.Connection != "" {
		ctx, stop := context.WithTimeout(context.Background(), connecting)
		defer stop()
		c, err := client.Dial(ctx, o.Connection)
		if err != nil {
			return nil, err
		}
		a.live = &kernel{name: o.Connection, client: c}
	}
	return a, nil
}

// connecting bounds the time to connect to a running kernel.
const connecting = 10 * time.Second

// Close ends the kernels that were started, and leaves the one of a connection file running.
func (a *Agent) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ending sync.WaitGroup
	for _, k := range a.kernels {
		ending.Go(func() { k.process.End(lastWords) })
	}
	ending.Wait()
	clear(a.kernels)
	if a.live != nil {
		a.live.client.Close()
	}
}

// lastWords bounds the time that a kernel has for its end.
const lastWords = 3 * time.Second
