// Package command is gosphere's command line. The subcommands are in packages of their own: kernel serves Jupyter,
// notebook runs and handles notebooks and programs, laboratory trains and measures adapters, and machine installs
// gosphere and tells what it finds.
//
// Only the symbol tables come from outside, so that tests of most of these packages need not link them.
package command

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/device"
	"gosphere/command/kernel"
	"gosphere/command/laboratory"
	"gosphere/command/machine"
	"gosphere/command/notebook"
	"gosphere/command/process"
)

// Line is the command line as kong reads it.
type Line struct {
	Kernel    kernel.Kernel        `cmd:"" group:"kernel" help:"Serve one Jupyter client (Jupyter calls this)."`
	Install   machine.Install      `cmd:"" group:"kernel" help:"Install the kernelspec, so that Jupyter offers gosphere."`
	List      machine.List         `cmd:"" group:"kernel" help:"List the installed kernelspecs of gosphere."`
	Uninstall machine.Uninstall    `cmd:"" group:"kernel" help:"Remove an installed kernelspec."`
	Run       notebook.Run         `cmd:"" group:"notebooks" help:"Run a notebook, a Go program or a file of cells without Jupyter."`
	Check     notebook.Check       `cmd:"" group:"notebooks" help:"Run notebooks again and compare what they show with what is stored."`
	New       notebook.New         `cmd:"" group:"notebooks" help:"Make a new notebook from a template."`
	Clean     notebook.Clean       `cmd:"" group:"notebooks" help:"Remove from notebooks what differs between runs: outputs, counts, times."`
	Diff      notebook.Diff        `cmd:"" group:"notebooks" help:"Compare two notebooks by cells."`
	Export    notebook.Export      `cmd:"" group:"notebooks" help:"Write a notebook in another form."`
	Repl      notebook.Repl        `cmd:"" group:"notebooks" help:"Type cells in the terminal."`
	Train     laboratory.Train     `cmd:"" group:"laboratory" help:"Train adapters on cached embeddings."`
	Eval      laboratory.Eval      `cmd:"" group:"laboratory" help:"Evaluate trained adapters: recall by uncertainty level, S, R2."`
	Crossval  laboratory.Crossval  `cmd:"" group:"laboratory" help:"Cross-validate adapters on a small set of embeddings."`
	Sweep     laboratory.Sweep     `cmd:"" group:"laboratory" help:"Do many trainings by a plan: grids and random draws of flags, methods and seeds."`
	Table     laboratory.Table     `cmd:"" group:"laboratory" help:"Put results beside each other and beside published numbers."`
	Search    laboratory.Search    `cmd:"" group:"laboratory" help:"Find the rows of a file of embeddings that are nearest to those of another."`
	Vectors   laboratory.Vectors   `cmd:"" group:"laboratory" help:"Write images and captions as rows for vector databases, in Parquet, .npy or safetensors."`
	Embed     laboratory.Embed     `cmd:"" group:"laboratory" help:"Embed a collection of pictures with captions or classes."`
	EmbedInfo laboratory.EmbedInfo `cmd:"" group:"laboratory" help:"Describe a set of cached embeddings."`
	Encoder   laboratory.Encoder   `cmd:"" group:"laboratory" help:"List, download, describe and check networks that embed texts and pictures."`
	Doctor    machine.Doctor       `cmd:"" group:"kernel" help:"Tell what gosphere finds on this machine."`
	Build     machine.Build        `cmd:"" group:"kernel" help:"Make a program with more packages for cells."`
	Version   process.Version      `cmd:"" group:"kernel" help:"Print the version."`

	Device    string `help:"What trains adapters: cpu, cuda, or auto (cuda where it works). Without it GOSPHERE_DEVICE counts, and auto without that." placeholder:"NAME"`
	Precision string `help:"How exactly trainings multiply matrices: float32, or bfloat16, which is faster on processors with AVX512_BF16. Without it GOSPHERE_PRECISION counts, and float32 without that." placeholder:"NAME"`
}

// groups are the headings of the list of commands, in its order.
var groups = []kong.Group{
	{Key: "kernel", Title: "Kernel and program:"},
	{Key: "notebooks", Title: "Notebooks and programs:"},
	{Key: "laboratory", Title: "Laboratory:"},
}

// Main reads the command line and runs its subcommand. It returns the exit status: 0, 1 for a failure, 2 for a wrong
// command line and for a Go program that ended by a panic, and that of one which ended itself.
func Main(arguments []string, brought process.Preloaded, stdout, stderr io.Writer) int {
	process.Brought = brought
	var line Line
	parser, err := kong.New(&line,
		kong.Name("gosphere"),
		kong.Description("A Jupyter kernel and scripting environment for Go, with the AsymVLM laboratory."),
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ExplicitGroups(groups),
	)
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", err)
		return 1
	}
	arguments, notebook.ProgramArguments = notebook.SplitArguments(asked(arguments))
	context, err := parser.Parse(arguments)
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", process.Plainly(err.Error()))
		fmt.Fprintln(stderr, "gosphere --help lists the commands, gosphere COMMAND --help the flags of one.")
		return 2
	}
	if line.Device != "" {
		err = device.Use(line.Device)
	}
	if err == nil && line.Precision != "" {
		err = device.UsePrecision(device.Precision(line.Precision))
	}
	if err == nil {
		process.ChildDevice = [2]string{line.Device, line.Precision}
	}
	if err == nil {
		err = context.Run()
	}
	if status := notebook.ExitStatus(0); errors.As(err, &status) {
		return int(status) // its traceback has told it
	}
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", err)
		if errors.As(err, new(notebook.Panicked)) {
			return 2
		}
		return 1
	}
	return 0
}

// asked gives the words that people try first the form that there is: help COMMAND, --version, and nothing at all, which asks for help.
func asked(arguments []string) []string {
	if len(arguments) == 0 {
		return []string{"--help"}
	}
	switch rest := slices.Clone(arguments[1:]); arguments[0] {
	case "help":
		return append(rest, "--help")
	case "--version":
		return append([]string{"version"}, rest...)
	}
	return arguments
}
