package editing

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"gosphere/internal/command/process"
	"gosphere/internal/lsp"
	"gosphere/kernel/client"
)

// LSP is the subcommand that serves editors.
type LSP struct {
	Connection string `placeholder:"FILE" type:"path" help:"Connection file of a running kernel. Cells are then checked below those that it has executed, and names show their values."`
	Stdio      bool   `hidden:"" help:"Accepted for clients that state it: the standard streams are the only transport."`
}

// Help returns the text that gosphere lsp --help shows below the first line.
func (*LSP) Help() string {
	return "An editor starts this command and speaks the Language Server Protocol with it, for notebooks, .cells.go files and scripts. docs/editors.md has the settings of editors."
}

// attaching bounds the time to connect to a kernel.
const attaching = 10 * time.Second

// Run serves until the client exits.
func (l *LSP) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	compiled, err := process.Preloaded.Open()
	if err != nil {
		return err
	}
	options := lsp.Options{Packages: compiled, Version: process.Release(), Log: os.Stderr}
	if l.Connection != "" {
		bounded, cancel := context.WithTimeout(ctx, attaching)
		defer cancel()
		if options.Kernel, err = client.Dial(bounded, l.Connection); err != nil {
			return err
		}
		defer options.Kernel.Close()
	}
	return lsp.Serve(ctx, os.Stdin, os.Stdout, options)
}
