// Package command is gosphere's command line: one file for each subcommand.
//
// It wires the rooms together: the session that runs cells, the server that speaks the
// Jupyter protocol, the notebook runner, the laboratory. Only the symbol tables come from
// outside, so that tests of this package need not link them.
package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/device"
)

// Preloaded is what the program brings along for cells.
type Preloaded struct {
	Symbol  func(path, name string) (reflect.Value, bool) // finds what a compiled package exports
	Archive func() []byte                                 // type information and documentation of the same packages
}

// preloaded is set by Main before any subcommand runs.
var preloaded Preloaded

// Line is the command line as kong reads it.
type Line struct {
	Kernel    Kernel    `cmd:"" help:"Serve one Jupyter client (Jupyter calls this)."`
	Install   Install   `cmd:"" help:"Install the kernelspec, so that Jupyter offers gosphere."`
	List      List      `cmd:"" help:"List the installed kernelspecs of gosphere."`
	Uninstall Uninstall `cmd:"" help:"Remove an installed kernelspec."`
	Run       Run       `cmd:"" help:"Run a notebook, a Go program or a file of cells without Jupyter."`
	Check     Check     `cmd:"" help:"Run notebooks again and compare what they show with what is stored."`
	New       New       `cmd:"" help:"Make a new notebook from a template."`
	Clean     Clean     `cmd:"" help:"Remove from notebooks what differs between runs: outputs, counts, times."`
	Diff      Diff      `cmd:"" help:"Compare two notebooks by cells."`
	Export    Export    `cmd:"" help:"Write a notebook in another form."`
	Repl      Repl      `cmd:"" help:"Type cells in the terminal."`
	Train     Train     `cmd:"" help:"Train adapters on cached embeddings."`
	Eval      Eval      `cmd:"" help:"Evaluate trained adapters: recall by uncertainty level, S, R2."`
	Crossval  Crossval  `cmd:"" help:"Cross-validate adapters on a small set of embeddings."`
	Sweep     Sweep     `cmd:"" help:"Do many trainings by a plan: grids and random draws of flags, methods and seeds."`
	Table     Table     `cmd:"" help:"Put results beside each other and beside published numbers."`
	Search    Search    `cmd:"" help:"Find the rows of a file of embeddings that are nearest to those of another."`
	Embed     Embed     `cmd:"" help:"Embed a collection of pictures with captions or classes."`
	EmbedInfo EmbedInfo `cmd:"" help:"Describe a set of cached embeddings."`
	Encoder   Encoder   `cmd:"" help:"List, download, describe and check networks that embed texts and pictures."`
	Doctor    Doctor    `cmd:"" help:"Tell what gosphere finds on this machine."`
	Build     Build     `cmd:"" help:"Make a program with more packages for cells."`
	Version   Version   `cmd:"" help:"Print the version."`

	Device    string `help:"What trains adapters: cpu, cuda, or auto (cuda where it works). Without it GOSPHERE_DEVICE counts, and auto without that." placeholder:"NAME"`
	Precision string `help:"How exactly trainings multiply matrices: float32, or bfloat16, which is faster on processors with AVX512_BF16. Without it GOSPHERE_PRECISION counts, and float32 without that." placeholder:"NAME"`
}

// Main reads the command line and runs its subcommand. It returns the exit status: 0, 1 for a failure, 2 for a wrong
// command line and for a Go program that ended by a panic, and that of one which ended itself.
func Main(arguments []string, brought Preloaded, stdout, stderr io.Writer) int {
	preloaded = brought
	var line Line
	parser, err := kong.New(&line,
		kong.Name("gosphere"),
		kong.Description("A Jupyter kernel and scripting environment for Go, with the AsymVLM laboratory."),
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", err)
		return 1
	}
	arguments, programArgs = programArguments(asked(arguments))
	context, err := parser.Parse(arguments)
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", plainly(err.Error()))
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
		childDevice = [2]string{line.Device, line.Precision}
	}
	if err == nil {
		err = context.Run()
	}
	if status := exitStatus(0); errors.As(err, &status) {
		return int(status) // its traceback has told it
	}
	if err != nil {
		fmt.Fprintln(stderr, "gosphere:", err)
		if errors.As(err, new(panicked)) {
			return 2
		}
		return 1
	}
	return 0
}

// asked gives the words that people try first the form that there is: help COMMAND and --version.
func asked(arguments []string) []string {
	if len(arguments) == 0 {
		return arguments
	}
	switch rest := slices.Clone(arguments[1:]); arguments[0] {
	case "help":
		return append(rest, "--help")
	case "--version":
		return append([]string{"version"}, rest...)
	}
	return arguments
}

// Some of kong's errors, which name the argument in its own notation.
var (
	absent   = regexp.MustCompile(`^\S+(?: \.\.\.\])?: stat (.+): no such file or directory$`)
	isFolder = regexp.MustCompile(`^\S+(?: \.\.\.\])?: "(.+)" exists but is a directory$`)
	wanted   = regexp.MustCompile(`^expected "(.+)"$`)
)

// plainly says an error of the command line as everything else here does.
func plainly(text string) string {
	text = absent.ReplaceAllString(text, "there is no file $1")
	text = isFolder.ReplaceAllString(text, "$1 is a folder, want a file")
	return wanted.ReplaceAllString(text, "$1 is missing")
}

// Version is the subcommand that prints the version.
type Version struct{}

// Run prints the version and how the program was built.
func (Version) Run() error {
	_, err := fmt.Fprintln(os.Stdout, Banner())
	return err
}
