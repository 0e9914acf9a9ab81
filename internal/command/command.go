// Package command is gosphere's command line. Its subcommands are in subpackages: kernel serves
// Jupyter, notebook runs and manages notebooks and programs, editing serves agents and editors,
// laboratory trains and evaluates adapters, and machine installs gosphere and reports on the
// machine.
//
// The symbol tables are passed in, so that tests of most of these packages need not link them.
package command

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/device"
	"gosphere/internal/command/completion"
	"gosphere/internal/command/early"
	"gosphere/internal/command/editing"
	"gosphere/internal/command/importing"
	"gosphere/internal/command/kernel"
	"gosphere/internal/command/laboratory"
	"gosphere/internal/command/machine"
	"gosphere/internal/command/notebook"
	"gosphere/internal/command/process"
	"gosphere/internal/command/tasks"
	"gosphere/runtime/session"
)

// Line is the command line, as parsed by kong.
type Line struct {
	Kernel    kernel.Kernel         `cmd:"" group:"kernel" help:"Serve one Jupyter client (Jupyter calls this)."`
	Install   machine.Install       `cmd:"" group:"kernel" help:"Install the kernelspec, so that Jupyter offers gosphere."`
	List      machine.List          `cmd:"" group:"kernel" help:"List the installed kernelspecs of gosphere."`
	Uninstall machine.Uninstall     `cmd:"" group:"kernel" help:"Remove an installed kernelspec."`
	Run       notebook.Run          `cmd:"" group:"notebooks" help:"Run a notebook, a Go program or a file of cells without Jupyter."`
	Check     notebook.Check        `cmd:"" group:"notebooks" help:"Rerun notebooks and compare their outputs with the stored ones."`
	Vet       notebook.Vet          `cmd:"" group:"notebooks" help:"Report mistakes in notebooks without running them."`
	New       notebook.New          `cmd:"" group:"notebooks" help:"Create a notebook from a template."`
	Clean     notebook.Clean        `cmd:"" group:"notebooks" help:"Strip outputs, execution counts and times from notebooks."`
	Diff      notebook.Diff         `cmd:"" group:"notebooks" help:"Compare two notebooks cell by cell."`
	Export    notebook.Export       `cmd:"" group:"notebooks" help:"Export a notebook to a program, a page, slides or LaTeX."`
	Site      notebook.Site         `cmd:"" group:"notebooks" help:"Build a site of notebooks that run in the browser."`
	Repl      notebook.Repl         `cmd:"" group:"notebooks" help:"Run cells interactively in the terminal."`
	MCP       editing.MCP           `cmd:"" group:"notebooks" name:"mcp" help:"Serve agents that write and run cells (Model Context Protocol)."`
	LSP       editing.LSP           `cmd:"" group:"notebooks" name:"lsp" help:"Serve editors: a language server for cells."`
	Train     laboratory.Train      `cmd:"" group:"laboratory" help:"Train adapters on cached embeddings."`
	Eval      laboratory.Eval       `cmd:"" group:"laboratory" help:"Evaluate trained adapters: recall by uncertainty level, S, R2."`
	Crossval  laboratory.Crossval   `cmd:"" group:"laboratory" help:"Cross-validate adapters on a small set of embeddings."`
	Sweep     laboratory.Sweep      `cmd:"" group:"laboratory" help:"Run many trainings from a plan: grids and random samples of flags, methods and seeds."`
	Table     laboratory.Table      `cmd:"" group:"laboratory" help:"Tabulate results, next to published numbers where there are any."`
	Classify  tasks.Classify        `cmd:"" group:"laboratory" help:"Classify images by prompts, and reject those of no class."`
	Hierarchy tasks.Hierarchy       `cmd:"" group:"laboratory" help:"Measure uncertainties along chains of texts from general to specific."`
	Ood       tasks.OOD             `cmd:"" group:"laboratory" help:"Measure how well uncertainties find texts of another kind."`
	Search    laboratory.Search     `cmd:"" group:"laboratory" help:"Find the nearest rows of one file of embeddings for each row of another."`
	Vectors   laboratory.Vectors    `cmd:"" group:"laboratory" help:"Write images and captions as vectors for vector databases, in Parquet, .npy or safetensors."`
	Embed     laboratory.Embed      `cmd:"" group:"laboratory" help:"Embed a collection of pictures with captions or classes."`
	Import    importing.Import      `cmd:"" group:"laboratory" help:"Make a data set of arrays, CSV files or a folder, split by image, with a report."`
	EmbedInfo laboratory.EmbedInfo  `cmd:"" group:"laboratory" help:"Describe a set of cached embeddings."`
	Encoder   laboratory.Encoder    `cmd:"" group:"laboratory" help:"List, download, describe and check networks that embed texts and pictures."`
	Complete  completion.Completion `cmd:"" group:"kernel" name:"completion" help:"Print a completion script for a shell."`
	Doctor    machine.Doctor        `cmd:"" group:"kernel" help:"Report what gosphere finds on this machine."`
	Build     machine.Build         `cmd:"" group:"kernel" help:"Build a gosphere with additional packages for cells."`
	Version   process.Version       `cmd:"" group:"kernel" help:"Print the version."`
}

// groups are the headings of the list of commands, in order.
var groups = []kong.Group{
	{Key: "kernel", Title: "Kernel and program:"},
	{Key: "notebooks", Title: "Notebooks and programs:"},
	{Key: "laboratory", Title: "Laboratory:"},
}

// Main parses the command line and runs its subcommand. It returns the exit status: 0 for success,
// 1 for a failure, 2 for an invalid command line or a Go program that panicked, and the program's
// own status if it called os.Exit.
func Main(arguments []string, preloaded session.Packages, stdout, stderr io.Writer) int {
	early.Over()
	process.Preloaded = preloaded
	parser, err := newParser(lineFor(arguments), kong.Writers(stdout, stderr))
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", err)
		return 1
	}
	arguments, notebook.ProgramArguments = notebook.SplitArguments(asked(arguments))
	context, err := parser.Parse(arguments)
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", process.Plainly(err.Error()))
		fmt.Fprintln(stderr, whereHelpIs(err))
		return 2
	}
	if err = useDevice(context); err == nil {
		err = context.Run()
	}
	if status := notebook.ExitStatus(0); errors.As(err, &status) {
		return int(status) // the traceback has been printed already
	}
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", err)
		if errors.As(err, new(notebook.Panicked)) {
			return 2
		}
		if errors.As(err, new(process.Findings)) {
			return process.FindingsStatus
		}
		return 1
	}
	return 0
}

// lineFor returns the command line that is parsed. Jupyter starts a kernel for every notebook, so
// "gosphere kernel" does not pay for the flags of the other commands.
func lineFor(arguments []string) any {
	if len(arguments) > 0 && arguments[0] == "kernel" {
		return new(struct {
			Kernel kernel.Kernel `cmd:"" group:"kernel" help:"Serve one Jupyter client (Jupyter calls this)."`
		})
	}
	return new(Line)
}

// whereHelpIs returns the line below the error of a command line.
func whereHelpIs(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) {
		if command := wrong.Context.Selected(); command != nil {
			return fmt.Sprintf("Run %s --help for its arguments and flags.", command.FullPath())
		}
	}
	return "Run gosphere --help for the list of commands."
}

// useDevice applies the flags of process.Compute, if the command has them.
func useDevice(context *kong.Context) error {
	var chosen process.Compute
	for _, flag := range context.Flags() {
		switch value, _ := context.FlagValue(flag).(string); flag.Name {
		case "device":
			chosen.Device = value
		case "precision":
			chosen.Precision = value
		}
	}
	process.ChildDevice = chosen
	if chosen.Device != "" {
		if err := device.Use(chosen.Device); err != nil {
			return err
		}
	}
	if chosen.Precision != "" {
		return device.UsePrecision(device.Precision(chosen.Precision))
	}
	return nil
}

// newParser returns the parser of a command line.
func newParser(line any, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(line, append([]kong.Option{
		kong.Name("gosphere"),
		kong.Vars{"kernelName": process.KernelName(), "displayName": process.DisplayName()},
		kong.Description("A Jupyter kernel and scripting environment for Go, with the AsymVLM laboratory."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(helpWithExamples),
		kong.ExplicitGroups(groups),
	}, options...)...)
}

// asked rewrites command lines that users try first: "help COMMAND", "--version" or "-v", and an
// empty one, which asks for help.
func asked(arguments []string) []string {
	if len(arguments) == 0 {
		return []string{"--help"}
	}
	switch rest := slices.Clone(arguments[1:]); arguments[0] {
	case "help":
		return append(rest, "--help")
	case "--version", "-v", "-V":
		return append([]string{"version"}, rest...)
	}
	return arguments
}
